"""What a start does first: what was under way when the process ended is ended in the store too."""

import sqlite3

import msgspec

from storage.jobs import release_jobs
from storage.order import next_number
from storage.rows import Row


class Interrupted(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that a crash cut off, now a message with the text it had."""

    user: str
    companion: str
    conversation: str
    message: str
    answer: str


class Recovered(msgspec.Struct, frozen=True, kw_only=True):
    """What a start found: answers kept, answers of which nothing had been shown, jobs nobody works on now."""

    interrupted: tuple[Interrupted, ...]
    vanished: int
    released: int


def recover(db: sqlite3.Connection, at: int) -> Recovered:
    """End what was open. Doing it again, or being killed in it, changes nothing more.

    An open answer becomes an interrupted message at the end of its conversation. It vanishes when it has no
    text yet, and when it was to replace an answer, which then stays.
    """
    rows: list[Row] = db.execute(
        """
        SELECT o.user_id, o.companion, o.conversation, o.message, o.answer, o.response, o.text
        FROM open_responses o ORDER BY o.at
        """
    ).fetchall()
    kept = tuple(one for row in rows if (one := _keep(db, row, at)) is not None)
    db.execute("DELETE FROM open_responses")
    return Recovered(interrupted=kept, vanished=len(rows) - len(kept), released=release_jobs(db))


def _keep(db: sqlite3.Connection, row: Row, at: int) -> Interrupted | None:
    user, companion, conversation, message, answer, response, text = row
    if not text.strip() or not _open(db, message):
        return None
    stored = next_number(db)
    db.execute(
        """
        INSERT INTO messages
            (stored, id, user_id, companion, conversation, position, role, text, at, status, settled, source,
             answers, response)
        SELECT ?, ?, user_id, companion, id, last_position + 1, 'assistant', ?, ?, 'interrupted', 1, 'model',
            ?, ?
        FROM conversations WHERE id = ?
        """,
        (stored, answer, text, at, message, response, conversation),
    )
    db.execute(
        """
        UPDATE conversations SET last_position = last_position + 1, message_count = message_count + 1,
            activity = ?
        WHERE id = ?
        """,
        (stored, conversation),
    )
    db.execute("UPDATE messages SET settled = 1 WHERE id = ?", (message,))
    return Interrupted(
        user=user, companion=companion, conversation=conversation, message=message, answer=answer
    )


def _open(db: sqlite3.Connection, message: str) -> bool:
    """The message is there and nothing answers it."""
    row = db.execute(
        """
        SELECT 1 FROM messages WHERE id = ? AND removed = 0
            AND NOT EXISTS (SELECT 1 FROM messages a WHERE a.answers = ?)
        """,
        (message, message),
    ).fetchone()
    return row is not None
