"""The spill file between the writer and the disk, and opening a store anew after a failed fsync (D2, D3)."""

import sqlite3
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import anyio
import structlog

from actors.writer import NoSpill
from actors.writer import Spill as SpillPort
from companions.changes import AnyChange
from storage.apply import apply_groups
from storage.connection import Store, ThreadStore
from storage.erased import Erased
from storage.erasing import hold_against
from storage.refusals import StoreRefused
from storage.spill import Group, Spill, spill

SPILL_FILE = "spill"

log: structlog.stdlib.BoundLogger = structlog.get_logger("spill")


class OnDisk:
    """The spill file, used on a thread; a disk that refuses this too leaves what waits in memory."""

    def __init__(self, file: Spill) -> None:
        self._file = file

    async def keep(self, groups: Sequence[tuple[AnyChange, ...]]) -> int:
        """Append groups; how many of them are on the disk now."""
        try:
            kept = await anyio.to_thread.run_sync(self._file.keep, groups)
        except StoreRefused as refused:
            log.error("spill.refused", code=refused.code, detail=refused.detail)
            return 0
        if kept < len(groups):
            log.warning("spill.full", kept=kept, in_memory=len(groups) - kept)
        return kept

    async def clear(self) -> None:
        """Everything that was kept has landed: overwrite it."""
        try:
            await anyio.to_thread.run_sync(self._file.clear)
        except StoreRefused as refused:
            log.error("spill.not_cleared", code=refused.code, detail=refused.detail)


@contextmanager
def spilling(folder: Path) -> Generator[tuple[SpillPort, Spill | None]]:
    """The spill of the data folder as the writer uses it, and the file; none where the disk refuses it."""
    with ExitStack() as stack:
        try:
            file = stack.enter_context(spill(folder / SPILL_FILE))
        except StoreRefused as refused:
            log.warning("spill.absent", code=refused.code, detail=refused.detail)
            yield NoSpill(), None
        else:
            yield OnDisk(file), file


async def replayed(file: Spill | None, store: Store, *, port: SpillPort | None = None) -> list[Group]:
    """Bring what an earlier run kept into ``store``, in one transaction, before anything else is written.

    Where the store still refuses, the groups come back: they are the first that wait. What lies behind a record that
    is not whole was never promised to anybody: it is not brought in, and no word of it stays. ``port`` is what clears
    the file; without one it is cleared on a thread.
    """
    groups: list[Group] = []
    try:
        groups = file.waiting() if file is not None else []
        if file is None or not (groups or file.torn):
            return groups
        if file.torn:
            log.warning("spill.torn", groups=len(groups), bytes=file.torn)
        await store.transact(lambda db: apply_groups(db, groups))
    except StoreRefused as refused:
        log.warning("spill.waits", groups=len(groups), code=refused.code)
        return groups
    await (
        port or OnDisk(file)
    ).clear()  # what cannot be overwritten now is brought in once more: that changes nothing
    log.info("spill.replayed", groups=len(groups))
    return []


def brought_in(db: sqlite3.Connection, waits: Sequence[Group], ledger: Sequence[Erased]) -> int:
    """What could not be replayed at first lands before the start changes anything: it gives away places of its own, to
    answers that a crash cut off. How many lines of the ``ledger`` were erased again.

    The writer lands it once more, which changes nothing, and clears the file.
    """
    apply_groups(db, waits)
    return hold_against(db, ledger)


def mending(store: Store) -> Callable[[], Awaitable[bool]]:
    """What the writer asks for after a failed fsync: open the store anew; False while that fails."""

    async def mend() -> bool:
        if not isinstance(store, ThreadStore):
            return False
        try:
            with anyio.CancelScope(shield=True):
                await store.reopen()
        except StoreRefused as refused:
            log.warning("store.not_reopened", code=refused.code, detail=refused.detail)
            return False
        log.info("store.reopened")
        return True

    return mend
