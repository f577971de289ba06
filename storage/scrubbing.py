"""After a removal: no byte of the store's files holds what was removed.

Freed cells are overwritten with zeros as they are freed (``secure_delete``), the full-text index is merged, since it
keeps the terms of deleted rows until then, and the write-ahead log is emptied. What is left may be an old copy of a
row that moved between pages: the files are searched for it, and where it is found the database is written anew.
"""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import msgspec

from storage.engine import key_of
from storage.order import store_bytes

LARGEST_REWRITE = 512 * 1024 * 1024  # bytes: a database beyond it is not copied in memory to be written anew
SHORTEST = 8  # a text of fewer bytes is found anywhere, by chance
PIECE = 48
BLOCK = 1024 * 1024


class Scrubbed(msgspec.Struct, frozen=True, kw_only=True):
    """``clean``: none of the texts that were looked for is in a file, but where a row that stays holds it too."""

    clean: bool
    rewritten: bool


def merge_index(db: sqlite3.Connection) -> None:
    """Drop the terms of deleted rows from the full-text index. In a transaction."""
    db.execute("INSERT INTO search (search) VALUES ('optimize')")


def truncate_log(db: sqlite3.Connection) -> bool:
    """Write the log into the database and empty it; False while another reader holds it. Outside a transaction."""
    row: tuple[int, int, int] = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return row[0] == 0


def scrub(db: sqlite3.Connection, texts: Sequence[str | bytes] = ()) -> Scrubbed:
    """Clean the files of ``db`` and look for ``texts`` (words, or the bytes of vectors), which were removed.

    Outside a transaction.
    """
    db.execute("BEGIN IMMEDIATE")
    merge_index(db)
    db.execute("COMMIT")
    emptied = truncate_log(db)
    if texts and _hidden(db):  # nothing can be looked for in it: it is written anew, whatever it holds
        return _anew(db)
    left = _left(db, texts)
    if not left or store_bytes(db) > LARGEST_REWRITE:
        return Scrubbed(clean=emptied and not left, rewritten=False)
    db.execute("VACUUM")
    emptied = truncate_log(db)
    return Scrubbed(clean=emptied and not _left(db, texts), rewritten=True)


def _hidden(db: sqlite3.Connection) -> bool:
    """Whether the files are encrypted."""
    return any(key_of(file) is not None for file in _files(db))


def _anew(db: sqlite3.Connection) -> Scrubbed:
    if store_bytes(db) > LARGEST_REWRITE:
        return Scrubbed(clean=False, rewritten=False)
    db.execute("VACUUM")
    return Scrubbed(clean=truncate_log(db), rewritten=True)


def _left(db: sqlite3.Connection, texts: Sequence[str | bytes]) -> list[bytes]:
    """The pieces of ``texts`` that a file still holds and no message or vector that stays does."""
    pieces = tuple({piece for text in texts for piece in pieces_of(text)})
    return [piece for piece in found_in(_files(db), pieces) if not _alive(db, piece)]


def pieces_of(text: str | bytes) -> tuple[bytes, ...]:
    """What a text is looked for by: the whole of a short one, the beginning, middle and end of a long one.

    Of bytes the middle is enough: no two vectors have it in common but those of the same words.
    """
    if isinstance(text, bytes):
        start = max(0, len(text) - PIECE) // 2
        return (text[start : start + PIECE],) if text else ()
    whole = text.encode()
    if len(whole) < SHORTEST:
        return ()
    if len(whole) <= 3 * PIECE:
        return (whole,)
    middle = len(whole) // 2
    return (whole[:PIECE], whole[middle : middle + PIECE], whole[-PIECE:])


def found_in(files: Sequence[Path], pieces: Sequence[bytes]) -> set[bytes]:
    """Which of ``pieces`` are somewhere in ``files``, also across the blocks that are read."""
    found: set[bytes] = set()
    overlap = max(map(len, pieces), default=1) - 1
    for path in files if pieces else ():
        before = b""
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                window = before + block
                found |= {piece for piece in pieces if piece in window}
                before = window[-overlap:] if overlap else b""
    return found


def _files(db: sqlite3.Connection) -> list[Path]:
    rows: list[tuple[int, str, str]] = db.execute("PRAGMA database_list").fetchall()
    main = next((file for _, name, file in rows if name == "main"), "")
    return [path for end in ("", "-wal") if main and (path := Path(main + end)).exists()]


def _alive(db: sqlite3.Connection, piece: bytes) -> bool:
    """Whether a message that stays says the same, or means it."""
    row = db.execute(
        """
        SELECT 1 FROM messages WHERE removed = 0 AND instr(CAST(text AS BLOB), ?1)
        UNION ALL SELECT 1 FROM vectors WHERE instr(vector, ?1) LIMIT 1
        """,
        (piece,),
    ).fetchone()
    return row is not None
