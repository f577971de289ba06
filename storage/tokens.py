"""What lets a device, a person's program or an admin in: a token, kept as its digest alone.

Open mode, in which nobody is asked for one, ends with the first device that is paired and does not come back by
itself: that the last device was lost must not open the door to everybody.
"""

import sqlite3
from typing import Literal, TypeAlias

import msgspec

from storage.erased import Erased, note
from storage.grants import digest_of
from storage.rows import Row

TokenRole: TypeAlias = Literal["device", "person", "admin"]
_COLUMNS = "id, role, paired, name, for_user, at"


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """One that was given. ``paired``: to a device, by a code. ``user``: whose it is; None where several people talk."""

    id: str
    role: TokenRole
    paired: bool
    name: str
    user: str | None
    at: int


def give_token(db: sqlite3.Connection, token: Token, *, digest: str) -> None:
    """Keep a token. The first one of a device ends open mode."""
    db.execute(
        "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
        (token.id, digest, token.role, token.paired, token.name, token.user, token.at),
    )
    if token.paired:
        db.execute("INSERT INTO doorway VALUES (1, ?) ON CONFLICT DO NOTHING", (token.at,))


def token_of(db: sqlite3.Connection, shown: str) -> Token | None:
    """What a token that is shown stands for, while it has not ended."""
    row: Row | None = db.execute(
        f"SELECT {_COLUMNS} FROM tokens WHERE digest = ? AND ended_at IS NULL",  # noqa: S608  # constants of ours
        (digest_of(shown),),
    ).fetchone()
    return None if row is None else _token(row)


def all_tokens(db: sqlite3.Connection) -> tuple[Token, ...]:
    """Every token that has not ended, in the order in which they were given, for staff."""
    rows: list[Row] = db.execute(
        f"SELECT {_COLUMNS} FROM tokens WHERE ended_at IS NULL ORDER BY at, id"  # noqa: S608  # as above
    ).fetchall()
    return tuple(_token(row) for row in rows)


def token_named(db: sqlite3.Connection, id: str) -> Token | None:  # noqa: A002  # the order's word
    """A token by its id, while it has not ended."""
    row: Row | None = db.execute(
        f"SELECT {_COLUMNS} FROM tokens WHERE id = ? AND ended_at IS NULL",  # noqa: S608  # as above
        (id,),
    ).fetchone()
    return None if row is None else _token(row)


def end_token(db: sqlite3.Connection, id: str, *, at: int) -> Token | None:  # noqa: A002  # the order's word
    """End a token; which it was. A copy of the store that comes back does not bring it back."""
    rows: list[Row] = db.execute(
        f"UPDATE tokens SET ended_at = ? WHERE id = ? AND ended_at IS NULL RETURNING {_COLUMNS}",  # noqa: S608  # as above
        (at, id),
    ).fetchall()
    if not rows:
        return None
    note(db, Erased(at=at, user="", companion="", items=(id,)))
    return _token(rows[0])


def rename_token(db: sqlite3.Connection, id: str, name: str) -> bool:  # noqa: A002  # as above
    """Call it something else; whether there was one."""
    return bool(
        db.execute("UPDATE tokens SET name = ? WHERE id = ? AND ended_at IS NULL", (name, id)).rowcount
    )


def is_open(db: sqlite3.Connection) -> bool:
    """Whether open mode was never ended here, or staff went back to it."""
    return db.execute("SELECT 1 FROM doorway").fetchone() is None


def reopen(db: sqlite3.Connection) -> None:
    """Go back to open mode."""
    db.execute("DELETE FROM doorway")


def _token(row: Row) -> Token:
    return Token(id=row[0], role=row[1], paired=bool(row[2]), name=row[3], user=row[4], at=row[5])
