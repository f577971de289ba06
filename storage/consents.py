"""Consents as they stand: who gave which, and what a decision ends.

They are looked at under a clock that never goes back behind what was stored (D6), so that an expired consent does
not come alive again on a device that boots in 1970; one whose clock jumped ahead finds them expired.
"""

import sqlite3

import msgspec

from companions.care_changes import ConsentDecided
from companions.changes import Landed, Outcome, Refused
from companions.consenting import (
    DAY_MS,
    LONGEST_DAYS,
    REACH,
    STOPPED_BY_A_NO,
    Consent,
    Scope,
    family,
    granted,
)
from storage.audit import Act, record
from storage.erased import Erased, note
from storage.order import next_number
from storage.rows import Row

COLUMNS = "id, giver, name, basis, scope, allowed, since, review_at"


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """The consents about a person that were not withdrawn, and the time by which they are looked at."""

    consents: tuple[Consent, ...] = ()
    at: int

    def granted(self, scope: Scope) -> bool:
        """Whether ``scope`` may be seen now."""
        return granted(scope, self.consents, self.at)


def believed(db: sqlite3.Connection, at: int) -> int:
    """``at``, or the newest time stored where the clock stands before it."""
    row: tuple[int] = db.execute("SELECT newest_at FROM store WHERE one = 1").fetchone()
    return max(at, row[0])


def standing(db: sqlite3.Connection, *, user: str, companion: str, at: int) -> Standing:
    """What stands about a person with a companion (or its family), oldest first."""
    rows: list[Row] = db.execute(
        f"""
        SELECT {COLUMNS} FROM consents WHERE user_id = ? AND companion = ? AND ended_at IS NULL ORDER BY stored
        """,  # noqa: S608  # constants of ours
        (user, family(companion)),
    ).fetchall()
    return Standing(consents=tuple(consent_of(row) for row in rows), at=believed(db, at))


def consent_of(row: Row) -> Consent:
    """A consent from ``COLUMNS``."""
    return Consent(
        id=row[0],
        giver=row[1],
        name=row[2],
        basis=row[3],
        scope=row[4],
        allowed=bool(row[5]),
        since=row[6],
        review_at=row[7],
    )


def consent_decided(db: sqlite3.Connection, change: ConsentDecided) -> Outcome:
    """A decision about one or more scopes; the same one again changes nothing."""
    if change.companion != family(change.companion):
        return Refused("companion.unknown")
    at = believed(db, change.at)
    if change.allow and not _tenable(change, at):
        return Refused("policy.refused")
    if not change.giver:  # what others decide is recorded with who they are
        did = "consented" if change.allow else "said_no"
        record(db, Act(person=change.user, companion=change.companion, role="person", did=did), change.at)
    for each in change.scopes:
        _decide(db, change, each.record, each.scope, at)
    notes_without_consent(db, user=change.user, companion=change.companion, at=at)
    return Landed()


def notes_without_consent(db: sqlite3.Connection, *, user: str, companion: str, at: int) -> None:
    """Where nobody allows notes any more those there are go, and no work on one that is under way can land."""
    if standing(db, user=user, companion=companion, at=at).granted("notes"):
        return
    members = f"{companion}/"
    mine = (user, companion, len(members), members)
    db.execute(
        "DELETE FROM parent_notes WHERE user_id = ? AND (companion = ? OR substr(companion, 1, ?) = ?)", mine
    )
    db.execute(
        """
        DELETE FROM jobs WHERE state IN ('waiting', 'running', 'parked') AND kind = 'parent_note'
            AND user_id = ? AND (companion = ? OR substr(companion, 1, ?) = ?)
        """,
        mine,
    )


def _tenable(change: ConsentDecided, at: int) -> bool:
    """Whether there is a basis for all of it, and a date at which it is looked at again."""
    based = all(change.basis in REACH[each.scope] for each in change.scopes)
    review = change.review_at
    return based and review is not None and at < review <= at + LONGEST_DAYS * DAY_MS


def _decide(db: sqlite3.Connection, change: ConsentDecided, record: str, scope: Scope, at: int) -> None:
    if db.execute("SELECT 1 FROM consents WHERE id = ?", (record,)).fetchone() is not None:
        return
    says_no = not change.allow and change.giver == "" and scope in STOPPED_BY_A_NO
    _end(db, change, scope, at, everyones=says_no)
    if change.allow or says_no:
        db.execute(
            "INSERT INTO consents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)",
            (
                record,
                change.user,
                change.companion,
                next_number(db),
                change.giver,
                change.name,
                change.basis,
                scope,
                change.allow,
                at,
                change.review_at if change.allow else None,
            ),
        )


def _end(db: sqlite3.Connection, change: ConsentDecided, scope: Scope, at: int, *, everyones: bool) -> None:
    """End what the giver had decided before, or what anybody had."""
    rows: list[tuple[str, int]] = db.execute(
        """
        UPDATE consents SET ended_at = ?1 WHERE user_id = ?2 AND companion = ?3 AND scope = ?4
            AND ended_at IS NULL AND (?6 OR giver = ?5) RETURNING id, allowed
        """,
        (at, change.user, change.companion, scope, change.giver, everyones),
    ).fetchall()
    withdrawn = tuple(id_ for id_, allowed in rows if allowed)
    if withdrawn and not change.allow:  # a copy of the store that comes back does not bring it back
        note(db, Erased(at=at, user=change.user, companion=change.companion, items=withdrawn))
