"""When a person was told that they talk with a program: a record without a word of what was said.

It shows that the duty was done, and so it outlives what was talked about.
"""

import sqlite3

import msgspec

from companions.changes import DisclosureShown, Landed, Occasion, Outcome
from storage.order import next_number
from storage.rows import Row


class Disclosure(msgspec.Struct, frozen=True, kw_only=True):
    """One showing. ``at`` is in milliseconds since 1970 in UTC."""

    at: int
    user: str
    companion: str
    occasion: Occasion


def disclosure_shown(db: sqlite3.Connection, change: DisclosureShown) -> Outcome:
    """A showing; the same event of a session again changes nothing."""
    db.execute(
        "INSERT INTO disclosures VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            change.session,
            change.seq,
            change.user,
            change.companion,
            next_number(db),
            change.at,
            change.conversation,
            change.occasion,
        ),
    )
    return Landed()


def disclosures(db: sqlite3.Connection, *, user: str | None, limit: int) -> tuple[Disclosure, ...]:
    """The last ``limit`` showings, to one person or (None) to everybody, the latest first."""
    rows: list[Row] = db.execute(
        """
        SELECT at, user_id, companion, occasion FROM disclosures
        WHERE ?1 IS NULL OR user_id = ?1 ORDER BY stored DESC LIMIT ?2
        """,
        (user, limit),
    ).fetchall()
    return tuple(Disclosure(at=row[0], user=row[1], companion=row[2], occasion=row[3]) for row in rows)
