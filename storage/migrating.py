"""Numbered SQL brings a store from any older form to the present one, each step in a transaction of its own.

``PRAGMA user_version`` counts the steps taken and changes in the same transaction, so a process killed at any
statement leaves the old form or the new one. Before an existing store changes, it is copied and the copy
checked.
"""

import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from pathlib import Path

from storage import engine
from storage.refusals import StoreRefused, translated

BACKUPS = "backups"
PARTIAL = ".partial"
_STEP_PAGES = 256
_MAGIC = b"SQLite format 3\x00"
_HEADER_BYTES = 100
_VERSION_AT = 60  # big-endian, four bytes: https://www.sqlite.org/fileformat.html, section 1.3


@cache
def steps() -> tuple[str, ...]:
    """The SQL of every migration, in order; the first makes version 1."""
    folder = resources.files("storage").joinpath("migrations")
    found = sorted((file.name, file) for file in folder.iterdir() if file.name.endswith(".sql"))
    return tuple(file.read_text("utf-8") for _, file in found)


def refuse_newer(path: Path) -> None:
    """Raise ``StoreRefused`` for a file of a later version, or no database at all, without opening it."""
    if path.stat().st_size and engine.key_of(path) is not None:  # its header says nothing without the key
        with translated(), closing(engine.connect(path, options="mode=ro")) as db:
            _refuse_version(version_of(db))
        return
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
    if not header:
        return
    if len(header) < _HEADER_BYTES or not header.startswith(_MAGIC):
        raise StoreRefused("storage.damaged", "header")
    _refuse_version(int.from_bytes(header[_VERSION_AT : _VERSION_AT + 4], "big"))


def _refuse_version(version: int) -> None:
    if version > len(steps()):
        raise StoreRefused("storage.newer", f"version {version}, known up to {len(steps())}")


def version_of(db: sqlite3.Connection) -> int:
    """How many migrations the store has seen."""
    row: tuple[int] = db.execute("PRAGMA user_version").fetchone()
    return row[0]


def migrate(db: sqlite3.Connection, path: Path, at: int) -> Path | None:
    """Bring the store to the present form; returns the backup that was made of an older one.

    ``at`` is milliseconds since 1970 and dates the backup. Raises ``StoreRefused``.
    """
    with translated():
        version = version_of(db)
        _refuse_version(version)
        if version == len(steps()):
            return None
        backup = back_up(db, path, at) if version else None
        for number, step in enumerate(steps()[version:], start=version + 1):
            _take(db, step, number)
        return backup


def _take(db: sqlite3.Connection, step: str, number: int) -> None:
    db.execute("BEGIN IMMEDIATE")
    try:
        for statement in _statements(step):
            db.execute(statement)
        if number == 1:
            db.execute("INSERT INTO store VALUES (1, ?, 0, 0, NULL)", (secrets.token_hex(8),))
        db.execute(f"PRAGMA user_version = {number}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _statements(step: str) -> Iterator[str]:
    statement = ""
    for line in step.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def back_up(db: sqlite3.Connection, path: Path, at: int, pace: Callable[[], object] = lambda: None) -> Path:
    """A dated, checked copy of the open store in ``backups/`` beside it; appears whole or not at all.

    ``pace`` is called between steps of a mebibyte; what it raises ends the copy.
    """
    folder = path.parent / BACKUPS
    folder.mkdir(mode=0o700, exist_ok=True)
    day = datetime.fromtimestamp(at / 1000, UTC).strftime("%Y%m%dT%H%M%S%f")[:-3]
    target = folder / f"{path.stem}-{day}Z-v{version_of(db)}{path.suffix}"
    partial = target.with_suffix(PARTIAL)
    os.close(os.open(partial, os.O_CREAT | os.O_TRUNC | os.O_RDWR, 0o600))
    try:
        _copy(db, partial, pace)
        reach_disk(partial)
        partial.replace(target)
        reach_disk(folder)
    finally:
        for left in (partial, Path(f"{partial}-journal")):  # which a full disk leaves behind
            left.unlink(missing_ok=True)
    return target


def _copy(db: sqlite3.Connection, target: Path, pace: Callable[[], object]) -> None:
    with closing(engine.connect(target, isolation_level=None)) as copy:
        db.backup(copy, pages=_STEP_PAGES, progress=lambda _status, _left, _all: pace())
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, no log beside it
        found: list[tuple[str]] = copy.execute("PRAGMA quick_check").fetchall()
    if found != [("ok",)]:
        raise StoreRefused("storage.damaged", "quick_check of the backup")


def backups_of(path: Path) -> list[Path]:
    """The backups of the store at ``path``, the oldest first; whether they are good is not looked at."""
    return sorted((path.parent / BACKUPS).glob(f"{path.stem}-*{path.suffix}"))


def reach_disk(path: Path) -> None:
    """Bring a file, or the entries of a folder, to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
