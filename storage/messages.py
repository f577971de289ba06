"""Messages: what is said lands at a position without gaps; a removed one leaves its position and no word."""

import sqlite3

import msgspec

from companions.changes import (
    NOTHING,
    AnswerCheckpointed,
    AnswerGiven,
    ConversationRenamed,
    Landed,
    MessageSaid,
    NewConversation,
    Outcome,
    Refused,
)
from memory.messages import Message
from memory.text import folded
from storage.commands import keep_command, retained
from storage.memories import switched_off
from storage.order import next_number
from storage.readings import keep_readings
from storage.removing import remove
from storage.rows import MESSAGE_COLUMNS, Row, acquainted, blob_of, message_of
from storage.sessions import session_seen
from storage.unheard import unheard_by
from storage.uses import keep_uses

UNKNOWN = Refused("conversation.unknown")
CLOSED = Refused("conversation.closed")
CONFLICT = Refused("state.conflict")


def history(
    db: sqlite3.Connection, *, user: str, conversation: str, before: int | None = None, limit: int = 50
) -> tuple[Message, ...]:
    """The last ``limit`` messages with a position under ``before``, oldest first, removed ones left out."""
    rows = db.execute(
        f"""
        SELECT {MESSAGE_COLUMNS} FROM messages
        WHERE conversation = ? AND position < ? AND user_id = ? AND removed = 0
        ORDER BY position DESC LIMIT ?
        """,  # noqa: S608  # the columns are a constant of ours
        (conversation, 2**62 if before is None else before, user, limit),
    ).fetchall()
    return tuple(message_of(row) for row in reversed(rows))


def message(db: sqlite3.Connection, *, user: str, id: str) -> Message | None:  # noqa: A002  # the wire's word
    """One message of this user, if it is there and was not removed."""
    row = db.execute(
        f"SELECT {MESSAGE_COLUMNS} FROM messages WHERE id = ? AND user_id = ? AND removed = 0",  # noqa: S608  # as above
        (id, user),
    ).fetchone()
    return None if row is None else message_of(row)


def message_place(db: sqlite3.Connection, *, user: str, companion: str, id: str) -> str | None:  # noqa: A002  # as above
    """The conversation of a message of this user with this companion that is still there."""
    row: tuple[str] | None = db.execute(
        "SELECT conversation FROM messages WHERE id = ? AND user_id = ? AND companion = ? AND removed = 0",
        (id, user, companion),
    ).fetchone()
    return None if row is None else row[0]


class Asking(msgspec.Struct, frozen=True):
    """The message of a person that is being answered."""

    message: str
    conversation: str


def asking_now(db: sqlite3.Connection, *, user: str, companion: str) -> Asking | None:
    """The latest message of this person, in the conversation they are in, that has no answer yet."""
    row: tuple[str, str] | None = db.execute(
        """
        SELECT m.id, m.conversation FROM users u JOIN messages m ON m.conversation = u.active_conversation
        WHERE u.user_id = ?1 AND u.companion = ?2 AND m.settled = 0 AND m.removed = 0 AND m.role = 'user'
            AND m.user_id = ?1 AND m.companion = ?2
        ORDER BY m.position DESC LIMIT 1
        """,
        (user, companion),
    ).fetchone()
    return None if row is None else Asking(*row)


class StatedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A message that states something about the person; ``content`` as the reader gave it."""

    message: str
    position: int
    text: str
    content: msgspec.Raw


def stated_by(
    db: sqlite3.Connection, *, user: str, companion: str, without: str | None, limit: int = 1_000
) -> tuple[StatedRow, ...]:
    """The person's latest messages that state something, oldest first, but those of one conversation.

    What parents said of the person is not the person's, and what was said while remembering was off is not among
    them.
    """
    rows: list[Row] = db.execute(
        """
        SELECT s.message, m.position, m.text, s.content, m.stored FROM statements s JOIN messages m ON m.id = s.message
            JOIN conversations c ON c.id = s.conversation
        WHERE s.user_id = ? AND s.companion = ? AND s.conversation IS NOT ? AND m.removed = 0
            AND c.parent_mode = 0
        ORDER BY s.stored DESC LIMIT ?
        """,
        (user, companion, without, limit),
    ).fetchall()
    off = switched_off(db, user=user, companion=companion)
    return tuple(
        StatedRow(message=row[0], position=row[1], text=row[2], content=msgspec.Raw(row[3]))
        for row in reversed(rows)
        if not unheard_by(off, row[4])
    )


def message_said(db: sqlite3.Connection, change: MessageSaid) -> Outcome:
    """What the person said, and with the first message the conversation itself."""
    if seen := retained(db, change.command):
        return seen
    acquainted(db, change, change.conversation)
    if change.begins is not None:
        if db.execute("SELECT 1 FROM conversations WHERE id = ?", (change.conversation,)).fetchone():
            return CONFLICT
        _begin(db, change, change.begins)
    if refused := _refused(db, change, change.position):
        return refused
    stored = next_number(db)
    db.execute(
        """
        INSERT INTO messages
            (stored, id, user_id, companion, conversation, position, role, text, at, status, settled, context)
        VALUES (?, ?, ?, ?, ?, ?, 'user', ?, ?, 'completed', 0, ?)
        """,
        (
            stored,
            change.message,
            change.user,
            change.companion,
            change.conversation,
            change.position,
            change.text,
            change.at,
            blob_of(change.context),
        ),
    )
    if change.statements != NOTHING:
        db.execute(
            "INSERT INTO statements VALUES (?, ?, ?, ?, ?, ?)",
            (
                change.message,
                change.user,
                change.companion,
                change.conversation,
                stored,
                blob_of(change.statements),
            ),
        )
    _grown(db, change, stored, change.position, said=1)
    keep_command(db, change, change.command, message=change.message, conversation=change.conversation)
    session_seen(db, change, change.session, change.command.space, change.conversation)
    return Landed()


def _begin(db: sqlite3.Connection, change: MessageSaid, begins: NewConversation) -> None:
    db.execute(
        """
        INSERT INTO conversations
            (id, user_id, companion, session_type, parent_mode, message_limit, title, title_given,
             title_folded, preview, created_at, updated_at, activity)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)
        """,
        (
            change.conversation,
            change.user,
            change.companion,
            begins.session_type,
            begins.parent_mode,
            begins.message_limit,
            begins.title,
            begins.title_given,
            folded(begins.title),
            begins.preview,
            change.at,
            change.at,
        ),
    )


def _refused(
    db: sqlite3.Connection, change: MessageSaid | AnswerGiven, position: int | None
) -> Refused | None:
    """Why nothing may be added to the conversation at ``position``, if so."""
    row = db.execute(
        "SELECT closed, last_position FROM conversations WHERE id = ? AND user_id = ? AND companion = ?",
        (change.conversation, change.user, change.companion),
    ).fetchone()
    if row is None:
        return UNKNOWN
    closed, last = row
    if closed is not None:
        return CLOSED
    return CONFLICT if position is not None and position != last + 1 else None


def _grown(
    db: sqlite3.Connection, change: MessageSaid | AnswerGiven, stored: int, position: int, *, said: int
) -> None:
    """The conversation is one message longer, and the newest; ``said`` is 1 for the person's, else 0."""
    db.execute(
        """
        UPDATE conversations SET last_position = ?, message_count = message_count + 1,
            user_message_count = user_message_count + ?, updated_at = ?, activity = ? WHERE id = ?
        """,
        (position, said, change.at, stored, change.conversation),
    )


def answer_checkpointed(db: sqlite3.Connection, change: AnswerCheckpointed) -> Outcome:
    """The open answer so far. One that is over is not opened again by a checkpoint that came late."""
    if refused := _unknown(db, change):
        return refused
    if db.execute("SELECT 1 FROM messages WHERE response = ?", (change.response,)).fetchone():
        return Landed()
    db.execute(
        """
        INSERT INTO open_responses VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET text = excluded.text, at = excluded.at
        """,
        (
            change.response,
            change.user,
            change.companion,
            change.conversation,
            change.message,
            change.answer,
            change.text,
            change.at,
        ),
    )
    return Landed()


def _unknown(db: sqlite3.Connection, change: AnswerCheckpointed | ConversationRenamed) -> Refused | None:
    found = db.execute(
        "SELECT 1 FROM conversations WHERE id = ? AND user_id = ? AND companion = ?",
        (change.conversation, change.user, change.companion),
    ).fetchone()
    return None if found else UNKNOWN


def answer_given(db: sqlite3.Connection, change: AnswerGiven) -> Outcome:
    """An answer and all it produced; a regenerated one removes what it replaces."""
    if refused := _refused(db, change, None):
        return refused
    if _answered_already(db, change):
        return Landed()
    asked = db.execute(
        "SELECT id FROM messages WHERE id = ? AND conversation = ? AND role = 'user' AND removed = 0",
        (change.message, change.conversation),
    ).fetchone()
    if asked is None:
        return CONFLICT
    if change.answer is not None:
        if change.replaces_from is not None:
            remove_replaced(db, change, change.replaces_from)
        if not _fits(db, change):
            return CONFLICT
        _store_answer(db, change)
    if change.answer is not None or change.status != "interrupted":
        db.execute("UPDATE messages SET settled = 1 WHERE id = ?", (change.message,))
    keep_readings(db, change)
    keep_uses(db, change)
    db.execute("DELETE FROM open_responses WHERE response = ?", (change.response,))
    return Landed()


def _answered_already(db: sqlite3.Connection, change: AnswerGiven) -> bool:
    found = db.execute(
        "SELECT 1 FROM messages WHERE id = ? AND conversation = ?", (change.answer, change.conversation)
    ).fetchone()
    return found is not None


def _fits(db: sqlite3.Connection, change: AnswerGiven) -> bool:
    """The position is the next one, and the message has no answer yet."""
    row: tuple[int, int] = db.execute(
        """
        SELECT last_position, EXISTS (SELECT 1 FROM messages WHERE answers = ?)
        FROM conversations WHERE id = ?
        """,
        (change.message, change.conversation),
    ).fetchone()
    last, answered = row
    return change.position == last + 1 and not answered


def _store_answer(db: sqlite3.Connection, change: AnswerGiven) -> None:
    stored = next_number(db)
    db.execute(
        """
        INSERT INTO messages
            (stored, id, user_id, companion, conversation, position, role, text, at, status, settled, source,
             answers, response, intent, narrative, model, processing_ms, prompt_tokens, completion_tokens,
             tool_calls)
        VALUES (?, ?, ?, ?, ?, ?, 'assistant', ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            stored,
            change.answer,
            change.user,
            change.companion,
            change.conversation,
            change.position,
            change.text,
            change.at,
            change.status,
            change.source,
            change.message,
            change.response,
            change.intent,
            change.narrative.narrative if change.narrative else None,
            change.model,
            change.processing_ms,
            change.prompt_tokens,
            change.completion_tokens,
            blob_of(change.tool_calls),
        ),
    )
    assert change.position is not None  # ``_fits`` compared it
    _grown(db, change, stored, change.position, said=0)


def remove_replaced(db: sqlite3.Connection, change: AnswerGiven, first: int) -> None:
    """Turn every message from ``first`` to where the answer replaces, but the one it answers, into a tombstone."""
    gone: list[tuple[str]] = db.execute(
        """
        SELECT id FROM messages
        WHERE conversation = ?1 AND position >= ?2 AND position <= COALESCE(?3, position) AND removed = 0
            AND id <> ?4
        """,
        (change.conversation, first, change.replaces_to, change.message),
    ).fetchall()
    if gone:
        remove(db, change, change.conversation, [id_ for (id_,) in gone])
