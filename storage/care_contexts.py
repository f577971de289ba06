"""What caregivers tell a companion about a person: names, pleasant subjects, those to leave alone, the day."""

import sqlite3

import msgspec

from companions.care_changes import CareContextGiven
from companions.changes import Landed, Outcome
from storage.rows import blob_of


class CareContext(msgspec.Struct, frozen=True, kw_only=True):
    """What was told last, as JSON, and by whom. ``at`` is milliseconds since 1970."""

    name: str
    context: msgspec.Raw
    at: int


def care_context_given(db: sqlite3.Connection, change: CareContextGiven) -> Outcome:
    """The whole of it, in place of the one before."""
    db.execute(
        """
        INSERT INTO care_contexts VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
            name = excluded.name, context = excluded.context, at = excluded.at
        """,
        (change.user, change.companion, change.name, blob_of(change.context), change.at),
    )
    return Landed()


def care_context(db: sqlite3.Connection, *, user: str, companion: str) -> CareContext | None:
    """What was told of a person to a companion."""
    row: tuple[str, bytes, int] | None = db.execute(
        "SELECT name, context, at FROM care_contexts WHERE user_id = ? AND companion = ?", (user, companion)
    ).fetchone()
    return None if row is None else CareContext(name=row[0], context=msgspec.Raw(row[1]), at=row[2])
