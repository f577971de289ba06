"""Sessions, as far as a later connection may continue them: their id space and their conversation."""

import sqlite3

import msgspec

from companions.changes import Change, Landed, Outcome, SessionContinued


class Continued(msgspec.Struct, frozen=True, kw_only=True):
    """What a session leaves to the one that resumes it."""

    companion: str
    space: str
    conversation: str | None


def session_left(db: sqlite3.Connection, *, user: str, session: str) -> Continued | None:
    """The id space and the conversation of an earlier session of this user, None for another's."""
    row = db.execute(
        "SELECT companion, space, conversation FROM sessions WHERE session = ? AND user_id = ?",
        (session, user),
    ).fetchone()
    if row is None:  # it was in no conversation, but may have had commands
        row = db.execute(
            "SELECT companion, space, NULL FROM commands WHERE space = ? AND user_id = ? LIMIT 1",
            (session, user),
        ).fetchone()
    return None if row is None else Continued(companion=row[0], space=row[1], conversation=row[2])


def session_seen(
    db: sqlite3.Connection, change: Change, session: str, space: str, conversation: str | None
) -> None:
    """The session is in this conversation now; a row is only written when that is news."""
    db.execute(
        """
        INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET conversation = excluded.conversation, space = excluded.space
        WHERE user_id = excluded.user_id
            AND (conversation, space) IS NOT (excluded.conversation, excluded.space)
        """,
        (session, change.user, change.companion, space, conversation, change.at),
    )


def session_continued(db: sqlite3.Connection, change: SessionContinued) -> Outcome:
    """A session took over the id space of an earlier one before it said anything."""
    session_seen(db, change, change.session, change.space, change.conversation)
    return Landed()
