"""The one seam to SQLite: a function is run on the database's thread, inside a transaction.

Every write is one ``transact`` (BEGIN IMMEDIATE … COMMIT) and every question one ``read``; both take a plain
function of a connection, so that all SQL of this room is synchronous, and one hop to the thread serves a
whole batch. Whoever waits may be cancelled; the function is not, it runs to its end.
"""

import os
import sqlite3
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Literal, Protocol, TypeAlias, TypeVar

import aiosqlite
import anyio

from storage import engine
from storage.erased import settle
from storage.migrating import migrate, refuse_newer
from storage.refusals import StoreRefused, translated

T = TypeVar("T")
Durability: TypeAlias = Literal["acked", "process", "debounced"]

OLDEST_SQLITE = (3, 37, 0)  # the first with STRICT tables
BUSY_TIMEOUT_MS = 5_000
CLOSE_GRACE_S = 10.0
JOURNAL_LIMIT_BYTES = 16 * 1024 * 1024


class Store(Protocol):
    """A database that runs functions. Both methods raise ``StoreRefused`` when disk or file refuse."""

    async def transact(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``fn`` in one transaction of its own; an exception undoes all of it and comes back."""
        ...

    async def read(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``fn``, which only asks, against one consistent state."""
        ...

    async def tend(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``fn`` outside of any transaction: for what the files need, not for what is in them."""
        ...


class InlineStore:
    """A store in the calling thread, without a loop: for tests and for simulated time."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    async def transact(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``fn`` in one transaction, here and now."""
        return transacted(self.db, fn)

    async def read(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``fn`` against one state, here and now."""
        return asked(self.db, fn)

    async def tend(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``fn`` on the bare connection, here and now."""
        return tended(self.db, fn)


class ThreadStore:
    """A store on the thread of its aiosqlite connection."""

    def __init__(
        self,
        connection: aiosqlite.Connection,
        db: sqlite3.Connection,
        again: Callable[[], sqlite3.Connection],
        check: Callable[[], None],
    ) -> None:
        self._connection = connection
        self._db = db
        self._again = again
        self._check = check  # raises where what is written now would be found by nobody
        self.committed: Callable[[sqlite3.Connection], object] = lambda _: None  # is called after each commit
        self.damaged: Callable[[str], None] = lambda _: None  # is told when it turns out to contradict itself

    async def transact(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``fn`` in one transaction on the database's thread."""

        def checked() -> T:
            self._check()
            result = transacted(self._db, fn)
            self.committed(self._db)
            return result

        return await self._hop(checked)

    async def read(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``fn`` against one state on the database's thread."""
        return await self._hop(lambda: asked(self._db, fn))

    async def reopen(self) -> None:
        """After a failed fsync: open the file anew and bring the log into it (decision D3).

        Until this has come to its end what the file system said of earlier writes cannot be trusted. Raises
        ``StoreRefused`` while it still refuses; questions are answered by the old connection until then.
        """

        def anew() -> None:
            self._check()  # or another file would be begun in its place
            fresh = self._again()
            try:
                checkpointed(fresh)
            except BaseException:
                fresh.close()
                raise
            old, self._db = self._db, fresh
            old.close()

        await self._hop(anew)

    async def close(self) -> None:
        """Close the file; the thread ends with its own connection."""
        await self._hop(self._db.close)

    async def tend(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``fn`` on the bare connection, on the database's thread."""
        return await self._hop(lambda: tended(self._db, fn))

    async def _hop(self, run: Callable[[], T]) -> T:
        # A closure on purpose: aiosqlite logs the repr of what it runs, and a partial shows its arguments.
        try:
            return await _on_thread(self._connection, run)
        except StoreRefused as refused:
            if refused.code == "storage.damaged":
                self.damaged(refused.detail)
            raise


async def _on_thread(connection: aiosqlite.Connection, run: Callable[[], T]) -> T:
    execute: Callable[[Callable[[], T]], object] = connection._execute  # noqa: SLF001 # pyright: ignore[reportPrivateUsage, reportUnknownMemberType, reportUnknownVariableType]  # aiosqlite has no public way to run a function on its thread, and one hop a statement costs ten times as much
    result: T = await execute(run)  # type: ignore[misc] # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType]  # it is untyped: a coroutine of what ``run`` returns
    return result


def transacted(db: sqlite3.Connection, fn: Callable[[sqlite3.Connection], T]) -> T:
    """``fn`` in a transaction that began with the right to write; whatever goes wrong undoes it."""
    with translated():
        db.execute("BEGIN IMMEDIATE")
        try:
            result = fn(db)
            settle(db)  # what was erased is in the ledger before it is gone
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:  # SQLite ends it by itself after some errors of the disk
                db.execute("ROLLBACK")
            raise
        return result


def asked(db: sqlite3.Connection, fn: Callable[[sqlite3.Connection], T]) -> T:
    """``fn`` against one state of the database, which it cannot change."""
    with translated():
        try:
            db.execute("PRAGMA query_only = ON")
            db.execute("BEGIN")
            return fn(db)
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")
            db.execute("PRAGMA query_only = OFF")


def checkpointed(db: sqlite3.Connection) -> None:
    """Bring the whole write-ahead log into the database and to the disk; ``StoreRefused`` where that fails."""
    with translated():
        blocked, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if blocked:
        raise StoreRefused("storage.busy", "checkpoint")


def tended(db: sqlite3.Connection, fn: Callable[[sqlite3.Connection], T]) -> T:
    """``fn`` with the connection as it is; a transaction it leaves open is undone."""
    with translated():
        try:
            return fn(db)
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")


def connect(path: Path, durability: Durability) -> sqlite3.Connection:
    """An open connection with every pragma set. A newer store is refused before a byte of it is written."""
    with translated():
        _checked(path)
        db = _raw(path)
        try:
            _prepare(db, durability)
        except BaseException:
            db.close()
            raise
    return db


def _checked(path: Path) -> None:
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise RuntimeError(f"SQLite 3.37 or later is needed, this Python has {sqlite3.sqlite_version}")
    _private(path)
    refuse_newer(path)


def _raw(path: Path) -> sqlite3.Connection:
    return engine.connect(path, timeout=BUSY_TIMEOUT_MS / 1000, isolation_level=None, cached_statements=256)


def _private(path: Path) -> None:
    """The folder is its owner's alone (0700) and so is the file (0600), from before the first byte."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        path.parent.chmod(0o700)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        path.chmod(0o600)


def _prepare(db: sqlite3.Connection, durability: Durability) -> None:
    db.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute(f"PRAGMA synchronous = {'NORMAL' if durability == 'process' else 'FULL'}")
    db.execute("PRAGMA fullfsync = ON")  # macOS: fsync alone does not reach the disk there
    db.execute("PRAGMA checkpoint_fullfsync = ON")
    db.execute(f"PRAGMA journal_size_limit = {JOURNAL_LIMIT_BYTES}")
    db.execute("PRAGMA secure_delete = ON")
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("PRAGMA trusted_schema = OFF")
    db.execute("PRAGMA cell_size_check = ON")
    db.execute("PRAGMA temp_store = MEMORY")


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


@asynccontextmanager
async def opened(
    path: Path, durability: Durability = "acked", *, now: Callable[[], int] = _now_ms
) -> AsyncGenerator[Store]:
    """The store at ``path``, created or migrated, until the block ends; it is always closed.

    ``now`` (milliseconds since 1970) dates the backup that precedes a migration. Raises ``StoreRefused``.
    The caller holds the lock of the folder (``storage.lock``).
    """
    made: list[sqlite3.Connection] = []

    def connector() -> sqlite3.Connection:
        made.append(
            _raw(path)
        )  # reads nothing yet: a failure here would leave a thread that nobody waits for
        return made[0]

    def prepare() -> os.stat_result:
        with translated():
            _prepare(made[0], durability)
        migrate(made[0], path, now())
        with translated():
            return path.stat()

    stack = AsyncExitStack()
    with translated():
        _checked(path)
    connection = aiosqlite.Connection(connector, iter_chunk_size=64)
    with anyio.CancelScope(shield=True), translated():
        await connection
    try:
        check = partial(in_place, path, await _on_thread(connection, prepare))
        store = ThreadStore(connection, made[0], lambda: connect(path, durability), check)
        stack.push_async_callback(store.close)
        yield store
    finally:
        with anyio.move_on_after(CLOSE_GRACE_S, shield=True):
            await stack.aclose()
            await connection.close()


def in_place(path: Path, known: os.stat_result) -> None:
    """Raises ``StoreRefused`` where the file that was opened is not at its place any more.

    SQLite goes on with a file that was moved or deleted, or whose disk was unmounted: every commit succeeds, and none
    of it is there after a start.
    """
    with translated():
        try:
            found = path.stat()
        except PermissionError:
            return  # whether it may be written, the commit will tell
        except (FileNotFoundError, NotADirectoryError):
            raise StoreRefused("storage.failed", "the file is not at its place any more") from None
    if not os.path.samestat(found, known):
        raise StoreRefused("storage.failed", "another file is at its place")


@contextmanager
def inline(path: Path, durability: Durability = "process", *, at: int = 0) -> Generator[InlineStore]:
    """The same store, in the calling thread. ``at`` (milliseconds since 1970) dates a migration's backup."""
    db = connect(path, durability)
    try:
        migrate(db, path, at)
        yield InlineStore(db)
    finally:
        db.close()


@contextmanager
def read_only(path: Path) -> Generator[sqlite3.Connection]:
    """A store to look at, also while a server writes it. Raises ``StoreRefused``."""
    with translated(), closing(engine.connect(path, options="mode=ro")) as db:
        yield db
