"""What goes by its age: results of commands, what could be taken back, copies of the store.

Only while the clock can be believed (decision D6); what went leaves no byte in the files.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import anyio
import structlog

from server.scrubber import Scrubber
from storage.backups import expire
from storage.commands import prune_results
from storage.connection import Store
from storage.facts_undo import lapsing
from storage.memories import prune_undo
from storage.order import may_purge
from storage.refusals import StoreRefused

EVERY_SECONDS = 3_600.0

log: structlog.stdlib.BoundLogger = structlog.get_logger("retention")


class Retention:
    """Looks once an hour, and first when the server starts."""

    def __init__(self, store: Store, folder: Path, scrubber: Scrubber, *, now_ms: Callable[[], int]) -> None:
        self._store = store
        self._folder = folder
        self._scrubber = scrubber
        self._now_ms = now_ms

    async def __call__(self) -> None:
        """Look again and again, for ever."""
        while True:
            try:
                await self.look(self._now_ms())
            except StoreRefused as refused:
                log.warning("retention.waits", code=refused.code)
            await anyio.sleep(EVERY_SECONDS)

    async def look(self, at: int) -> None:
        """Remove what is too old at ``at``."""

        def prune(db: sqlite3.Connection) -> tuple[bool, int, tuple[str, ...]]:
            believed = may_purge(db, at)
            texts = lapsing(db, at) if believed else ()
            return believed, prune_results(db, at) + prune_undo(db, at), texts

        believed, rows, texts = await self._store.transact(prune)
        copies = expire(self._folder, at) if believed else ()
        if rows:
            await self._scrubber.now(texts)
        if rows or copies:
            log.info("retention.removed", rows=rows, backups=len(copies))
