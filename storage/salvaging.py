"""What can still be read of a damaged store is brought into the one that takes its place.

Row by row, from both ends of each table up to where it breaks; a row that is there already is replaced, because the
damaged store is the later one. Then everything that points to nothing goes, and places in a conversation whose words
are lost become tombstones, so that positions stay without gaps.
"""

import secrets
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

from storage.engine import connect, errors
from storage.order import next_number
from storage.rows import Row

_MADE_ANEW: Final = ("search", "sqlite_", "store", "digest_key")
_BROKEN: Final[tuple[type[Exception], ...]] = (*errors("DatabaseError"), OverflowError, UnicodeDecodeError)


def salvaged(db: sqlite3.Connection, damaged: Path) -> tuple[dict[str, int], tuple[str, ...]]:
    """Bring the readable rows of ``damaged`` into ``db``; how many of each table, and which broke before their end."""
    counts: dict[str, int] = {}
    unreadable: list[str] = []
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("BEGIN IMMEDIATE")
    with closing(connect(damaged, isolation_level=None)) as source:
        source.text_factory = _text
        for table in _tables(db):
            counts[table], whole = _bring(db, source, table)
            if not whole:
                unreadable.append(table)
    db.execute("COMMIT")
    db.execute("PRAGMA foreign_keys = ON")
    return {table: count for table, count in counts.items() if count}, tuple(unreadable)


def _text(raw: bytes) -> str:
    """Half a character must not end the reading."""
    return raw.decode(errors="replace")


def _tables(db: sqlite3.Connection) -> list[str]:
    rows: list[tuple[str]] = db.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid"
    ).fetchall()
    return [name for (name,) in rows if not name.startswith(_MADE_ANEW)]


def _columns(db: sqlite3.Connection, table: str) -> list[str]:
    """The columns that are stored, not computed."""
    return [row[1] for row in db.execute(f'PRAGMA table_xinfo("{table}")').fetchall() if row[6] == 0]


def _bring(db: sqlite3.Connection, source: sqlite3.Connection, table: str) -> tuple[int, bool]:
    try:
        theirs = set(_columns(source, table))
    except _BROKEN:
        return 0, False
    columns = [name for name in _columns(db, table) if name in theirs]
    if not columns:
        return 0, not theirs
    names = ", ".join(f'"{name}"' for name in columns)
    places = ", ".join("?" * len(columns))
    insert = f'INSERT OR REPLACE INTO "{table}" ({names}) VALUES ({places})'  # noqa: S608  # names of our own schema
    query, seen = f'SELECT {names} FROM "{table}"', 0  # noqa: S608  # as above
    for order in ("", f" ORDER BY {_backwards(db, table)}"):
        read = 0
        try:
            for row in source.execute(query + order):
                read += 1
                seen += _kept(db, insert, row)
        except _BROKEN:  # the rest is read from the other end
            seen += _last_before(db, source, f"{query}{order} LIMIT 1 OFFSET {read}", insert)
            continue
        return seen, True
    return seen, False


def _backwards(db: sqlite3.Connection, table: str) -> str:
    """From a table's other end: by its key, which orders one without rowids, or by its rowid."""
    keys = sorted((row[5], row[1]) for row in db.execute(f'PRAGMA table_xinfo("{table}")') if row[5])
    sql: tuple[str] = db.execute("SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    if "WITHOUT ROWID" not in sql[0]:
        return "rowid DESC"
    return ", ".join(f'"{name}" DESC' for _, name in keys)


def _last_before(db: sqlite3.Connection, source: sqlite3.Connection, query: str, insert: str) -> int:
    """The row before the break: a cursor has looked for the next one before it hands a row out."""
    try:
        row: Row | None = source.execute(query).fetchone()
    except _BROKEN:
        return 0
    return 0 if row is None else _kept(db, insert, row)


def _kept(db: sqlite3.Connection, insert: str, row: Row) -> int:
    try:
        db.execute(insert, row)
    except errors():  # it contradicts what a row of its kind must be: it is part of the damage
        return 0
    return 1


def settled(db: sqlite3.Connection, new_id: Callable[[], str]) -> int:
    """Make what was brought together consistent again; how many messages lost their words.

    ``new_id`` gives the ids of the tombstones that stand for them.
    """
    db.execute(
        "PRAGMA foreign_keys = OFF"
    )  # what is missing is seen here, and no deletion takes more with it
    db.execute("BEGIN IMMEDIATE")
    while sum(_drop_orphans(db, table) for table in _tables(db)):
        pass
    db.execute(
        "UPDATE store SET counter = MAX(counter, (SELECT COALESCE(MAX(stored), 0) FROM messages)) + 1000"
    )
    gaps = sum(_fill(db, row, new_id) for row in _with_gaps(db))
    db.execute(
        """
        UPDATE conversations SET revision = revision + 1, indexed = 0, message_count =
            (SELECT COUNT(*) FROM messages WHERE conversation = conversations.id AND removed = 0)
        """
    )
    db.execute("DELETE FROM search")
    db.execute("UPDATE store SET epoch = ?", (secrets.token_hex(8),))
    db.execute("COMMIT")
    db.execute("PRAGMA foreign_keys = ON")
    return gaps


def _drop_orphans(db: sqlite3.Connection, table: str) -> int:
    """Rows that point to what is not there go; how many did."""
    keys: dict[int, tuple[str, list[tuple[str, str]]]] = {}
    for number, _, parent, own, theirs, *_ in db.execute(f'PRAGMA foreign_key_list("{table}")').fetchall():
        keys.setdefault(number, (parent, []))[1].append((own, theirs))
    dropped = 0
    for parent, pairs in keys.values():
        same = " AND ".join(f'p."{theirs}" = "{table}"."{own}"' for own, theirs in pairs)
        given = " AND ".join(f'"{table}"."{own}" IS NOT NULL' for own, _ in pairs)
        dropped += db.execute(
            f'DELETE FROM "{table}" WHERE {given} AND NOT EXISTS (SELECT 1 FROM "{parent}" p WHERE {same})'  # noqa: S608  # names of our own schema
        ).rowcount
    return dropped


def _with_gaps(db: sqlite3.Connection) -> list[Row]:
    return db.execute(
        """
        SELECT c.id, c.user_id, c.companion, c.updated_at, MAX(c.last_position, COALESCE(MAX(m.position), 0))
        FROM conversations c LEFT JOIN messages m ON m.conversation = c.id
        GROUP BY c.id HAVING COUNT(m.id) < MAX(c.last_position, COALESCE(MAX(m.position), 0))
            OR MAX(m.position) > c.last_position
        """
    ).fetchall()


def _fill(db: sqlite3.Connection, row: Row, new_id: Callable[[], str]) -> int:
    conversation, user, companion, at, last = row
    there = {
        position
        for (position,) in db.execute("SELECT position FROM messages WHERE conversation = ?", (conversation,))
    }
    lost = [position for position in range(1, last + 1) if position not in there]
    for position in lost:
        db.execute(
            """
            INSERT INTO messages (stored, id, user_id, companion, conversation, position, role, at, status, removed,
                settled)
            VALUES (?, ?, ?, ?, ?, ?, 'user', ?, 'completed', 1, 1)
            """,
            (next_number(db), new_id(), user, companion, conversation, position, at),
        )
    db.execute("UPDATE conversations SET last_position = ? WHERE id = ?", (last, conversation))
    return len(lost)
