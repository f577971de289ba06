"""Who looked at what of a person: a row for each look of somebody else, without a word of what was seen."""

import sqlite3

import msgspec

from companions.care_changes import Looked
from companions.changes import Landed, Outcome
from storage.consents import believed
from storage.order import next_number
from storage.rows import Row


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody looked; ``kind`` is the command that asked, ``number`` orders."""

    number: int
    companion: str
    at: int
    role: str
    name: str
    kind: str
    conversation: str | None


def looked(db: sqlite3.Connection, change: Looked) -> Outcome:
    """Write a look down, once."""
    db.execute(
        "INSERT INTO looks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
        (
            change.look,
            change.user,
            change.companion,
            next_number(db),
            believed(db, change.at),
            change.holder,
            change.role,
            change.name,
            change.kind,
            change.conversation,
        ),
    )
    return Landed()


def looks_at(
    db: sqlite3.Connection, *, user: str, before: int | None = None, limit: int = 50
) -> tuple[Look, ...]:
    """Who looked at what of ``user``, the latest first."""
    rows: list[Row] = db.execute(
        """
        SELECT stored, companion, at, role, name, kind, conversation FROM looks
        WHERE user_id = ? AND (? IS NULL OR stored < ?) ORDER BY stored DESC LIMIT ?
        """,
        (user, before, before, limit),
    ).fetchall()
    return tuple(
        Look(
            number=row[0],
            companion=row[1],
            at=row[2],
            role=row[3],
            name=row[4],
            kind=row[5],
            conversation=row[6],
        )
        for row in rows
    )
