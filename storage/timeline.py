"""What was read in a person's talks over time, for those who care for them; who may see it is decided by the asker.

Talks with parents are in none of it. What was said of abuse or self-harm is left out here where it was read as such
when it was said; rows that have no reading come with their text, so that the asker reads them (D25).
"""

import sqlite3

import msgspec

from companions.changes import EmotionRow
from memory.messages import Message
from storage.alerts import released_in
from storage.messages import history
from storage.readings import emotions_in
from storage.rows import Row

MOST_QUESTIONS = 5_000
PRIVATE = "('abuse', 'self_harm')"
"""What family is not told of."""
RELEASED = "EXISTS (SELECT 1 FROM releases x WHERE x.message = e.message AND x.ended_at IS NULL)"
"""Whether the message of a reading ``e`` was let be known."""


class Feeling(msgspec.Struct, frozen=True, kw_only=True):
    """What was read in one message; ``number`` orders."""

    number: int
    at: int
    emotion: str
    intensity: int
    distress: float
    trajectory: str


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question and how often it had come before in its talk; ``unread`` is its text where nothing was read in it."""

    type: str
    object: str
    conversation: str
    repeats: int
    at: int
    unread: str | None


class TalkSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The newest whole summary of a talk that ended; ``number`` orders talks by their end."""

    number: int
    conversation: str
    at: int
    content: msgspec.Raw


def feelings(
    db: sqlite3.Connection,
    *,
    user: str,
    companion: str,
    since: int,
    until: int,
    before: int | None,
    limit: int,
) -> tuple[Feeling, ...]:
    """Feelings at or after ``since`` and before ``until``, the latest first."""
    rows: list[Row] = db.execute(
        f"""
        SELECT e.stored, e.at, e.emotion, e.intensity, e.distress, e.trajectory
        FROM emotions e JOIN conversations c ON c.id = e.conversation AND c.parent_mode = 0
        WHERE e.user_id = ? AND e.companion = ? AND e.at >= ? AND e.at < ? AND (? IS NULL OR e.stored < ?)
            AND (e.crisis_category IS NULL OR e.crisis_category NOT IN {PRIVATE} OR {RELEASED})
        ORDER BY e.stored DESC LIMIT ?
        """,  # noqa: S608  # a constant of ours
        (user, companion, since, until, before, before, limit),
    ).fetchall()
    return tuple(
        Feeling(
            number=row[0], at=row[1], emotion=row[2], intensity=row[3], distress=row[4], trajectory=row[5]
        )
        for row in rows
    )


def questions(db: sqlite3.Connection, *, user: str, companion: str, since: int) -> tuple[Question, ...]:
    """Every question at or after ``since``, the latest first."""
    rows: list[Row] = db.execute(
        f"""
        SELECT r.question_type, r.question_object, r.conversation, r.repeat_count, r.at,
            CASE WHEN e.message IS NULL THEN m.text END
        FROM repetitions r JOIN conversations c ON c.id = r.conversation AND c.parent_mode = 0
            JOIN messages m ON m.id = r.message LEFT JOIN emotions e ON e.message = r.message
        WHERE r.user_id = ? AND r.companion = ? AND r.at >= ?
            AND (e.crisis_category IS NULL OR e.crisis_category NOT IN {PRIVATE} OR {RELEASED})
        ORDER BY r.at DESC, r.stored DESC LIMIT ?
        """,  # noqa: S608  # a constant of ours
        (user, companion, since, MOST_QUESTIONS),
    ).fetchall()
    return tuple(
        Question(type=row[0], object=row[1], conversation=row[2], repeats=row[3], at=row[4], unread=row[5])
        for row in rows
    )


def talk_summaries(
    db: sqlite3.Connection, *, user: str, companion: str, before: int | None, limit: int
) -> tuple[TalkSummary, ...]:
    """Summaries of talks that ended, the latest end first."""
    rows: list[Row] = db.execute(
        """
        SELECT c.closed, c.id, c.created_at, s.content FROM conversations c JOIN summaries s ON s.conversation = c.id
        WHERE c.user_id = ? AND c.companion = ? AND c.closed IS NOT NULL AND c.parent_mode = 0
            AND (? IS NULL OR c.closed < ?) AND s.stored =
                (SELECT MAX(n.stored) FROM summaries n WHERE n.conversation = c.id AND n.partial = 0)
        ORDER BY c.closed DESC LIMIT ?
        """,
        (user, companion, before, before, limit),
    ).fetchall()
    return tuple(
        TalkSummary(number=row[0], conversation=row[1], at=row[2], content=msgspec.Raw(row[3]))
        for row in rows
    )


def let_known_in(db: sqlite3.Connection, conversation: str) -> frozenset[str]:
    """What may be told of a talk although family is not told of it otherwise: subjects released whole (D25)."""
    rows: list[tuple[str, int]] = db.execute(
        f"""
        SELECT e.crisis_category, MIN({RELEASED}) FROM emotions e
        WHERE e.conversation = ? AND e.crisis_category IN {PRIVATE} GROUP BY e.crisis_category
        """,  # noqa: S608  # constants of ours
        (conversation,),
    ).fetchall()
    return frozenset(category for category, all_released in rows if all_released)


def first_removed(db: sqlite3.Connection, conversation: str) -> int | None:
    """Where the first message of the person stood that was removed; None where none was."""
    row: tuple[int | None] = db.execute(
        "SELECT MIN(position) FROM messages WHERE conversation = ? AND role = 'user' AND removed = 1",
        (conversation,),
    ).fetchone()
    return row[0]


class Transcript(msgspec.Struct, frozen=True, kw_only=True):
    """A whole talk, oldest first: what was read in it, what was released, where a message of the person is gone."""

    messages: tuple[Message, ...]
    rows: tuple[EmotionRow, ...]
    released: frozenset[str]
    removed_at: int | None


def transcript(db: sqlite3.Connection, *, user: str, companion: str, conversation: str) -> Transcript | None:
    """The talk of that id; None for one that is not theirs.

    Whole, because what is left out can be told only by who knows what came before it.
    """
    row = db.execute(
        "SELECT 1 FROM conversations WHERE id = ? AND user_id = ? AND companion = ? AND parent_mode = 0",
        (conversation, user, companion),
    ).fetchone()
    if row is None:
        return None
    return Transcript(
        messages=history(db, user=user, conversation=conversation, limit=MOST_QUESTIONS),
        rows=emotions_in(db, conversation, MOST_QUESTIONS),
        released=released_in(db, conversation),
        removed_at=first_removed(db, conversation),
    )
