"""Which SQLite opens a file: Python's own, or, below a folder whose key was given, SQLCipher, which encrypts it.

The key is 32 random bytes, given once when a process starts, by whoever read the settings. A folder that is encrypted
says so by the file ``key.check``, which tells a wrong key from a damaged store without telling the key.
"""

import hashlib
import hmac
import os
import sqlite3
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

KEY_BYTES: Final = 32
CHECK_FILE: Final = "key.check"
PLAIN: Final = b"SQLite format 3\x00"
_keys: dict[Path, bytes] = {}


class WrongKey(Exception):
    """The key does not fit what is in the folder, or there should be one, or none. The message says which."""


def unlock(folder: Path, key: bytes) -> None:
    """From here on every store in ``folder`` or below is opened with ``key``. Raises ``WrongKey``."""
    check, said = folder / CHECK_FILE, _said(key)
    if check.exists() and not hmac.compare_digest(check.read_bytes(), said):
        raise WrongKey("is not the key of this store")
    plain = [each.name for each in folder.glob("*.db") if _begins(each) == PLAIN]
    if plain:
        raise WrongKey("is given for a store that is not encrypted; `fireside encrypt` makes it so")
    if not check.exists():
        write_check(folder, key)
    _keys[folder.absolute()] = key


def write_check(folder: Path, key: bytes) -> None:
    """Say in ``folder`` that what is in it is encrypted with ``key``."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder / CHECK_FILE, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    try:
        os.write(descriptor, _said(key))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def forget(folder: Path) -> None:
    """The key of ``folder`` is used no more."""
    _keys.pop(folder.absolute(), None)


def is_encrypted(folder: Path) -> bool:
    """Whether what is in ``folder`` needs a key."""
    return (folder / CHECK_FILE).exists()


def derived(key: bytes, purpose: str) -> bytes:
    """A key for something else that only who has ``key`` can make."""
    return hmac.digest(key, f"fireside {purpose}".encode(), hashlib.sha256)


def _said(key: bytes) -> bytes:
    return derived(key, "key check").hex().encode()


def _begins(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(PLAIN))


def key_of(path: Path) -> bytes | None:
    """The key under which the file at ``path`` is written; None: in the clear."""
    if not _keys:
        return None
    return next((_keys[each] for each in path.absolute().parents if each in _keys), None)


def connect(
    path: Path, *, options: str = "", **more: Any
) -> sqlite3.Connection:  # Any: sqlite3.connect's own
    """An open connection to the file at ``path``; ``options`` are those of a URI, such as ``mode=ro``."""
    return connect_with(key_of(path), path, options=options, **more)


def connect_with(
    key: bytes | None, path: Path, *, options: str = "", **more: Any
) -> sqlite3.Connection:  # Any: as it
    """The same with a key that is known: for a copy elsewhere."""
    target = f"{path.absolute().as_uri()}?{options}" if options else str(path)
    if key is None:
        plain: sqlite3.Connection = sqlite3.connect(target, uri=bool(options), **more)
        return plain
    db: sqlite3.Connection = _cipher().connect(target, uri=bool(options), **more)  # it has the same interface
    try:
        db.execute("PRAGMA cipher_log_level = NONE")  # else it writes to standard error
        db.execute(f"PRAGMA key = \"x'{key.hex()}'\"")
    except BaseException:
        db.close()
        raise
    return db


def cipher(path: Path) -> sqlite3.Connection:
    """A file in the clear, opened by the SQLite that can write it encrypted. Raises ``WrongKey`` without it."""
    db: sqlite3.Connection = _cipher().connect(str(path), isolation_level=None)  # it has the same interface
    return db


@cache
def _cipher() -> ModuleType:
    try:
        return import_module("sqlcipher3.dbapi2")
    except ImportError:
        raise WrongKey("needs SQLCipher: pip install 'fireside[encrypted]'") from None


@cache
def _modules() -> tuple[Any, ...]:  # Any: two modules of one interface
    try:
        return (sqlite3, import_module("sqlcipher3.dbapi2"))
    except ImportError:
        return (sqlite3,)


@cache
def errors(*names: str) -> tuple[type[Exception], ...]:
    """Those of ``names`` (all, where none is named) of every SQLite there is here: for an ``except``."""
    return tuple(getattr(module, name) for module in _modules() for name in names or ("Error",))
