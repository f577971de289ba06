"""What trends are made of, in the order it was stored: what was felt and asked, which stories were told, check-ins.

Read for those who care for a person, for the person, and before a talk; never while one waits for a word. Talks with
parents are in none of it. What was said of abuse or self-harm comes marked: it is in no figure, unless the safeguarding
contact has released it (D25).
"""

import sqlite3

import msgspec

from storage.rows import Row

MOST = 5_000  # the newest; half a year of twenty-five messages a day
_KEPT_BACK = """(e.crisis_category IS NOT NULL AND e.crisis_category IN ('abuse', 'self_harm')
    AND NOT EXISTS (SELECT 1 FROM releases x WHERE x.message = e.message AND x.ended_at IS NULL))"""


class FeltRow(msgspec.Struct, frozen=True, kw_only=True):
    """What was read in one message of the person."""

    message: str
    conversation: str
    at: int
    distress: float
    private: bool


class AskedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A question; ``unread`` is its text where nothing was read in it."""

    kind: str
    at: int
    unread: str | None


class ToldRow(msgspec.Struct, frozen=True, kw_only=True):
    """A story, and the message it answered."""

    message: str
    narrative: str
    category: str


def felt_rows(db: sqlite3.Connection, *, user: str, companion: str) -> tuple[FeltRow, ...]:
    """What was felt, message by message, oldest first."""
    rows: list[Row] = db.execute(
        f"""
        SELECT e.message, e.conversation, e.at, e.distress, {_KEPT_BACK}
        FROM emotions e JOIN conversations c ON c.id = e.conversation AND c.parent_mode = 0
        WHERE e.user_id = ? AND e.companion = ? ORDER BY e.stored DESC LIMIT ?
        """,  # noqa: S608  # a constant of ours
        (user, companion, MOST),
    ).fetchall()
    return tuple(
        FeltRow(message=row[0], conversation=row[1], at=row[2], distress=row[3], private=bool(row[4]))
        for row in reversed(rows)
    )


def asked_rows(db: sqlite3.Connection, *, user: str, companion: str) -> tuple[AskedRow, ...]:
    """What was asked, oldest first, without what was read as private."""
    rows: list[Row] = db.execute(
        f"""
        SELECT r.question_type, r.at, CASE WHEN e.message IS NULL THEN m.text END
        FROM repetitions r JOIN conversations c ON c.id = r.conversation AND c.parent_mode = 0
            JOIN messages m ON m.id = r.message LEFT JOIN emotions e ON e.message = r.message
        WHERE r.user_id = ? AND r.companion = ?
            AND NOT {_KEPT_BACK}
        ORDER BY r.stored DESC LIMIT ?
        """,  # noqa: S608  # a constant of ours
        (user, companion, MOST),
    ).fetchall()
    return tuple(AskedRow(kind=row[0], at=row[1], unread=row[2]) for row in reversed(rows))


def told_rows(db: sqlite3.Connection, *, user: str, companion: str) -> tuple[ToldRow, ...]:
    """The stories told to this person, oldest first, each with the message it answered."""
    rows: list[Row] = db.execute(
        """
        SELECT a.answers, n.narrative, n.category
        FROM narrative_uses n JOIN conversations c ON c.id = n.conversation AND c.parent_mode = 0
            JOIN messages a ON a.id = n.answer
        WHERE n.user_id = ? AND n.companion = ? AND a.answers IS NOT NULL
        ORDER BY n.stored DESC LIMIT ?
        """,
        (user, companion, MOST),
    ).fetchall()
    return tuple(ToldRow(message=row[0], narrative=row[1], category=row[2]) for row in reversed(rows))


class SittingRow(msgspec.Struct, frozen=True, kw_only=True):
    """A talk that ended: when it began and when its last message was. Milliseconds since 1970."""

    began: int
    last: int


def sitting_rows(db: sqlite3.Connection, *, user: str, companion: str, limit: int) -> tuple[SittingRow, ...]:
    """The last ``limit`` talks that ended, in the order of their ends."""
    rows: list[tuple[int, int]] = db.execute(
        """
        SELECT created_at, updated_at FROM conversations
        WHERE user_id = ? AND companion = ? AND closed IS NOT NULL AND parent_mode = 0
        ORDER BY closed DESC LIMIT ?
        """,
        (user, companion, limit),
    ).fetchall()
    return tuple(SittingRow(began=began, last=last) for began, last in reversed(rows))


def ended_count(db: sqlite3.Connection, *, user: str, companion: str) -> int:
    """How many talks ended."""
    row: tuple[int] = db.execute(
        """
        SELECT COUNT(*) FROM conversations
        WHERE user_id = ? AND companion = ? AND closed IS NOT NULL AND parent_mode = 0
        """,
        (user, companion),
    ).fetchone()
    return row[0]
