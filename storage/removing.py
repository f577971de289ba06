"""Removing messages undoes what they caused: no word of them is left in any row, and no job that read them lands.

A message leaves its position and its id. What was derived from it goes at once: its neighbours' full text (written
again without it), what was read in it, summaries and extracts that covered it, the title where it was made of it.
"""

import sqlite3
from collections.abc import Sequence

from companions.changes import (
    Change,
    ConversationDeleted,
    Landed,
    MessagesRemoved,
    Outcome,
    Refused,
)
from memory.text import folded
from memory.titles import preview_of, title_of
from storage.erased import Erased, note
from storage.facts_removed import facts_without
from storage.fulltext import forget_from
from storage.jobs import requeue_jobs

UNKNOWN = Refused("conversation.unknown")
MOST_LOOKED_FOR = 2_000  # texts; those of a longer talk lie on pages of their own by then

_DERIVED = (
    "DELETE FROM emotions WHERE message = ?",
    "DELETE FROM repetitions WHERE message = ?",
    "DELETE FROM narrative_uses WHERE answer = ?",
    "DELETE FROM anchors WHERE message = ?",
    "DELETE FROM memory_uses WHERE answer = ?",
    "DELETE FROM statements WHERE message = ?",
    "DELETE FROM feedback WHERE answer = ?",
    "UPDATE commands SET digest = NULL WHERE message = ?",
    "DELETE FROM vectors WHERE stored = (SELECT stored FROM messages WHERE id = ?)",
)


def messages_removed(db: sqlite3.Connection, change: MessagesRemoved) -> Outcome:
    """The messages named and the answers to them go. Those that went before change nothing."""
    if not _owned(db, change):
        return UNKNOWN
    gone = with_answers(db, change.conversation, change.messages)
    if not gone:
        return Landed()
    remove(db, change, change.conversation, gone)
    return Landed()


def _owned(db: sqlite3.Connection, change: MessagesRemoved | ConversationDeleted) -> bool:
    row = db.execute(
        "SELECT 1 FROM conversations WHERE id = ? AND user_id = ? AND companion = ?",
        (change.conversation, change.user, change.companion),
    ).fetchone()
    return row is not None


def with_answers(db: sqlite3.Connection, conversation: str, messages: Sequence[str]) -> tuple[str, ...]:
    """Those of ``messages`` that are there, each with the answer to it: an answer tells what was asked."""
    found: list[str] = []
    for message in messages:
        rows: list[tuple[str]] = db.execute(
            """
            SELECT id FROM messages WHERE conversation = ? AND removed = 0 AND (id = ? OR answers = ?)
            ORDER BY position
            """,
            (conversation, message, message),
        ).fetchall()
        found += [id_ for (id_,) in rows if id_ not in found]
    return tuple(found)


def resting_on(
    db: sqlite3.Connection, *, user: str, companion: str, messages: Sequence[str]
) -> tuple[str, ...]:
    """Facts that have no source but ``messages``, and summaries that read one of them: what goes with them."""
    found: dict[str, None] = {}
    for message in messages:
        rows: list[tuple[str]] = db.execute(
            """
            SELECT fact FROM fact_sources WHERE message = ?1 AND user_id = ?2 AND companion = ?3
            UNION ALL
            SELECT s.id FROM messages m JOIN summaries s ON s.conversation = m.conversation
            WHERE m.id = ?1 AND s.covers_last >= m.position
            """,
            (message, user, companion),
        ).fetchall()
        found |= {id_: None for (id_,) in rows if id_ not in found and not _grounded(db, id_, messages)}
    return tuple(found)


def _grounded(db: sqlite3.Connection, fact: str, without: Sequence[str]) -> bool:
    """Whether a fact has a source besides ``without``."""
    rows: list[tuple[str | None]] = db.execute(
        "SELECT message FROM fact_sources WHERE fact = ?", (fact,)
    ).fetchall()
    return any(message not in without for (message,) in rows)


def texts_of(
    db: sqlite3.Connection, conversation: str, messages: Sequence[str] | None = None
) -> tuple[str, ...]:
    """The texts of messages about to go (all of the conversation's, unless named), to look for them later."""
    rows: list[tuple[str, str]] = db.execute(
        "SELECT id, text FROM messages WHERE conversation = ? AND removed = 0 ORDER BY position LIMIT ?",
        (conversation, MOST_LOOKED_FOR),
    ).fetchall()
    return tuple(text for id_, text in rows if messages is None or id_ in messages)


def remove(db: sqlite3.Connection, change: Change, conversation: str, gone: Sequence[str]) -> None:
    """Turn the messages ``gone`` of a conversation into tombstones and withdraw what was made of them."""
    undo(db, change, gone)
    rows = [_place(db, conversation, id_) for id_ in gone]
    first = min(position for position, _ in rows)
    forget_from(db, conversation, first)
    for id_ in gone:
        _bury(db, id_)
    said = sum(role == "user" for _, role in rows)
    (revision,) = db.execute(
        """
        UPDATE conversations SET revision = revision + 1, message_count = message_count - ?,
            user_message_count = user_message_count - ? WHERE id = ? RETURNING revision
        """,
        (len(gone), said, conversation),
    ).fetchone()
    _withdraw(db, conversation, first)
    requeue_jobs(db, conversation, revision)
    _name_again(db, conversation)
    places = tuple((id_, position) for id_, (position, _) in zip(gone, rows, strict=True))
    note(
        db,
        Erased(
            at=change.at,
            user=change.user,
            companion=change.companion,
            conversation=conversation,
            messages=places,
        ),
    )


def undo(db: sqlite3.Connection, change: Change, messages: Sequence[str]) -> None:
    """What is remembered loses ``messages`` as sources; no kept result of a command quotes what goes with them."""
    withdraw_results(db, change, facts_without(db, change, messages))


def withdraw_results(db: sqlite3.Connection, change: Change, items: Sequence[str]) -> None:
    """Commands that made or told of ``items`` keep their ids, and neither their content nor its digest."""
    for item in items:
        db.execute(
            """
            UPDATE commands SET digest = NULL, result = NULL
            WHERE user_id = ? AND companion = ? AND result IS NOT NULL AND instr(result, ?) > 0
            """,
            (change.user, change.companion, item.encode()),
        )


def _place(db: sqlite3.Connection, conversation: str, id_: str) -> tuple[int, str]:
    row: tuple[int, str] = db.execute(
        "SELECT position, role FROM messages WHERE id = ? AND conversation = ?", (id_, conversation)
    ).fetchone()
    return row


def _bury(db: sqlite3.Connection, id_: str) -> None:
    db.execute(
        """
        UPDATE repetitions SET response_given = NULL
        WHERE message = (SELECT answers FROM messages WHERE id = ?)
        """,
        (id_,),
    )
    db.execute("DELETE FROM open_responses WHERE message = ?", (id_,))
    db.execute(
        """
        UPDATE messages SET removed = 1, settled = 1, text = NULL, source = NULL, answers = NULL,
            response = NULL, intent = NULL, narrative = NULL, context = NULL, model = NULL,
            processing_ms = NULL, prompt_tokens = NULL, completion_tokens = NULL, tool_calls = NULL
        WHERE id = ?
        """,
        (id_,),
    )
    for statement in _DERIVED:
        db.execute(statement, (id_,))


def _withdraw(db: sqlite3.Connection, conversation: str, first: int) -> None:
    """Summaries that read a removed position, or were built on one that did, and everything extracted."""
    db.execute("DELETE FROM summaries WHERE conversation = ? AND covers_last >= ?", (conversation, first))
    db.execute("DELETE FROM extracts WHERE conversation = ?", (conversation,))
    db.execute("DELETE FROM learnings WHERE conversation = ?", (conversation,))
    db.execute("DELETE FROM parent_notes WHERE conversation = ?", (conversation,))
    db.execute(
        """
        UPDATE conversations SET dominant_emotion = (SELECT emotion FROM emotions WHERE conversation = ?1
            GROUP BY emotion ORDER BY COUNT(*) DESC, MAX(stored) DESC LIMIT 1)
        WHERE id = ?1 AND closed IS NOT NULL
        """,
        (conversation,),
    )


def _name_again(db: sqlite3.Connection, conversation: str) -> None:
    """A title and a preview that were made of a removed message are made of what is there now."""
    row: tuple[str] | None = db.execute(
        """
        SELECT text FROM messages WHERE conversation = ? AND role = 'user' AND removed = 0
        ORDER BY position LIMIT 1
        """,
        (conversation,),
    ).fetchone()
    text = row[0] if row is not None else ""
    title = title_of(text)
    db.execute("UPDATE conversations SET preview = ? WHERE id = ?", (preview_of(text), conversation))
    db.execute(
        "UPDATE conversations SET title = ?, title_folded = ? WHERE id = ? AND title_given = 0",
        (title, folded(title), conversation),
    )


def conversation_deleted(db: sqlite3.Connection, change: ConversationDeleted) -> Outcome:
    """The conversation and all that is its own goes; the ids of its commands stay taken, without content."""
    if not _owned(db, change):
        return UNKNOWN
    said: list[tuple[str]] = db.execute(
        "SELECT id FROM messages WHERE conversation = ? AND removed = 0", (change.conversation,)
    ).fetchall()
    undo(db, change, [id_ for (id_,) in said])
    erase_conversation(db, change.conversation)
    erased = Erased(
        at=change.at, user=change.user, companion=change.companion, conversations=(change.conversation,)
    )
    note(db, erased)
    return Landed()


def erase_conversation(db: sqlite3.Connection, conversation: str) -> None:
    """Everything that is a conversation's own."""
    gone = (conversation,)
    forget_from(db, conversation, 0)
    db.execute(
        """
        UPDATE commands SET digest = NULL, result = NULL WHERE message IN
            (SELECT id FROM messages WHERE conversation = ?)
        """,
        gone,
    )
    db.execute("UPDATE check_ins SET conversation = NULL WHERE conversation = ?", gone)
    db.execute("UPDATE alerts SET conversation = NULL, message = NULL WHERE conversation = ?", gone)
    db.execute("UPDATE sessions SET conversation = NULL WHERE conversation = ?", gone)
    db.execute(
        """
        UPDATE users SET active_conversation = NULL WHERE active_conversation = ?1 AND (user_id, companion) =
            (SELECT user_id, companion FROM conversations WHERE id = ?1)
        """,
        gone,
    )
    db.execute("DELETE FROM conversations WHERE id = ?", gone)
