"""What is known of a person beside their talks: profile, check-ins, settings, status; alerts and feedback."""

import sqlite3
from typing import Literal

import msgspec

from companions.changes import (
    AlertRaised,
    FeedbackGiven,
    Landed,
    MoodCheckedIn,
    Outcome,
    ProfileSet,
    Refused,
    SettingSet,
    UserStatus,
    UserStatusSet,
)
from storage.order import next_number
from storage.rows import Row, acquainted, blob_of, json_of, names_of, raw_of


class User(msgspec.Struct, frozen=True, kw_only=True):
    """A person as one companion knows them. Times are milliseconds since 1970 in UTC."""

    user: str
    companion: str
    status: UserStatus
    created_at: int
    last_active_at: int


class CheckIn(msgspec.Struct, frozen=True, kw_only=True):
    """How somebody said they were: 1 to 10 each, None where it was left out."""

    id: str
    at: int
    conversation: str | None
    mood: int | None
    sleep: int | None
    anxiety: int | None
    stressors: tuple[str, ...]
    wins: tuple[str, ...]


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody should look; ``recipients`` are the roles to whom it is safe to say so."""

    id: str
    at: int
    conversation: str | None
    message: str | None
    category: str
    level: int
    recipients: tuple[str, ...]


class Feedback(msgspec.Struct, frozen=True, kw_only=True):
    """What a person thought of an answer, or did with it."""

    value: int | None
    action: Literal["inserted", "copied"] | None


def user_status_set(db: sqlite3.Connection, change: UserStatusSet) -> Outcome:
    """Active, inactive or archived."""
    acquainted(db, change)
    db.execute(
        "UPDATE users SET status = ? WHERE user_id = ? AND companion = ?",
        (change.status, change.user, change.companion),
    )
    return Landed()


def user(db: sqlite3.Connection, *, user: str, companion: str) -> User | None:
    """A person, if this companion has met them."""
    row: Row | None = db.execute(
        """
        SELECT user_id, companion, status, created_at, last_active_at FROM users
        WHERE user_id = ? AND companion = ?
        """,
        (user, companion),
    ).fetchone()
    if row is None:
        return None
    return User(user=row[0], companion=row[1], status=row[2], created_at=row[3], last_active_at=row[4])


def profile_set(db: sqlite3.Connection, change: ProfileSet) -> Outcome:
    """The whole profile, in place of the one before."""
    acquainted(db, change)
    db.execute(
        """
        INSERT INTO profiles VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET profile = excluded.profile, at = excluded.at
        """,
        (change.user, change.companion, blob_of(change.profile), change.at),
    )
    return Landed()


def profile(db: sqlite3.Connection, *, user: str, companion: str) -> msgspec.Raw | None:
    """The profile as it was set."""
    row: Row | None = db.execute(
        "SELECT profile FROM profiles WHERE user_id = ? AND companion = ?", (user, companion)
    ).fetchone()
    return None if row is None else raw_of(row[0])


def mood_checked_in(db: sqlite3.Connection, change: MoodCheckedIn) -> Outcome:
    """A check-in; the same one again changes nothing."""
    acquainted(db, change)
    db.execute(
        "INSERT INTO check_ins VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
        (
            change.check_in,
            change.user,
            change.companion,
            change.conversation,
            next_number(db),
            change.at,
            change.mood,
            change.sleep,
            change.anxiety,
            json_of(change.stressors),
            json_of(change.wins),
        ),
    )
    return Landed()


def check_ins(db: sqlite3.Connection, *, user: str, companion: str, limit: int) -> tuple[CheckIn, ...]:
    """The last ``limit`` check-ins, oldest first."""
    rows: list[Row] = db.execute(
        """
        SELECT id, at, conversation, mood, sleep, anxiety, stressors, wins FROM check_ins
        WHERE user_id = ? AND companion = ? ORDER BY stored DESC LIMIT ?
        """,
        (user, companion, limit),
    ).fetchall()
    return tuple(
        CheckIn(
            id=row[0],
            at=row[1],
            conversation=row[2],
            mood=row[3],
            sleep=row[4],
            anxiety=row[5],
            stressors=names_of(row[6]),
            wins=names_of(row[7]),
        )
        for row in reversed(rows)
    )


def last_check_in(db: sqlite3.Connection, *, user: str, companion: str) -> CheckIn | None:
    """The newest check-in."""
    found = check_ins(db, user=user, companion=companion, limit=1)
    return found[0] if found else None


def setting_set(db: sqlite3.Connection, change: SettingSet) -> Outcome:
    """A setting, or its removal."""
    acquainted(db, change)
    owner = (change.user, change.companion, change.key)
    if change.value is None:
        db.execute("DELETE FROM settings WHERE user_id = ? AND companion = ? AND key = ?", owner)
    else:
        db.execute(
            "INSERT INTO settings VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
            (*owner, change.value, change.at),
        )
    return Landed()


def settings(db: sqlite3.Connection, *, user: str, companion: str) -> dict[str, str]:
    """All settings of a person for a companion."""
    rows: list[tuple[str, str]] = db.execute(
        "SELECT key, value FROM settings WHERE user_id = ? AND companion = ?", (user, companion)
    ).fetchall()
    return dict(rows)


def alert_raised(db: sqlite3.Connection, change: AlertRaised) -> Outcome:
    """An alert, and the mark on its conversation."""
    acquainted(db, change)
    db.execute(
        "INSERT INTO alerts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT (id) DO NOTHING",
        (
            change.alert,
            change.user,
            change.companion,
            change.conversation,
            change.message,
            next_number(db),
            change.at,
            change.category,
            change.level,
            json_of(change.recipients),
        ),
    )
    db.execute(
        "UPDATE conversations SET escalated = 1 WHERE id = ? AND user_id = ? AND companion = ?",
        (change.conversation, change.user, change.companion),
    )
    return Landed()


def alerts(db: sqlite3.Connection, *, user: str, companion: str, limit: int) -> tuple[Alert, ...]:
    """The last ``limit`` alerts about a person, oldest first; who may see which is decided by the asker."""
    rows: list[Row] = db.execute(
        """
        SELECT id, at, conversation, message, category, level, recipients FROM alerts
        WHERE user_id = ? AND companion = ? ORDER BY stored DESC LIMIT ?
        """,
        (user, companion, limit),
    ).fetchall()
    return tuple(
        Alert(
            id=row[0],
            at=row[1],
            conversation=row[2],
            message=row[3],
            category=row[4],
            level=row[5],
            recipients=names_of(row[6]),
        )
        for row in reversed(rows)
    )


def feedback_given(db: sqlite3.Connection, change: FeedbackGiven) -> Outcome:
    """What was thought and what was done add up; each keeps its newest word."""
    row: Row | None = db.execute(
        "SELECT id FROM messages WHERE response = ? AND user_id = ? AND companion = ?",
        (change.response, change.user, change.companion),
    ).fetchone()
    if row is None:
        return Refused("conversation.unknown")
    db.execute(
        """
        INSERT INTO feedback VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (response) DO UPDATE SET
            value = COALESCE(excluded.value, value), action = COALESCE(excluded.action, action),
            at = excluded.at
        """,
        (change.response, row[0], change.user, change.companion, change.value, change.action, change.at),
    )
    return Landed()


def feedback(db: sqlite3.Connection, *, user: str, response: str) -> Feedback | None:
    """What was said about an answer."""
    row: Row | None = db.execute(
        "SELECT value, action FROM feedback WHERE response = ? AND user_id = ?", (response, user)
    ).fetchone()
    return None if row is None else Feedback(value=row[0], action=row[1])
