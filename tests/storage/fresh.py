"""An empty store for each test, as a copy of one that was made once: its schema takes ten times as long to make.

That a store is made from nothing is tried by the tests of migrating, and wherever a whole server starts.
"""

import secrets
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from storage.connection import InlineStore, inline
from storage.engine import key_of


@cache
def _empty() -> tuple[bytes, bytes]:
    """The file of an empty store, and the epoch in it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "empty.db")
        with inline(path) as store:
            (epoch,) = store.db.execute("SELECT epoch FROM store").fetchone()
        return path.read_bytes(), str(epoch).encode("ascii")


def placed(path: Path) -> Path:
    """``path``, where an empty store is now, with an epoch of its own, unless a store was there or is encrypted."""
    if path.exists() or key_of(path) is not None:
        return path
    content, epoch = _empty()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_bytes(content.replace(epoch, secrets.token_hex(8).encode("ascii")))
    return path


@contextmanager
def empty_store() -> Generator[InlineStore]:
    """An empty store in the calling thread, gone with the block."""
    with tempfile.TemporaryDirectory() as folder, inline(placed(Path(folder, "f.sqlite3"))) as store:
        yield store
