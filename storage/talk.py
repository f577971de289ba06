"""Everything a session needs to go on with a conversation, in one go and from this conversation alone."""

import sqlite3

import msgspec

from companions.changes import EmotionRow, NarrativeUse, RepetitionRow
from memory.messages import Message
from storage.conversations import Conversation, conversation
from storage.messages import history
from storage.readings import anchors_in, emotions_in, narratives_in, repetitions_in
from storage.rows import MESSAGE_COLUMNS, Row, message_of
from storage.summaries import Summary, summary_of
from storage.timeline import PRIVATE

EMOTIONS = 10
UNANSWERED = 20


class OpenResponse(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that was under way when it was last written down."""

    response: str
    message: str
    answer: str
    text: str


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a talk. Everything is oldest first.

    ``messages`` are the last ones, ``unanswered`` those of the person that nothing was said to, each whole. ``unread``
    are the last of the person's of which no reading is stored: nothing was said to them yet, or a crash cut that off.
    ``withheld``: something was read in it that family is not told of, or a message of the person was removed.
    """

    conversation: Conversation
    messages: tuple[Message, ...]
    emotions: tuple[EmotionRow, ...]
    repetitions: tuple[RepetitionRow, ...]
    narratives: tuple[NarrativeUse, ...]
    anchors: tuple[str, ...]
    unanswered: tuple[Message, ...]
    open_response: OpenResponse | None
    summary: Summary | None
    unread: tuple[Message, ...] = ()
    withheld: bool = False


def load_talk(
    db: sqlite3.Connection, *, user: str, conversation_id: str, messages: int = 50
) -> Loaded | None:
    """A conversation of this user with its last ``messages``; None for an unknown one and for another's."""
    found = conversation(db, user=user, id=conversation_id)
    if found is None:
        return None
    return Loaded(
        conversation=found,
        messages=history(db, user=user, conversation=conversation_id, limit=messages),
        emotions=emotions_in(db, conversation_id, EMOTIONS),
        repetitions=repetitions_in(db, conversation_id),
        narratives=narratives_in(db, conversation_id),
        anchors=anchors_in(db, conversation_id),
        unanswered=_unanswered(db, conversation_id),
        open_response=_open_response(db, conversation_id),
        summary=summary_of(db, user=user, conversation=conversation_id),
        unread=_unread(db, conversation_id),
        withheld=_withheld(db, conversation_id),
    )


def _withheld(db: sqlite3.Connection, conversation_id: str) -> bool:
    (found,) = db.execute(
        f"""
        SELECT EXISTS (SELECT 1 FROM emotions WHERE conversation = ?1 AND crisis_category IN {PRIVATE})
            OR ((SELECT revision FROM conversations WHERE id = ?1) > 0
                AND EXISTS (SELECT 1 FROM messages WHERE conversation = ?1 AND role = 'user' AND removed = 1))
        """,  # noqa: S608  # a constant of ours
        (conversation_id,),
    ).fetchone()
    return bool(found)


def _unread(db: sqlite3.Connection, conversation_id: str) -> tuple[Message, ...]:
    rows: list[Row] = db.execute(
        f"""
        SELECT {MESSAGE_COLUMNS} FROM messages m WHERE conversation = ? AND role = 'user' AND removed = 0
            AND NOT EXISTS (SELECT 1 FROM emotions e WHERE e.message = m.id)
        ORDER BY position DESC LIMIT ?
        """,  # noqa: S608  # the columns are a constant of ours
        (conversation_id, UNANSWERED),
    ).fetchall()
    return tuple(message_of(row) for row in reversed(rows))


def _unanswered(db: sqlite3.Connection, conversation_id: str) -> tuple[Message, ...]:
    rows: list[Row] = db.execute(
        f"""
        SELECT {MESSAGE_COLUMNS} FROM messages WHERE conversation = ? AND settled = 0
        ORDER BY position DESC LIMIT ?
        """,  # noqa: S608  # the columns are a constant of ours
        (conversation_id, UNANSWERED),
    ).fetchall()
    return tuple(message_of(row) for row in reversed(rows))


def _open_response(db: sqlite3.Connection, conversation_id: str) -> OpenResponse | None:
    row: Row | None = db.execute(
        "SELECT response, message, answer, text FROM open_responses WHERE conversation = ? LIMIT 1",
        (conversation_id,),
    ).fetchone()
    return None if row is None else OpenResponse(response=row[0], message=row[1], answer=row[2], text=row[3])
