"""The one row about the store itself: its epoch, the counter that orders, and what its clock may be used for.

Order comes from the counter, never from a time or an id: a device may boot in 1970 or jump by years.
"""

import sqlite3
from typing import Literal, TypeAlias

WEEK_MS = 7 * 24 * 3_600_000

Rest: TypeAlias = Literal["clock_behind", "long_since"]


def next_number(db: sqlite3.Connection) -> int:
    """The next number of the store's counter; never given twice, not even after a deletion."""
    row: tuple[int] = db.execute(
        "UPDATE store SET counter = counter + 1 WHERE one = 1 RETURNING counter"
    ).fetchone()
    return row[0]


def epoch(db: sqlite3.Connection) -> str:
    """The random id of this store; a restore changes it, and then no event of before can be resumed."""
    row: tuple[str] = db.execute("SELECT epoch FROM store WHERE one = 1").fetchone()
    return row[0]


def renewed(db: sqlite3.Connection, epoch: str) -> None:
    """Give the store a new epoch."""
    db.execute("UPDATE store SET epoch = ? WHERE one = 1", (epoch,))


def reached(db: sqlite3.Connection) -> tuple[str, int]:
    """The epoch, and how far the counter has come."""
    row: tuple[str, int] = db.execute("SELECT epoch, counter FROM store WHERE one = 1").fetchone()
    return row


def saw_time(db: sqlite3.Connection, at: int) -> None:
    """Remember ``at`` when it is the newest time stored so far."""
    db.execute("UPDATE store SET newest_at = ? WHERE one = 1 AND newest_at < ?", (at, at))


def newest_time(db: sqlite3.Connection) -> int:
    """The newest time stored so far: what ages are measured from where the clock may be wrong."""
    row: tuple[int] = db.execute("SELECT newest_at FROM store WHERE one = 1").fetchone()
    return row[0]


def purge_rests(db: sqlite3.Connection, at: int) -> Rest | None:
    """Why nothing is removed by its age at ``at``; None when the clock can be believed (decision D6).

    ``clock_behind``: it is before the newest stored time. ``long_since``: it is more than 7 days after the last
    removal (or, before any, the newest stored time). Then somebody has to say that the date is right
    (``date_confirmed``).
    """
    row: tuple[int, int | None] = db.execute(
        "SELECT newest_at, purged_at FROM store WHERE one = 1"
    ).fetchone()
    newest, purged = row
    if not newest:  # nothing is stored yet
        return None
    if at < newest:
        return "clock_behind"
    return "long_since" if at - (newest if purged is None else purged) > WEEK_MS else None


def may_purge(db: sqlite3.Connection, at: int) -> bool:
    """Whether ``at`` can be trusted to remove things by their age."""
    return purge_rests(db, at) is None


def aged_at(db: sqlite3.Connection, at: int) -> int:
    """From when ages are told: ``at``, or the newest stored time where that cannot be trusted."""
    return at if may_purge(db, at) else min(at, newest_time(db))


def last_purge(db: sqlite3.Connection) -> int | None:
    """When something was last looked at to be removed by its age; None: never."""
    row: tuple[int | None] = db.execute("SELECT purged_at FROM store WHERE one = 1").fetchone()
    return row[0]


def date_confirmed(db: sqlite3.Connection, at: int) -> None:
    """Staff say that ``at`` is right: it becomes the newest stored time, and removal may go on from here."""
    db.execute("UPDATE store SET newest_at = ?, purged_at = ? WHERE one = 1", (at, at))


def purged(db: sqlite3.Connection, at: int) -> None:
    """Remember that something was removed by its age at ``at``; in a store that holds nothing yet it says nothing."""
    db.execute("UPDATE store SET purged_at = ? WHERE one = 1 AND newest_at > 0", (at,))


def store_bytes(db: sqlite3.Connection) -> int:
    """How large the database is, free pages included, its log not."""
    pages: tuple[int] = db.execute("PRAGMA page_count").fetchone()
    size: tuple[int | str] = db.execute("PRAGMA page_size").fetchone()  # SQLCipher gives it as text
    return pages[0] * int(size[0])
