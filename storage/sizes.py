"""How large the store is on the disk: its files, and inside the database each kind of data."""

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from storage.backups import SET_ASIDE
from storage.engine import errors
from storage.migrating import BACKUPS

_KINDS: Final = {
    "talks": ("conversations", "messages", "sessions", "commands", "open_responses"),
    "readings": ("emotions", "repetitions", "statements", "anchors", "narrative_uses"),
    "memory": (
        "facts",
        "fact_sources",
        "forgotten",
        "memories",
        "memory_uses",
        "summaries",
        "extracts",
        "learnings",
    ),
    "search": ("search",),
    "vectors": ("vectors",),
}
"""Kinds by the tables they are in, and by the beginnings of those tables' names; the rest is ``other``."""


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes on the disk. ``free`` is what is left on it."""

    database: int
    log: int
    backups: int
    set_aside: int
    other: int
    free: int

    @property
    def total(self) -> int:
        """All that is ours."""
        return self.database + self.log + self.backups + self.set_aside + self.other


def sizes(path: Path) -> Sizes:
    """What the store at ``path`` and everything beside it take up. Asks the file system alone."""
    folder = path.parent
    files = {file.relative_to(folder): size for file, size in _files(folder)}
    logs = {Path(path.name + end) for end in ("-wal", "-shm", "-journal")}
    parts = {
        "database": {each for each in files if each == Path(path.name)},
        "log": logs & files.keys(),
        "backups": {each for each in files if each.parts[0] == BACKUPS},
        "set_aside": {each for each in files if each.parts[0] == SET_ASIDE},
    }
    parts["other"] = files.keys() - set().union(*parts.values())
    counted = {name: sum(files[each] for each in those) for name, those in parts.items()}
    return Sizes(**counted, free=shutil.disk_usage(folder).free)


def _files(folder: Path) -> Iterator[tuple[Path, int]]:
    for file in folder.rglob("*"):
        try:
            if file.is_file():
                yield file, file.stat().st_size
        except OSError:  # it went while we looked
            continue


def sizes_by_kind(db: sqlite3.Connection) -> dict[str, int]:
    """Bytes of the database by kind of data, indexes included; goes through every page. ``free``: pages in no use.

    Empty where this SQLite cannot tell.
    """
    try:
        rows: list[tuple[str, int]] = db.execute(
            """
            SELECT s.tbl_name, SUM(d.pgsize) FROM dbstat d LEFT JOIN sqlite_schema s ON s.name = d.name
            GROUP BY s.tbl_name
            """
        ).fetchall()
    except errors("OperationalError"):
        return {}
    found: dict[str, int] = {}
    for table, size in rows:
        kind = _kind_of(table or "")
        found[kind] = found.get(kind, 0) + size
    free: tuple[int] = db.execute(
        "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size"
    ).fetchone()
    return found | {"free": free[0]}


def _kind_of(table: str) -> str:
    for kind, tables in _KINDS.items():
        if table in tables or any(table.startswith(f"{each}_") for each in tables):
            return kind
    return "other"
