"""Everything of a person with a companion as one value: out of the store, and into one again.

The rows of every table with an owner, but for those named below, as they are; whose they are is not in a row, so that
they come in as the person's they are brought in for and nobody else's. Numbers of the store's counter, which order
things, become their ranks, and ranks become fresh numbers of the store they come into.
"""

import base64
import sqlite3
from bisect import bisect_right
from typing import Any, Final, TypeAlias

import msgspec

from storage.erasing import columns_of, owned_tables
from storage.rows import Row

FORMAT: Final = "fireside.memory"
VERSION: Final = 1

LEFT_OUT: Final = {
    "users": "who somebody is here is not theirs to take along",
    "commands": "ids of commands belong to sessions",
    "sessions": "sessions end here",
    "jobs": "work under way is this store's",
    "open_responses": "an answer that is open is not said yet",
    "forgotten": "marks of what was forgotten are made under this store's key",
    "memories": "its switch is exported by itself",
    "disclosures": "that it was told of its nature is this installation's record",
    "care_contexts": "what caregivers told is theirs to tell again",
    "parent_notes": "they are the parents', and no file makes one",
    "releases": "whoever let something be known did so here; a file lets nobody know anything",
    "vectors": "they are made again where it comes in",
    "consents": "whoever allowed something allowed it here; a file allows nothing",
}
"""Tables with an owner that are not exported, and why."""

COUNTERS: Final = frozenset({"stored", "said", "ended", "activity", "closed", "number", "learning"})
"""Columns that hold numbers of the store's counter."""

PARTS: Final = {
    "learning_sources": "SELECT {} FROM {} p JOIN learnings o ON o.stored = p.learning WHERE {} ORDER BY 1, 2"
}
"""Tables whose rows are parts of an owned one's, and how they are found."""

NOT_TAKEN: Final = frozenset(
    {"user_id", "companion", "indexed", "raised", "owner", "owner_epoch", "owner_until"}
)

Cell: TypeAlias = Any  # what JSON has: a column's value, or the JSON that a column holds
Rows: TypeAlias = list[dict[str, Cell]]


class Memory(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """An export. ``off`` are the stretches (in ranks) in which nothing was to be remembered."""

    format: str
    version: int
    companion: str
    user: str
    exported_at: str
    off: list[tuple[int, int | None]] = []  # msgspec copies an empty default
    tables: dict[str, Rows]


def exported_tables(db: sqlite3.Connection) -> tuple[str, ...]:
    """The tables of an export: what others refer to comes first."""
    first = ("conversations", "messages", "facts")
    rest = [name for name in owned_tables(db) if name not in first and name not in LEFT_OUT]
    return (*first, *rest, *PARTS)


def exported(db: sqlite3.Connection, *, user: str, companion: str, at: str) -> Memory:
    """Everything of a person with a companion; ``at`` is when, as the wire writes times."""
    tables = {name: _rows(db, name, (user, companion)) for name in exported_tables(db)}
    off = _off(db, (user, companion))
    numbers = sorted(
        {row[key] for rows in tables.values() for row in rows for key in COUNTERS & row.keys() if row[key]}
    )
    ranks = {number: rank for rank, number in enumerate(numbers, 1)}
    for rows in tables.values():
        for row in rows:
            row.update({key: ranks[row[key]] for key in COUNTERS & row.keys() if row[key]})
    return Memory(
        format=FORMAT,
        version=VERSION,
        companion=companion,
        user=user,
        exported_at=at,
        off=[(_rank(numbers, begin), None if end is None else _rank(numbers, end)) for begin, end in off],
        tables=tables,
    )


def _rank(numbers: list[int], number: int) -> int:
    return bisect_right(numbers, number)


def _off(db: sqlite3.Connection, owner: tuple[str, str]) -> list[tuple[int, int | None]]:
    row: tuple[str] | None = db.execute(
        "SELECT off FROM memories WHERE user_id = ? AND companion = ?", owner
    ).fetchone()
    return [] if row is None else msgspec.json.decode(row[0], type=list[tuple[int, int | None]])


def taken_columns(db: sqlite3.Connection, table: str) -> tuple[str, ...]:
    """The columns of a table that an export has."""
    return tuple(name for name in columns_of(db, table) if name not in NOT_TAKEN)


def _rows(db: sqlite3.Connection, table: str, owner: tuple[str, str]) -> Rows:
    names = taken_columns(db, table)
    if table in PARTS:
        columns = ", ".join(f"p.{name}" for name in names)
        question = PARTS[table].format(columns, table, "o.user_id = ? AND o.companion = ?")
        return [dict(zip(names, row, strict=True)) for row in db.execute(question, owner).fetchall()]
    order = next((name for name in ("stored", "activity", "said", "at") if name in names), names[0])
    rows: list[Row] = db.execute(
        f"SELECT {', '.join(names)} FROM {table} WHERE user_id = ? AND companion = ? ORDER BY {order}, {names[0]}",  # noqa: S608  # names of our own schema
        owner,
    ).fetchall()
    return [{name: _told(cell) for name, cell in zip(names, row, strict=True)} for row in rows]


def _told(cell: Cell) -> Cell:
    """JSON that a column holds stands in an export as it is; other bytes in base 64."""
    if not isinstance(cell, bytes):
        return cell
    try:
        return msgspec.json.decode(cell)
    except msgspec.DecodeError:
        return {"$base64": base64.b64encode(cell).decode()}


def blob_of_cell(cell: Cell) -> bytes:
    """The bytes of a column that holds JSON, or anything else; raises ``ValueError``."""
    if isinstance(cell, dict) and list(cell) == ["$base64"]:  # pyright: ignore[reportUnknownArgumentType]  # JSON
        return base64.b64decode(str(cell["$base64"]), validate=True)  # pyright: ignore[reportUnknownArgumentType]  # JSON
    return msgspec.json.encode(cell)
