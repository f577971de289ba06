"""What the store says when it cannot: the errors of SQLite, in the words of the wire."""

import errno
import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal, TypeAlias

from storage.engine import errors

RefusalCode: TypeAlias = Literal[
    "storage.full",  # no room on the disk
    "storage.read_only",  # the file or its file system may not be written
    "storage.busy",  # another program held the lock for longer than the time-out
    "storage.newer",  # written by a later version of this program, and left untouched
    "storage.damaged",  # not a database, or one that contradicts itself
    "storage.failed",  # input or output broke (fsync included): open it again before anything is promised
]

_CODES: dict[int, RefusalCode] = {
    sqlite3.SQLITE_FULL: "storage.full",
    sqlite3.SQLITE_READONLY: "storage.read_only",
    sqlite3.SQLITE_PERM: "storage.read_only",
    sqlite3.SQLITE_CANTOPEN: "storage.read_only",
    sqlite3.SQLITE_BUSY: "storage.busy",
    sqlite3.SQLITE_LOCKED: "storage.busy",
    sqlite3.SQLITE_CORRUPT: "storage.damaged",
    sqlite3.SQLITE_NOTADB: "storage.damaged",
    sqlite3.SQLITE_IOERR: "storage.failed",
}


_EXTENDED: dict[int, RefusalCode] = {
    sqlite3.SQLITE_IOERR_SHMSIZE: "storage.full",  # no room for the index of the log
}


class StoreRefused(Exception):
    """The store did not take, or could not give, what it was asked for. Its words hold nothing of anyone's.

    ``detail`` names the cause for a log line: SQLite's own name of the error, or a version.
    """

    def __init__(self, code: RefusalCode, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code: RefusalCode = code
        self.detail = detail


def refused_by_os(error: OSError) -> StoreRefused:
    """What an error of the file system means for the store."""
    name = errno.errorcode.get(error.errno or 0, "OSError")
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return StoreRefused("storage.full", name)
    if error.errno in {errno.EROFS, errno.EACCES, errno.EPERM}:
        return StoreRefused("storage.read_only", name)
    return StoreRefused("storage.failed", name)


@contextmanager
def translated() -> Generator[None]:
    """Errors of the disk and of its files become ``StoreRefused``; a wrong statement stays an exception."""
    try:
        yield
    except errors() as error:
        extended = getattr(error, "sqlite_errorcode", None)
        code = None
        if isinstance(extended, int):
            code = _EXTENDED.get(extended) or _CODES.get(extended & 0xFF)
        if code is None:
            raise
        raise StoreRefused(code, getattr(error, "sqlite_errorname", "")) from error
    except (
        UnicodeDecodeError
    ) as error:  # a name, a text or SQLite's own complaint that quotes one: the file is damaged
        raise StoreRefused("storage.damaged", "it holds text that is none") from error
    except OSError as error:
        raise refused_by_os(error) from error
