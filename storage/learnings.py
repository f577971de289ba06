"""What a student showed to have learned: kept with the messages that show it, and told with the note on its lesson."""

import sqlite3

import msgspec

from companions.changes import ExtractMade
from companions.consenting import family
from storage.order import next_number
from storage.rows import Row
from storage.timeline import PRIVATE, RELEASED

MOST_TOLD = 2_000  # the latest; years of lessons
MOST_SAID = 1_000  # messages of a lesson that are looked at for quotations


class Learning(msgspec.Struct, frozen=True, kw_only=True):
    """Something learned in a lesson, which began at ``at``."""

    conversation: str
    companion: str
    topic: str
    learned: str
    at: int


class _Learned(msgspec.Struct, frozen=True):
    topic: str
    learned: str
    evidence: tuple[str, ...]


def keep_learnings(db: sqlite3.Connection, change: ExtractMade) -> None:
    """Each with the messages that show it; one that no message of this person shows is none (guarantee 5)."""
    for learned in msgspec.json.decode(change.content, type=tuple[_Learned, ...]):
        stored = next_number(db)
        db.execute(
            "INSERT INTO learnings VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                stored,
                change.job,
                change.user,
                change.companion,
                change.conversation,
                change.at,
                learned.topic,
                learned.learned,
            ),
        )
        for message in learned.evidence:
            db.execute(
                """
                INSERT INTO learning_sources SELECT ?1, id FROM messages WHERE id = ?2 AND user_id = ?3
                    AND companion = ?4 AND conversation = ?5 AND role = 'user' AND removed = 0
                """,
                (stored, message, change.user, change.companion, change.conversation),
            )
        db.execute(
            """
            DELETE FROM learnings WHERE stored = ?1
                AND NOT EXISTS (SELECT 1 FROM learning_sources WHERE learning = ?1)
            """,
            (stored,),
        )


def learnings_noted(db: sqlite3.Connection, *, user: str, companion: str) -> tuple[Learning, ...]:
    """What was learned in the lessons on which there is a note, with any member of the family; the earliest first.

    So they are there as long as notes are: not from before the parents consented, nor after they took it back, nor
    from a talk with parents; and never what a message shows that family is not told of (D25). Lessons come in the
    order of their ends, never by a clock.
    """
    members = f"{family(companion)}/"
    rows: list[Row] = db.execute(
        f"""
        SELECT l.conversation, l.companion, l.topic, l.learned, c.created_at FROM learnings l
        JOIN parent_notes n ON n.conversation = l.conversation JOIN conversations c ON c.id = l.conversation
        WHERE l.user_id = ?1 AND (l.companion = ?2 OR substr(l.companion, 1, ?3) = ?4) AND c.parent_mode = 0
            AND NOT EXISTS (
                SELECT 1 FROM learning_sources o JOIN emotions e ON e.message = o.message
                WHERE o.learning = l.stored AND e.crisis_category IN {PRIVATE} AND NOT {RELEASED})
        ORDER BY c.closed DESC, l.stored DESC LIMIT ?5
        """,  # noqa: S608  # constants of ours
        (user, family(companion), len(members), members, MOST_TOLD),
    ).fetchall()
    return tuple(
        Learning(conversation=row[0], companion=row[1], topic=row[2], learned=row[3], at=row[4])
        for row in reversed(rows)
    )


def said_in_lesson(db: sqlite3.Connection, *, user: str, conversation: str) -> tuple[str, ...]:
    """The student's words in a lesson, so that nothing that is told of it quotes them."""
    rows: list[tuple[str]] = db.execute(
        """
        SELECT text FROM messages WHERE conversation = ? AND user_id = ? AND role = 'user' AND removed = 0
        ORDER BY position LIMIT ?
        """,
        (conversation, user, MOST_SAID),
    ).fetchall()
    return tuple(text for (text,) in rows)
