"""Conversations: listed without reading a message, opened, named, put away, closed, removed."""

import base64
import binascii
import sqlite3
from typing import TypeAlias

import msgspec

from companions.changes import (
    CloseReason,
    ConversationArchived,
    ConversationClosed,
    ConversationOpened,
    ConversationRenamed,
    JobsQueued,
    Landed,
    Outcome,
    Refused,
)
from memory.text import folded
from storage.jobs import queue_jobs
from storage.order import newest_time, next_number
from storage.rows import Row

UNKNOWN = Refused("conversation.unknown")
MOST_LISTED = 200

AboutOne: TypeAlias = (
    ConversationClosed | ConversationOpened | ConversationRenamed | ConversationArchived | JobsQueued
)


class BadCursor(ValueError):
    """The cursor is not one that a listing gave."""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation as a list shows it. Times are milliseconds since 1970 in UTC."""

    id: str
    companion: str
    title: str
    preview: str
    message_count: int
    created_at: int
    updated_at: int
    archived: bool
    open: bool
    session_type: str
    parent_mode: bool


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """One page of a list; ``next`` continues it, None ends it."""

    conversations: tuple[Listed, ...]
    next: str | None


class Conversation(Listed, frozen=True, kw_only=True):
    """A conversation with all that is known of it beside its messages."""

    title_given: bool
    message_limit: int
    schema_version: int
    last_position: int
    user_message_count: int
    revision: int
    closed_at: int | None
    close_reason: CloseReason | None
    dominant_emotion: str | None
    escalated: bool
    first_request: str | None


class Metrics(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a conversation (wellness document, Conversation): moods come from check-ins, 1 to 10."""

    message_count: int
    user_message_count: int
    average_response_ms: float | None
    mood_at_start: int | None
    mood_at_end: int | None


_LISTED = """id, companion, title, preview, message_count, created_at, updated_at, archived, closed IS NULL,
    session_type, parent_mode"""
_WHOLE = f"""{_LISTED}, title_given, message_limit, schema_version, last_position, user_message_count,
    revision, closed_at, close_reason, dominant_emotion, escalated,
    (SELECT text FROM messages m WHERE m.conversation = c.id AND m.role = 'user' AND m.removed = 0
     ORDER BY m.position LIMIT 1)"""  # noqa: S608  # constants of ours


def list_conversations(
    db: sqlite3.Connection,
    *,
    user: str,
    companion: str | None = None,
    archived: bool = False,
    query: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Listing:
    """A page of a person's conversations, the one with the newest message first; no message is read.

    ``query`` is looked for in titles, in any case, as it stands. Raises ``BadCursor``.
    """
    limit = max(1, min(limit, MOST_LISTED))
    where = "user_id = ? AND archived = ? AND activity < ?"
    values: list[str | int] = [user, archived, _place(cursor)]
    if companion is not None:
        where = "user_id = ? AND companion = ? AND archived = ? AND activity < ?"
        values.insert(1, companion)
    if query and (sought := folded(query)):
        where += " AND instr(title_folded, ?) > 0"
        values.append(sought)
    rows: list[Row] = db.execute(
        f"SELECT {_LISTED}, activity FROM conversations WHERE {where} ORDER BY activity DESC LIMIT ?",  # noqa: S608  # constants of ours
        (*values, limit + 1),
    ).fetchall()
    more = len(rows) > limit
    return Listing(
        conversations=tuple(_listed(row) for row in rows[:limit]),
        next=_cursor(rows[limit - 1][-1]) if more else None,
    )


def _cursor(activity: int) -> str:
    return base64.urlsafe_b64encode(b"a%d" % activity).decode().rstrip("=")


def _place(cursor: str | None) -> int:
    if cursor is None:
        return 2**62
    try:
        said = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise BadCursor("not a cursor") from None
    if not (said.startswith(b"a") and said[1:].isdigit() and len(said) <= 19):  # 18 digits fit the store
        raise BadCursor("not a cursor")
    return int(said[1:])


def _listed(row: Row) -> Listed:
    return Listed(
        id=row[0],
        companion=row[1],
        title=row[2],
        preview=row[3],
        message_count=row[4],
        created_at=row[5],
        updated_at=row[6],
        archived=bool(row[7]),
        open=bool(row[8]),
        session_type=row[9],
        parent_mode=bool(row[10]),
    )


def conversation(db: sqlite3.Connection, *, user: str, id: str) -> Conversation | None:  # noqa: A002  # the wire's word
    """One conversation of this user; None for an unknown one and for another's alike."""
    row: Row | None = db.execute(
        f"SELECT {_WHOLE} FROM conversations c WHERE id = ? AND user_id = ?",  # noqa: S608  # constants of ours
        (id, user),
    ).fetchone()
    if row is None:
        return None
    listed = _listed(row)
    return Conversation(
        **msgspec.structs.asdict(listed),
        title_given=bool(row[11]),
        message_limit=row[12],
        schema_version=row[13],
        last_position=row[14],
        user_message_count=row[15],
        revision=row[16],
        closed_at=row[17],
        close_reason=row[18],
        dominant_emotion=row[19],
        escalated=bool(row[20]),
        first_request=row[21],
    )


def last_conversation(db: sqlite3.Connection, *, user: str, companion: str) -> Conversation | None:
    """The conversation this person was in, open or closed, archived ones left out.

    That is the one turned to last, or where it is gone the one with the newest message.
    """
    row = db.execute(
        """
        SELECT c.id FROM users u JOIN conversations c ON c.id = u.active_conversation
        WHERE u.user_id = ? AND u.companion = ? AND c.archived = 0
        """,
        (user, companion),
    ).fetchone()
    if row is None:
        row = db.execute(
            """
            SELECT id FROM conversations WHERE user_id = ? AND companion = ? AND archived = 0
            ORDER BY activity DESC LIMIT 1
            """,
            (user, companion),
        ).fetchone()
    return None if row is None else conversation(db, user=user, id=row[0])


class OpenConversation(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation that has not ended."""

    id: str
    user: str
    companion: str
    last_position: int
    parent_mode: bool


def open_conversations(db: sqlite3.Connection, limit: int = 10_000) -> tuple[OpenConversation, ...]:
    """The conversations that have not ended, the least lately active first."""
    rows: list[Row] = db.execute(
        """
        SELECT id, user_id, companion, last_position, parent_mode FROM conversations
        WHERE closed IS NULL ORDER BY activity LIMIT ?
        """,
        (limit,),
    ).fetchall()
    return tuple(
        OpenConversation(
            id=row[0], user=row[1], companion=row[2], last_position=row[3], parent_mode=bool(row[4])
        )
        for row in rows
    )


def metrics(db: sqlite3.Connection, *, user: str, conversation: str) -> Metrics | None:
    """The figures of a conversation; the response time is the mean over the answers given."""
    row: Row | None = db.execute(
        """
        SELECT message_count, user_message_count,
            (SELECT AVG(processing_ms) FROM messages m WHERE m.conversation = c.id),
            (SELECT mood FROM check_ins i WHERE i.conversation = c.id AND mood IS NOT NULL
             ORDER BY stored LIMIT 1),
            (SELECT mood FROM check_ins i WHERE i.conversation = c.id AND mood IS NOT NULL
             ORDER BY stored DESC LIMIT 1)
        FROM conversations c WHERE id = ? AND user_id = ?
        """,
        (conversation, user),
    ).fetchone()
    if row is None:
        return None
    return Metrics(
        message_count=row[0],
        user_message_count=row[1],
        average_response_ms=row[2],
        mood_at_start=row[3],
        mood_at_end=row[4],
    )


def archived_before(db: sqlite3.Connection, at: int, limit: int = 100) -> tuple[tuple[str, str, str], ...]:
    """(user, companion, conversation) of what was put away before ``at``, for a purge, oldest first."""
    rows: list[tuple[str, str, str]] = db.execute(
        """
        SELECT user_id, companion, id FROM conversations WHERE archived = 1 AND archived_at < ?
        ORDER BY archived_at LIMIT ?
        """,
        (at, limit),
    ).fetchall()
    return tuple(rows)


def _owned(db: sqlite3.Connection, change: AboutOne) -> Row | None:
    row: Row | None = db.execute(
        "SELECT closed, revision FROM conversations WHERE id = ? AND user_id = ? AND companion = ?",
        (change.conversation, change.user, change.companion),
    ).fetchone()
    return row


def conversation_closed(db: sqlite3.Connection, change: ConversationClosed) -> Outcome:
    """The end, with its jobs; the emotion most often felt is worked out here, once. A second end is none."""
    row = _owned(db, change)
    if row is None:
        return UNKNOWN
    closed, revision = row
    if closed is not None:
        return Landed()
    db.execute(
        """
        UPDATE conversations SET closed = ?2, closed_at = ?3, close_reason = ?4,
            dominant_emotion = (SELECT emotion FROM emotions WHERE conversation = ?1
                                GROUP BY emotion ORDER BY COUNT(*) DESC, MAX(stored) DESC LIMIT 1),
            escalated = escalated OR EXISTS
                (SELECT 1 FROM emotions WHERE conversation = ?1 AND crisis_category IS NOT NULL)
        WHERE id = ?1
        """,
        (change.conversation, next_number(db), change.at, change.reason),
    )
    if any(job.kind == "summary" for job in change.jobs):  # which says all that a partial one would
        db.execute(
            "DELETE FROM jobs WHERE conversation = ? AND kind = 'partial' AND state = 'waiting'",
            (change.conversation,),
        )
    queue_jobs(db, change, change.jobs, revision)
    return Landed()


def conversation_opened(db: sqlite3.Connection, change: ConversationOpened) -> Outcome:
    """The conversation to come back to."""
    if _owned(db, change) is None:
        return UNKNOWN
    db.execute(
        "UPDATE users SET active_conversation = ? WHERE user_id = ? AND companion = ?",
        (change.conversation, change.user, change.companion),
    )
    return Landed()


def conversation_renamed(db: sqlite3.Connection, change: ConversationRenamed) -> Outcome:
    """A title given by the person."""
    if _owned(db, change) is None:
        return UNKNOWN
    db.execute(
        "UPDATE conversations SET title = ?, title_folded = ?, title_given = 1 WHERE id = ?",
        (change.title, folded(change.title), change.conversation),
    )
    return Landed()


def conversation_archived(db: sqlite3.Connection, change: ConversationArchived) -> Outcome:
    """Put away, or brought back. A second time changes nothing, not even the date.

    A clock that went back dates nothing before what is stored: what is put away today is not old tomorrow (D6).
    """
    if _owned(db, change) is None:
        return UNKNOWN
    db.execute(
        "UPDATE conversations SET archived = ?, archived_at = ? WHERE id = ? AND archived <> ?",
        (
            change.archived,
            max(change.at, newest_time(db)) if change.archived else None,
            change.conversation,
            change.archived,
        ),
    )
    return Landed()


def jobs_queued(db: sqlite3.Connection, change: JobsQueued) -> Outcome:
    """Work on a conversation, open or closed, as it stands now."""
    row = _owned(db, change)
    if row is None:
        return UNKNOWN
    queue_jobs(db, change, change.jobs, row[1])
    return Landed()
