"""Who holds a role beside the person: by a grant, shown by a token that is kept as its digest alone."""

import hashlib
import secrets
import sqlite3
from typing import Literal, TypeAlias

import msgspec

from companions.consenting import Basis, family
from storage.consents import notes_without_consent
from storage.erased import Erased, note
from storage.rows import Row

GrantedRole: TypeAlias = Literal["caregiver", "safeguarding"]
TOKEN_BYTES = 32
_COLUMNS = "id, name, role, for_user, for_companion, basis"


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """One role of one holder for one person; ``companion`` is one, a family, or '' for all.

    ``basis`` is the one on which the holder may consent for the person, or None.
    """

    id: str
    name: str
    role: GrantedRole
    user: str
    companion: str
    basis: Basis | None

    def covers(self, user: str, companion: str) -> bool:
        """Whether the role is held for that person with that companion."""
        return self.user == user and self.companion in ("", companion, family(companion))


class BothRoles(Exception):
    """A caregiver cannot be the safeguarding contact of the same person: abuse is told to neither family nor carer."""


def new_token() -> str:
    """A token of 256 random bits, to be shown once."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def digest_of(token: str) -> str:
    """What is kept of a token. It has 256 random bits, so a plain digest cannot be turned back."""
    return hashlib.sha256(token.encode()).hexdigest()


def give(db: sqlite3.Connection, grant: Grant, *, digest: str, at: int) -> None:
    """Keep a grant. Raises ``BothRoles``."""
    for other in grants_for(db, user=grant.user):
        overlap = (
            not other.companion or not grant.companion or family(other.companion) == family(grant.companion)
        )
        if overlap and other.role != grant.role and other.name.casefold() == grant.name.casefold():
            raise BothRoles(grant.name)
    db.execute(
        "INSERT INTO grants VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)",
        (grant.id, digest, grant.name, grant.role, grant.user, grant.companion, grant.basis, at),
    )


def end(db: sqlite3.Connection, id: str, *, at: int) -> str | None:  # noqa: A002  # the change's word
    """End a grant, and what its holder had consented to; whom it was for, or None where there was none."""
    ended: list[tuple[str]] = db.execute(
        "UPDATE grants SET ended_at = ? WHERE id = ? AND ended_at IS NULL RETURNING for_user", (at, id)
    ).fetchall()
    given: list[tuple[str, str]] = db.execute(
        "UPDATE consents SET ended_at = ? WHERE giver = ? AND ended_at IS NULL RETURNING id, companion",
        (at, id),
    ).fetchall()
    for (user,) in ended:
        for companion in {companion for _, companion in given}:
            notes_without_consent(db, user=user, companion=companion, at=at)
        # a copy of the store that comes back brings neither back
        note(db, Erased(at=at, user=user, companion="", items=(id, *(each for each, _ in given))))
    return ended[0][0] if ended else None


def rotate(db: sqlite3.Connection, id: str, *, digest: str, at: int) -> bool:  # noqa: A002  # as above
    """Another token for a grant; whether there was one. A copy of the store that comes back ends the old one."""
    row: tuple[str, str] | None = db.execute(
        "SELECT digest, for_user FROM grants WHERE id = ? AND ended_at IS NULL", (id,)
    ).fetchone()
    if row is None:
        return False
    db.execute("UPDATE grants SET digest = ? WHERE id = ?", (digest, id))
    note(db, Erased(at=at, user=row[1], companion="", items=(row[0],)))
    return True


def grant_of(db: sqlite3.Connection, token: str) -> Grant | None:
    """The grant that a token shows, while it has not ended."""
    row: Row | None = db.execute(
        f"SELECT {_COLUMNS} FROM grants WHERE digest = ? AND ended_at IS NULL",  # noqa: S608  # constants of ours
        (digest_of(token),),
    ).fetchone()
    return None if row is None else _grant_of(row)


def grants_for(db: sqlite3.Connection, *, user: str) -> tuple[Grant, ...]:
    """Who holds a role for a person, in the order of their names."""
    rows: list[Row] = db.execute(
        f"SELECT {_COLUMNS} FROM grants WHERE for_user = ? AND ended_at IS NULL ORDER BY name, id",  # noqa: S608  # as above
        (user,),
    ).fetchall()
    return tuple(_grant_of(row) for row in rows)


def untold_grants(db: sqlite3.Connection, *, user: str) -> tuple[Grant, ...]:
    """The grants that the person was not told of yet, in the order in which they were given."""
    rows: list[Row] = db.execute(
        f"SELECT {_COLUMNS} FROM grants WHERE for_user = ? AND told_at IS NULL AND ended_at IS NULL ORDER BY at, id",  # noqa: S608  # as above
        (user,),
    ).fetchall()
    return tuple(_grant_of(row) for row in rows)


def holders(db: sqlite3.Connection, *, user: str, companion: str, role: GrantedRole) -> tuple[Grant, ...]:
    """Who holds ``role`` for a person with a companion."""
    return tuple(
        each for each in grants_for(db, user=user) if each.role == role and each.covers(user, companion)
    )


def all_grants(db: sqlite3.Connection) -> tuple[Grant, ...]:
    """Every grant that has not ended, for staff."""
    rows: list[Row] = db.execute(
        f"SELECT {_COLUMNS} FROM grants WHERE ended_at IS NULL ORDER BY for_user, name, id"  # noqa: S608  # as above
    ).fetchall()
    return tuple(_grant_of(row) for row in rows)


def _grant_of(row: Row) -> Grant:
    return Grant(id=row[0], name=row[1], role=row[2], user=row[3], companion=row[4], basis=row[5])
