"""Stored vectors: one a message, made by jobs from what the store says is due, and gone with their message.

There is one space at a time: the vectors of one embedder, of one dimension. When either changes a new space begins
from the first message on; what an older one left is passed over, and replaced as the jobs come to it.
"""

import sqlite3
from collections.abc import Collection, Sequence

import msgspec

from memory.vectors import FACTOR_BYTES, Meaning
from storage.nearest import MOST_WITHOUT_NUMPY, NUMBER_BYTES, held, nearest, numpy_here
from storage.rows import Row

CACHE_KIB = (
    8 * 1024
)  # pages kept in memory as they are used: the vectors of ten thousand messages and their index
STRETCH = 256  # messages that one question for what is due looks at
MOST_LOOKED_FOR = 500  # vectors of a removal; those of a longer talk lie on pages of their own


class Due(msgspec.Struct, frozen=True):
    """A message without a vector."""

    stored: int
    text: str


class Stretch(msgspec.Struct, frozen=True):
    """What is due in a stretch of messages; ``upto`` is its last, None when there are none any more."""

    due: tuple[Due, ...]
    upto: int | None


class Told(msgspec.Struct, frozen=True):
    """Which embedder made the vectors, how many there are of it, and how many messages there are in all."""

    model: str
    dimension: int
    vectors: int
    messages: int


def open_space(db: sqlite3.Connection, *, model: str, dimension: int) -> int:
    """The number of the space of that embedder."""
    row: Row | None = db.execute("SELECT space, model, dimension FROM vector_space WHERE one = 1").fetchone()
    if row is not None and row[1:] == (model, dimension):
        return int(row[0])
    space: int = 1 if row is None else row[0] + 1
    db.execute("INSERT OR REPLACE INTO vector_space VALUES (1, ?, ?, ?)", (space, model, dimension))
    return space


def due(db: sqlite3.Connection, space: int, companions: Collection[str], after: int) -> Stretch:
    """The messages with ``companions`` that have no vector of ``space``, in the stretch that follows ``after``."""
    rows: list[tuple[int, str, str | None, int | None]] = db.execute(
        """
        SELECT m.stored, m.companion, m.text, v.stored FROM messages m
        LEFT JOIN vectors v ON v.stored = m.stored AND v.space = ?
        WHERE m.stored > ? ORDER BY m.stored LIMIT ?
        """,
        (space, after, STRETCH),
    ).fetchall()
    found = tuple(
        Due(stored, text)
        for stored, companion, text, vector in rows
        if text is not None and vector is None and companion in companions
    )
    return Stretch(found, rows[-1][0] if rows else None)


def keep(db: sqlite3.Connection, space: int, made: Sequence[tuple[Due, bytes]]) -> int:
    """Keep the vectors of messages that are still there; how many. None is, when another space began meanwhile."""
    return sum(
        db.execute(
            """
            INSERT OR REPLACE INTO vectors SELECT m.user_id, m.companion, m.stored, s.space, ?1
            FROM vector_space s JOIN messages m ON m.stored = ?2
            WHERE s.one = 1 AND s.space = ?3 AND m.removed = 0 AND m.text = ?4
            """,
            (held(message.stored, vector), message.stored, space, message.text),
        ).rowcount
        for message, vector in made
    )


def vectors_told(db: sqlite3.Connection) -> Told | None:
    """How far the vectors are; None where none were ever made. It counts whole tables: not for a turn."""
    row: Row | None = db.execute("SELECT space, model, dimension FROM vector_space WHERE one = 1").fetchone()
    if row is None:
        return None
    vectors: tuple[int] = db.execute("SELECT COUNT(*) FROM vectors WHERE space = ?", row[:1]).fetchone()
    messages: tuple[int] = db.execute("SELECT COUNT(*) FROM messages WHERE removed = 0").fetchone()
    return Told(row[1], row[2], vectors[0], messages[0])


def near(
    db: sqlite3.Connection,
    *,
    user: str,
    companion: str | None,
    meaning: Meaning,
    limit: int,
    conversation: str | None = None,
) -> list[int]:
    """The messages of this user most like ``meaning``, by their numbers, the best first.

    There are none when the vectors there are were made by another embedder.
    """
    row: Row | None = db.execute(
        "SELECT space FROM vector_space WHERE one = 1 AND model = ? AND dimension = ?",
        (meaning.model, len(meaning.vector)),
    ).fetchone()
    if row is None:
        return []
    mine, values = "user_id = ? AND space = ?", [user, row[0]]
    if companion is not None:
        mine += " AND companion = ?"
        values = [*values, companion]
    if conversation is not None:
        mine += " AND stored IN (SELECT stored FROM messages WHERE conversation = ?)"
        values = [*values, conversation]
    rows = f"SELECT vector FROM vectors WHERE {mine}"  # noqa: S608  # conditions of ours
    if numpy_here() is None:
        rows += f" ORDER BY companion DESC, stored DESC LIMIT {MOST_WITHOUT_NUMPY}"
    db.execute(f"PRAGMA cache_size = -{CACHE_KIB}")  # for who searches by meaning; others need less
    # Put together where they lie: ten thousand rows handed over one by one take twice as long.
    content: tuple[bytes | None] = db.execute(
        f"SELECT CAST(group_concat(vector, '') AS BLOB) FROM ({rows})",  # noqa: S608  # as above
        values,
    ).fetchone()
    return nearest(meaning.vector, content[0] or b"", limit)


def vectors_of(
    db: sqlite3.Connection, conversation: str, messages: Sequence[str] | None = None
) -> tuple[bytes, ...]:
    """The vectors of messages about to go (all of the conversation's, unless named), to look for them later."""
    rows: list[tuple[str, bytes]] = db.execute(
        """
        SELECT m.id, v.vector FROM messages m JOIN vectors v ON v.stored = m.stored
        WHERE m.conversation = ? ORDER BY m.position
        """,
        (conversation,),
    ).fetchall()
    found = [
        vector[NUMBER_BYTES + FACTOR_BYTES :] for id_, vector in rows if messages is None or id_ in messages
    ]
    return tuple(found[:MOST_LOOKED_FOR])


def vectors_of_person(db: sqlite3.Connection, *, user: str, companion: str) -> tuple[bytes, ...]:
    """The vectors of a person's messages, to look for them once they are erased."""
    rows: list[tuple[bytes]] = db.execute(
        "SELECT vector FROM vectors WHERE user_id = ? AND companion = ? ORDER BY stored DESC LIMIT ?",
        (user, companion, MOST_LOOKED_FOR),
    ).fetchall()
    return tuple(vector[NUMBER_BYTES + FACTOR_BYTES :] for (vector,) in rows)
