"""How far the store has come, noted beside it: an older copy that somebody put in its place is known by it.

A copy is a good store and says nothing of what was in the one it replaces: its epoch is the same, and the positions
that were given out since it was made would be given out again to clients that have seen them. So the store's counter,
which only rises, is noted in a file of its own after each commit. A store that stands below its note, or one beside
which there is none, gets a new epoch: then no client goes on as if nothing had happened.
"""

import os
import secrets
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final

from storage.engine import errors
from storage.order import reached, renewed

MARK: Final = "reached"
_LINE: Final = "{epoch} {counter:020d}\n"


class Mark:
    """The note. Where it cannot be written the store goes on, and the next start goes by what is there."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / MARK
        self._file: int | None = None
        self._noted: tuple[str, int] | None = None

    def held_against(self, db: sqlite3.Connection) -> tuple[str, int] | None:
        """Inside of a transaction, give a store that is not known to be the one of before a new epoch.

        Its epoch and counter of before, where it is known to be older than what stood here; else None.
        """
        epoch, counter = reached(db)
        before = _read(self._path)
        if counter == 0 or (before is not None and before[0] == epoch and before[1] <= counter):
            return None
        renewed(db, secrets.token_hex(8))
        return before

    def note(self, db: sqlite3.Connection) -> None:
        """After a commit, on the database's thread: so far it has come."""
        with suppress(OSError, *errors()):
            now = reached(db)
            if now == self._noted:
                return
            line = _LINE.format(epoch=now[0], counter=now[1]).encode()
            if self._file is None:
                self._file = os.open(self._path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
                os.ftruncate(self._file, len(line))  # what stood there may have been longer, and no note
            os.pwrite(self._file, line, 0)
            self._noted = now

    def close(self) -> None:
        """Let go of the file, once nothing is committed any more."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _read(path: Path) -> tuple[str, int] | None:
    try:
        epoch, counter = path.read_text(encoding="ascii").split()
        return epoch, int(counter)
    except (OSError, ValueError):
        return None
