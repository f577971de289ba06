"""A store that cannot be used, or only be looked at: what is refused is refused with the reason, nothing is touched.

So the server starts and talks also beside a file that a newer version wrote, that is damaged, or that lies on a file
system that cannot be written, and says so.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Final, TypeVar

import anyio

from storage import engine
from storage.connection import Durability, Store, asked, opened
from storage.migrating import steps, version_of
from storage.refusals import RefusalCode, StoreRefused, translated

T = TypeVar("T")

_REFUSALS: Final[tuple[type[Exception], ...]] = (StoreRefused, *engine.errors())

MOST_COPIED = 512 * 1024 * 1024  # bytes of a store whose log must be brought in before it can be read


class AbsentStore:
    """Refuses with ``code``."""

    def __init__(self, code: RefusalCode, detail: str) -> None:
        self.code: RefusalCode = code
        self.detail = detail

    async def transact(self, fn: Callable[[sqlite3.Connection], T]) -> T:  # noqa: ARG002  # the seam's shape
        """Refused."""
        raise StoreRefused(self.code, self.detail)

    async def read(self, fn: Callable[[sqlite3.Connection], T]) -> T:  # noqa: ARG002  # the seam's shape
        """Refused."""
        raise StoreRefused(self.code, self.detail)

    async def tend(self, fn: Callable[[sqlite3.Connection], T]) -> T:  # noqa: ARG002  # the seam's shape
        """Refused."""
        raise StoreRefused(self.code, self.detail)


class SeenStore(AbsentStore):
    """What is in it can be asked for; whatever would change it is refused."""

    def __init__(self, refused: StoreRefused, db: sqlite3.Connection) -> None:
        super().__init__(refused.code, refused.detail)
        self._db = db
        self._turn = anyio.CapacityLimiter(1)  # one question at a time: there is one connection

    async def read(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``fn`` against the one state there is."""
        return await anyio.to_thread.run_sync(lambda: asked(self._db, fn), limiter=self._turn)


@asynccontextmanager
async def opened_or_absent(
    path: Path, durability: Durability, *, unless: StoreRefused | None = None
) -> AsyncGenerator[Store]:
    """The store at ``path``, or one that says why it cannot be used; the file is left as it is then.

    Where only writing is impossible it can be read. ``unless`` it is known beforehand that it may not be used.
    """
    async with AsyncExitStack() as stack:
        try:
            if unless is not None:
                raise unless
            store: Store = await stack.enter_async_context(opened(path, durability))
        except StoreRefused as refused:
            store = stack.enter_context(standing_for(path, refused))
        yield store


@contextmanager
def standing_for(path: Path, refused: StoreRefused) -> Generator[AbsentStore]:
    """What stands for the store at ``path``, which was refused: where only writing is impossible it can be read."""
    with ExitStack() as stack:
        seen = _seen(path, refused, stack) if refused.code == "storage.read_only" else None
        yield seen or AbsentStore(refused.code, refused.detail)


def _seen(path: Path, refused: StoreRefused, stack: ExitStack) -> SeenStore | None:
    for way in (_as_it_is, _as_if_for_ever, _from_a_copy):
        try:
            return SeenStore(refused, stack.enter_context(way(path)))
        except _REFUSALS:
            continue
    return None


@contextmanager
def _as_it_is(path: Path) -> Generator[sqlite3.Connection]:
    with _looked_at(path, path, "mode=ro") as db:
        yield db


@contextmanager
def _as_if_for_ever(path: Path) -> Generator[sqlite3.Connection]:
    """Without a log beside it the file alone is the store, and where it cannot be written nobody changes it."""
    log = Path(f"{path}-wal")
    if log.exists() and log.stat().st_size:
        raise StoreRefused("storage.read_only", "a log")
    with _looked_at(path, path, "mode=ro&immutable=1") as db:
        yield db


@contextmanager
def _from_a_copy(path: Path) -> Generator[sqlite3.Connection]:
    """Where a log must be brought in first that is done to a copy, which has no name any more while it is read."""
    with translated(), tempfile.TemporaryDirectory() as folder:
        if path.stat().st_size > MOST_COPIED:
            raise StoreRefused("storage.read_only", "too large to copy")
        copy = Path(folder) / path.name
        for end in ("", "-wal"):
            shutil.copyfile(f"{path}{end}", f"{copy}{end}")
        with closing(engine.connect_with(engine.key_of(path), copy, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode = DELETE")
        with _looked_at(copy, path, "mode=ro") as db:
            copy.unlink()
            yield db


@contextmanager
def _looked_at(file: Path, store: Path, options: str) -> Generator[sqlite3.Connection]:
    connection = engine.connect_with(
        engine.key_of(store), file, options=options, isolation_level=None, check_same_thread=False
    )
    with translated(), closing(connection) as db:
        db.execute("SELECT * FROM store").fetchall()
        if version_of(db) != len(steps()):
            raise StoreRefused("storage.read_only", "of an older version")
        yield db
