"""People as staff know them, over all companions, and the PIN that shows a person on a shared device."""

import sqlite3

import msgspec

from companions.changes import UserStatus
from storage.rows import Row


class Person(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody who talks here. ``name`` is what staff call them, ``user`` what hello names."""

    user: str
    name: str
    status: UserStatus
    has_pin: bool


class Pin(msgspec.Struct, frozen=True, kw_only=True):
    """A PIN as it is kept, and how often in a row a wrong one was shown."""

    salt: bytes
    key: bytes
    misses: int


def add_person(db: sqlite3.Connection, user: str, name: str, *, at: int) -> bool:
    """Add somebody; False where they are known by name already."""
    return bool(
        db.execute(
            "INSERT INTO persons (user_id, name, status, at) VALUES (?, ?, 'active', ?) ON CONFLICT DO NOTHING",
            (user, name, at),
        ).rowcount
    )


def is_known(db: sqlite3.Connection, user: str) -> bool:
    """Whether staff added them, or a companion has met them."""
    found = db.execute(
        "SELECT 1 FROM persons WHERE user_id = ?1 UNION ALL SELECT 1 FROM users WHERE user_id = ?1 LIMIT 1",
        (user,),
    ).fetchone()
    return found is not None


def person(db: sqlite3.Connection, user: str) -> Person | None:
    """Somebody whom staff added."""
    row: Row | None = db.execute(
        "SELECT user_id, name, status, pin_key IS NOT NULL FROM persons WHERE user_id = ?", (user,)
    ).fetchone()
    return None if row is None else _person(row)


def all_people(db: sqlite3.Connection) -> tuple[Person, ...]:
    """Everybody, those too whom only a companion has met; for staff."""
    rows: list[Row] = db.execute(
        """
        SELECT user_id, name, status, pin_key IS NOT NULL FROM persons
        UNION ALL
        SELECT DISTINCT user_id, user_id, 'active', 0 FROM users
            WHERE user_id NOT IN (SELECT user_id FROM persons)
        ORDER BY 1
        """
    ).fetchall()
    return tuple(_person(row) for row in rows)


def rename_person(db: sqlite3.Connection, user: str, name: str) -> None:
    """Call somebody something else; what they are known by stays."""
    db.execute("UPDATE persons SET name = ? WHERE user_id = ?", (name, user))


def set_status(db: sqlite3.Connection, user: str, status: UserStatus) -> None:
    """Active, inactive or archived, with every companion."""
    db.execute("UPDATE persons SET status = ? WHERE user_id = ?", (status, user))
    db.execute("UPDATE users SET status = ? WHERE user_id = ?", (status, user))


def set_pin(db: sqlite3.Connection, user: str, pin: Pin | None) -> None:
    """A PIN, or none any more."""
    salt, key, misses = (None, None, 0) if pin is None else (pin.salt, pin.key, pin.misses)
    db.execute(
        "UPDATE persons SET pin_salt = ?, pin_key = ?, pin_misses = ? WHERE user_id = ?",
        (salt, key, misses, user),
    )


def pin_of(db: sqlite3.Connection, user: str) -> Pin | None:
    """The PIN of a person who has one."""
    row: Row | None = db.execute(
        "SELECT pin_salt, pin_key, pin_misses FROM persons WHERE user_id = ? AND pin_key IS NOT NULL", (user,)
    ).fetchone()
    return None if row is None else Pin(salt=row[0], key=row[1], misses=row[2])


def count_miss(db: sqlite3.Connection, user: str) -> int:
    """Before a PIN is compared it counts as wrong, so that no power cut makes a try that does not."""
    row: tuple[int] = db.execute(
        "UPDATE persons SET pin_misses = pin_misses + 1 WHERE user_id = ? RETURNING pin_misses", (user,)
    ).fetchone()
    return row[0]


def no_miss(db: sqlite3.Connection, user: str) -> None:
    """The PIN was right."""
    db.execute("UPDATE persons SET pin_misses = 0 WHERE user_id = ?", (user,))


def _person(row: Row) -> Person:
    return Person(user=row[0], name=row[1], status=row[2], has_pin=bool(row[3]))
