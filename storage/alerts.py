"""Alerts as those see them who are told: which are open, who looks after each, and what was released of them.

The row is written with the crisis itself, before anybody is told of it, so that what nobody acknowledged is found
again after whatever happened in between.
"""

import sqlite3

import msgspec

from companions.alerting import tells
from companions.care_changes import AlertAcknowledged, AlertReleased
from companions.changes import Landed, Outcome, Refused
from companions.consenting import family
from storage.consents import believed
from storage.erased import Erased, note
from storage.grants import Grant
from storage.order import next_number
from storage.rows import Row, names_of

UNKNOWN = Refused("memory.unknown")
MOST_OPEN = 200


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who looks after an alert."""

    name: str
    at: int


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """An alert as it stands for one role; ``number`` orders."""

    number: int
    id: str
    companion: str
    category: str
    level: int
    at: int
    marks: tuple[Mark, ...]
    released: bool


def alerts_told(
    db: sqlite3.Connection,
    grant: Grant,
    *,
    companion: str | None = None,
    only_open: bool = False,
    since: int | None = None,
    until: int | None = None,
    category: str | None = None,
    before: int | None = None,
    limit: int = MOST_OPEN,
) -> tuple[Standing, ...]:
    """The alerts that the holder of ``grant`` is told, the latest first.

    ``companion``: those of its family alone. ``only_open``: those that nobody in the same role has acknowledged.
    """
    wanted = grant.companion if companion is None else family(companion)
    members = f"{family(wanted)}/"
    exact = companion is None and "/" in wanted
    rows: list[Row] = db.execute(
        """
        SELECT a.stored, a.id, a.companion, a.category, a.level, a.at, a.recipients,
            EXISTS (SELECT 1 FROM releases r WHERE r.message = a.message AND r.ended_at IS NULL)
        FROM alerts a WHERE a.user_id = ?1
            AND (?2 = '' OR a.companion = ?2 OR (NOT ?3 AND substr(a.companion, 1, ?4) = ?5))
            AND instr(a.recipients, ?12) > 0
            AND (?6 = 'safeguarding' OR a.category <> 'abuse')
            AND (?7 IS NULL OR a.stored < ?7) AND (?8 IS NULL OR a.at >= ?8) AND (?9 IS NULL OR a.at < ?9)
            AND (?10 IS NULL OR a.category = ?10)
            AND (NOT ?11 OR a.raised = 1 AND NOT EXISTS
                (SELECT 1 FROM alert_marks m WHERE m.alert = a.id AND m.role = ?6))
        ORDER BY a.stored DESC LIMIT ?13
        """,
        (
            grant.user,
            wanted,
            exact,
            len(members),
            members,
            grant.role,
            before,
            since,
            until,
            category,
            only_open,
            f'"{grant.role}"',  # recipients are a list of words, as JSON
            limit,
        ),
    ).fetchall()
    return tuple(
        Standing(
            number=row[0],
            id=row[1],
            companion=row[2],
            category=row[3],
            level=row[4],
            at=row[5],
            marks=marks_of(db, row[1], grant.role),
            released=bool(row[7]),
        )
        for row in rows
    )


def marks_of(db: sqlite3.Connection, alert: str, role: str) -> tuple[Mark, ...]:
    """Who in ``role`` looks after an alert, the first one first."""
    rows: list[Row] = db.execute(
        "SELECT name, at FROM alert_marks WHERE alert = ? AND role = ? ORDER BY stored", (alert, role)
    ).fetchall()
    return tuple(Mark(name=row[0], at=row[1]) for row in rows)


def alert_for(db: sqlite3.Connection, grant: Grant, alert: str) -> str | None:
    """The companion of an alert, where the holder of ``grant`` is told of it."""
    row: Row | None = db.execute(
        "SELECT user_id, companion, category, recipients FROM alerts WHERE id = ?", (alert,)
    ).fetchone()
    if row is None or not grant.covers(row[0], row[1]):
        return None
    return str(row[1]) if tells(grant.role, row[2], names_of(row[3])) else None


def alert_acknowledged(db: sqlite3.Connection, change: AlertAcknowledged) -> Outcome:
    """Somebody looks after it; each is noted once."""
    there = db.execute(
        "SELECT 1 FROM alerts WHERE id = ? AND user_id = ? AND companion = ?",
        (change.alert, change.user, change.companion),
    ).fetchone()
    if there is None:
        return UNKNOWN
    db.execute(
        "INSERT INTO alert_marks VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (alert, holder) DO NOTHING",
        (
            change.alert,
            change.grant,
            change.role,
            change.name,
            next_number(db),
            believed(db, change.at),
        ),
    )
    return Landed()


def alert_released(db: sqlite3.Connection, change: AlertReleased) -> Outcome:
    """What an alert is about is released, or kept from family again; the same once more changes nothing."""
    row: Row | None = db.execute(
        """
        SELECT a.message, m.conversation FROM alerts a JOIN messages m ON m.id = a.message
        WHERE a.id = ? AND a.user_id = ? AND a.companion = ? AND m.removed = 0
        """,
        (change.alert, change.user, change.companion),
    ).fetchone()
    if row is None:
        return UNKNOWN
    at = believed(db, change.at)
    if not change.allow:
        _end_release(db, change, row[0], at)
        return Landed()
    db.execute(
        """
        INSERT INTO releases VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)
        ON CONFLICT (message) WHERE ended_at IS NULL DO NOTHING
        """,
        (
            change.release,
            change.user,
            change.companion,
            row[0],
            row[1],
            change.alert,
            change.grant,
            change.name,
            next_number(db),
            at,
        ),
    )
    return Landed()


def _end_release(db: sqlite3.Connection, change: AlertReleased, message: str, at: int) -> None:
    ended: list[tuple[str]] = db.execute(
        "UPDATE releases SET ended_at = ? WHERE message = ? AND ended_at IS NULL RETURNING id", (at, message)
    ).fetchall()
    if ended:  # a copy of the store that comes back does not bring it back
        items = tuple(id_ for (id_,) in ended)
        note(db, Erased(at=at, user=change.user, companion=change.companion, items=items))


def released_in(db: sqlite3.Connection, conversation: str) -> frozenset[str]:
    """The messages of a conversation that may be told to family."""
    rows: list[tuple[str]] = db.execute(
        "SELECT message FROM releases WHERE conversation = ? AND ended_at IS NULL", (conversation,)
    ).fetchall()
    return frozenset(message for (message,) in rows)
