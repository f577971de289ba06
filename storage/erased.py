"""The ledger of what was erased: ids and positions, never a word, in a file of its own beside the database.

Whatever comes back later (a restored backup, an imported file, a replayed journal) is held against it, so that what
was deleted stays deleted. Lines are gathered in the transaction that removes and reach the disk before it commits: a
crash in between leaves a line too many, and the next start carries out what it says.
"""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec

LEDGER_FILE = "erased.jsonl"


class Erased(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One removal. ``at`` is milliseconds since 1970; ``messages`` are of the one conversation named.

    ``items`` are facts, summaries and check-ins by their ids, and consents, grants and releases that ended. With
    ``profile`` the person's own description was erased as it stood then.
    """

    at: int
    user: str
    companion: str
    conversation: str | None = None  # whose messages these are
    messages: tuple[tuple[str, int], ...] = ()  # id and position
    conversations: tuple[str, ...] = ()  # removed whole
    items: tuple[str, ...] = ()
    profile: bool = False


_LINES = msgspec.json.Decoder(Erased)


def note(db: sqlite3.Connection, erased: Erased) -> None:
    """Have ``erased`` written down when the transaction that is open commits; undone with it."""
    db.execute("CREATE TEMP TABLE IF NOT EXISTS erasing (line BLOB NOT NULL)")
    db.execute("INSERT INTO temp.erasing VALUES (?)", (msgspec.json.encode(erased),))


def settle(db: sqlite3.Connection) -> None:
    """Bring what the open transaction noted to the disk; nothing where nothing was."""
    if db.execute("SELECT 1 FROM sqlite_temp_master WHERE name = 'erasing'").fetchone() is None:
        return
    lines: list[tuple[bytes]] = db.execute("SELECT line FROM temp.erasing ORDER BY rowid").fetchall()
    path = ledger_of(db)
    if lines and path is not None:
        _append(path, b"".join(line + b"\n" for (line,) in lines))
    db.execute("DELETE FROM temp.erasing")


def ledger_of(db: sqlite3.Connection) -> Path | None:
    """The ledger beside the database; None for one that is in memory."""
    rows: list[tuple[int, str, str]] = db.execute("PRAGMA database_list").fetchall()
    file = next((file for _, name, file in rows if name == "main"), "")
    return Path(file).parent / LEDGER_FILE if file else None


def _append(path: Path, lines: bytes) -> None:
    new = not path.exists()
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    try:
        written = os.write(descriptor, lines)
        if written < len(lines):
            os.ftruncate(descriptor, os.fstat(descriptor).st_size - written)
            raise OSError(28, "no room for the ledger of what was erased")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if new:
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def erased_before(path: Path) -> Iterator[Erased]:
    """What the ledger says, oldest first. A last line that a power cut tore is left out: its removal never landed."""
    if not path.exists():
        return
    for line in path.read_bytes().splitlines():
        try:
            yield _LINES.decode(line)
        except msgspec.DecodeError:
            continue
