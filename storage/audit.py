"""Who looked at a person's data, and who did what about it: recorded without text, and never taken back."""

import sqlite3

import msgspec

from storage.order import next_number
from storage.rows import Row

KEPT_MS = 400 * 24 * 3_600_000  # the same number as in the trigger that keeps rows
_COLUMNS = "stored, at, person, with_companion, role, by_id, by_name, did"


class Act(msgspec.Struct, frozen=True, kw_only=True):
    """Who (``role``, ``by`` as an id, ``name``) did what, about whom, with which companion; '' where there is none."""

    person: str
    role: str
    did: str
    companion: str = ""
    by: str = ""
    name: str = ""


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """An act, its number and its time (milliseconds since 1970)."""

    number: int
    at: int
    act: Act


def record(db: sqlite3.Connection, act: Act, at: int) -> None:
    """Add an act, in the transaction in which it happens."""
    db.execute(
        f"INSERT INTO audit ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608  # constants of ours
        (next_number(db), at, act.person, act.companion, act.role, act.by, act.name, act.did),
    )


def acts_about(
    db: sqlite3.Connection, *, person: str, before: int | None, limit: int
) -> tuple[Recorded, ...]:
    """The acts about a person, the latest first."""
    rows: list[Row] = db.execute(
        f"""
        SELECT {_COLUMNS} FROM audit WHERE person = ?1 AND (?2 IS NULL OR stored < ?2)
        ORDER BY stored DESC LIMIT ?3
        """,  # noqa: S608  # as above
        (person, before, limit),
    ).fetchall()
    return tuple(_recorded(row) for row in rows)


def all_acts(db: sqlite3.Connection, *, before: int | None, limit: int) -> tuple[Recorded, ...]:
    """All acts, the latest first, for staff."""
    rows: list[Row] = db.execute(
        f"SELECT {_COLUMNS} FROM audit WHERE stored < ? ORDER BY stored DESC LIMIT ?",  # noqa: S608  # as above
        (2**62 if before is None else before, limit),
    ).fetchall()
    return tuple(_recorded(row) for row in rows)


def prune_acts(db: sqlite3.Connection) -> int:
    """Remove what is older than it is kept, by the newest time in the store; how many."""
    return db.execute(
        "DELETE FROM audit WHERE at <= (SELECT newest_at FROM store WHERE one = 1) - ?", (KEPT_MS,)
    ).rowcount


def _recorded(row: Row) -> Recorded:
    act = Act(person=row[2], companion=row[3], role=row[4], by=row[5], name=row[6], did=row[7])
    return Recorded(number=row[0], at=row[1], act=act)
