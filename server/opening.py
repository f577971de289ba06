"""The store as a start finds it: opened, with what was kept aside, held against the ledger, and recovered."""

import sqlite3
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, suppress
from pathlib import Path

import msgspec
import structlog

from server.ids import now_ms
from server.scrubber import CLEAN_FILE
from server.spilling import brought_in, replayed
from storage.absent import AbsentStore, opened_or_absent, standing_for
from storage.connection import Durability, Store, ThreadStore
from storage.erased import LEDGER_FILE, erased_before
from storage.mark import Mark
from storage.order import epoch
from storage.recovery import recover
from storage.refusals import StoreRefused, translated
from storage.spill import Group, Spill

log: structlog.stdlib.BoundLogger = structlog.get_logger("server")


class Found(msgspec.Struct, frozen=True):
    """The store; ``waits`` is what could not be brought in yet and lands first. ``absent``: why it is not used."""

    store: Store
    epoch: str
    waits: list[Group]
    absent: AbsentStore | None
    older: bool  # than what stood in its place


@asynccontextmanager
async def found(
    path: Path, durability: Durability, spill_file: Spill | None, *, unless: StoreRefused | None = None
) -> AsyncGenerator[Found]:
    """The store at ``path``, ready to serve; or absent, where it cannot be opened or written now, or ``unless``."""
    async with AsyncExitStack() as stack:
        mark = stack.enter_context(closing(Mark(path.parent)))  # noted in until the store is closed
        store = await stack.enter_async_context(opened_or_absent(path, durability, unless=unless))
        absent = store if isinstance(store, AbsentStore) else None
        older: bool | None = None
        with suppress(StoreRefused):  # then it is asked again below
            older = absent is None and await _older(store, mark)
        waits = await replayed(spill_file, store)
        try:
            if older is None:
                older = await _older(store, mark)
            this_epoch = await _recovered(store, path.parent, waits) if absent is None else absent.code
        except StoreRefused as refused:  # another program holds it, or it turns out that it cannot be written
            await stack.aclose()
            absent = stack.enter_context(standing_for(path, refused))
            this_epoch = absent.code
        if absent is not None:
            log.error("store.absent", code=absent.code, detail=absent.detail)
        yield Found(absent or store, this_epoch, waits, absent, bool(older))


async def _older(store: Store, mark: Mark) -> bool:
    """Whether an older copy was put in the store's place: then, or where that cannot be told, it has a new epoch."""
    before = await store.transact(mark.held_against)
    if isinstance(store, ThreadStore):
        store.committed = mark.note
    if before is not None:
        log.warning("store.older", before=before[1], epoch=before[0])
    return before is not None


async def _recovered(store: Store, folder: Path, waits: Sequence[Group]) -> str:
    """Bring in what ``waits``, erase again what came back of what was erased, end what a crash left open; the epoch."""
    with translated():
        ledger = tuple(erased_before(folder / LEDGER_FILE))

    def erased_again(db: sqlite3.Connection) -> int:
        lines = brought_in(db, waits, ledger)
        if lines:  # the files are not clean any more, whatever was noted when they last were
            (folder / CLEAN_FILE).unlink(missing_ok=True)
        return lines

    again = await store.transact(erased_again)
    if again:
        log.warning("store.erased_again", lines=again)
    left = await store.transact(lambda db: recover(db, now_ms()))
    log.info("store.ready", interrupted=len(left.interrupted), jobs_released=left.released)
    return await store.read(epoch)
