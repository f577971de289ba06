"""Remembering as a whole, for one person and companion: is it on, has it changed, what was changed last."""

import sqlite3
from typing import TypeAlias

import msgspec

from companions.change import Change
from companions.changes import Landed, Outcome, Refused
from companions.fact_changes import MemorySwitched
from storage.order import may_purge, next_number, purged
from storage.rows import acquainted

Stretch: TypeAlias = tuple[int, int | None]
"""From a number of the store's counter to another, or on."""

UNDO_LIFE_MS = 24 * 3_600_000
CONFLICT = Refused("state.conflict")


def switched_off(db: sqlite3.Connection, *, user: str, companion: str) -> tuple[Stretch, ...]:
    """The stretches of the store's counter in which the person had remembering switched off."""
    row: tuple[str] | None = db.execute(
        "SELECT off FROM memories WHERE user_id = ? AND companion = ?", (user, companion)
    ).fetchone()
    return () if row is None else msgspec.json.decode(row[0], type=tuple[Stretch, ...])


def remembering(db: sqlite3.Connection, *, user: str, companion: str) -> bool:
    """Whether anything is remembered now."""
    return all(end is not None for _, end in switched_off(db, user=user, companion=companion))


def memory_revision(db: sqlite3.Connection, *, user: str, companion: str) -> int:
    """Raised by every change of what is remembered (of how often it was used, not)."""
    row: tuple[int] | None = db.execute(
        "SELECT revision FROM memories WHERE user_id = ? AND companion = ?", (user, companion)
    ).fetchone()
    return 0 if row is None else row[0]


def changed(db: sqlite3.Connection, change: Change) -> None:
    """What is remembered is not what it was."""
    _row(db, change)
    db.execute(
        "UPDATE memories SET revision = revision + 1 WHERE user_id = ? AND companion = ?",
        (change.user, change.companion),
    )


def outdated(db: sqlite3.Connection, change: Change, expects: int | None) -> bool:
    """Whether what is remembered has changed since it had the revision ``expects``."""
    if expects is None:
        return False
    return memory_revision(db, user=change.user, companion=change.companion) != expects


def _row(db: sqlite3.Connection, change: Change) -> None:
    acquainted(db, change)
    db.execute(
        "INSERT INTO memories (user_id, companion) VALUES (?, ?) ON CONFLICT DO NOTHING",
        (change.user, change.companion),
    )


def memory_switched(db: sqlite3.Connection, change: MemorySwitched) -> Outcome:
    """Off from here on, or on again; what was kept stays."""
    off = list(switched_off(db, user=change.user, companion=change.companion))
    is_on = all(end is not None for _, end in off)
    if is_on == change.enabled:
        return Landed()
    number = next_number(db)
    if change.enabled:
        off[-1] = (off[-1][0], number)
    else:
        off.append((number, None))
    changed(db, change)
    db.execute(
        "UPDATE memories SET off = ? WHERE user_id = ? AND companion = ?",
        (msgspec.json.encode(off).decode(), change.user, change.companion),
    )
    return Landed()


def keep_undo(db: sqlite3.Connection, change: Change, before: bytes | None) -> None:
    """Remember what the person's last change replaced; None: there is nothing to take back."""
    _row(db, change)
    db.execute(
        "UPDATE memories SET undo = ?, undo_at = ? WHERE user_id = ? AND companion = ?",
        (before, None if before is None else change.at, change.user, change.companion),
    )


def prune_undo(db: sqlite3.Connection, at: int) -> int:
    """What was replaced more than a day ago can no longer be taken back; how many changes that was."""
    if not may_purge(db, at):
        return 0
    gone = db.execute(
        "UPDATE memories SET undo = NULL, undo_at = NULL WHERE undo_at < ?", (at - UNDO_LIFE_MS,)
    ).rowcount
    purged(db, at)
    return gone


def undo_of(db: sqlite3.Connection, change: Change) -> bytes | None:
    """What the person's last change replaced."""
    row: tuple[bytes | None] | None = db.execute(
        "SELECT undo FROM memories WHERE user_id = ? AND companion = ?", (change.user, change.companion)
    ).fetchone()
    return None if row is None else row[0]
