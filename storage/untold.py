"""What the person is still to be told: that somebody consented for them, or was given a role for them."""

import sqlite3

import msgspec

from companions.care_changes import PersonTold
from companions.changes import Landed, Outcome
from companions.consenting import Consent, family, live
from storage.consents import COLUMNS, believed, consent_of
from storage.grants import Grant, untold_grants
from storage.rows import Row


class Untold(msgspec.Struct, frozen=True, kw_only=True):
    """What stands and was not told yet; what ended before it was told is none of it."""

    consents: tuple[Consent, ...] = ()
    grants: tuple[Grant, ...] = ()


def untold(db: sqlite3.Connection, *, user: str, companion: str, at: int) -> Untold:
    """What is to be told to a person by a companion, oldest first."""
    rows: list[Row] = db.execute(
        f"""
        SELECT {COLUMNS} FROM consents
        WHERE user_id = ? AND told_at IS NULL AND giver <> '' AND ended_at IS NULL AND companion = ? ORDER BY stored
        """,  # noqa: S608  # constants of ours
        (user, family(companion)),
    ).fetchall()
    grants = tuple(each for each in untold_grants(db, user=user) if each.covers(user, companion))
    if not rows and not grants:
        return Untold()
    now = believed(db, at)
    consents = (consent_of(row) for row in rows)
    return Untold(consents=tuple(each for each in consents if live(each, now)), grants=grants)


def person_told(db: sqlite3.Connection, change: PersonTold) -> Outcome:
    """They were told; it is not said again."""
    for table, ids in (("consents", change.consents), ("grants", change.grants)):
        db.executemany(
            f"UPDATE {table} SET told_at = ? WHERE id = ? AND told_at IS NULL",  # noqa: S608  # names of ours
            [(change.at, id_) for id_ in ids],
        )
    return Landed()
