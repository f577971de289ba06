"""The full-text index follows what was said, in batches of its own: no word of a talk waits for it.

Debounced: 2 s after the last commit, 10 s after the first, and at once when the server stops. What a crash left out
is found at the next start, since the store knows how far each conversation is indexed.
"""

import anyio
import structlog

from storage.connection import Store
from storage.fulltext import index_pending
from storage.refusals import StoreRefused

QUIET_SECONDS = 2.0
LONGEST_SECONDS = 10.0
REST_SECONDS = (5.0, 60.0)  # after the store refused: doubled from the first up to the second
BATCH = 32  # rows a transaction: when many talks end at once, what people say goes between

log: structlog.stdlib.BoundLogger = structlog.get_logger("indexer")


class Indexer:
    """Keeps the index up with the store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._changed = anyio.Event()
        self._last = 0.0

    def committed(self) -> None:
        """Something was written."""
        self._last = anyio.current_time()
        self._changed.set()

    async def __call__(self) -> None:
        """Index, wait for changes, wait for quiet, again. A store that refuses is asked again, ever more rarely."""
        rest = REST_SECONDS[0]
        while True:
            self._changed = anyio.Event()
            try:
                await self.index()
            except StoreRefused as refused:
                log.warning("index.waits", code=refused.code, seconds=rest)
                await anyio.sleep(rest)
                rest = min(2 * rest, REST_SECONDS[1])
                continue
            rest = REST_SECONDS[0]
            await self._changed.wait()
            await self._quiet()

    async def index(self) -> None:
        """Write every row that is due."""
        while await self._store.transact(lambda db: index_pending(db, BATCH)):
            await anyio.lowlevel.checkpoint()  # what people say goes first

    async def _quiet(self) -> None:
        first = anyio.current_time()
        while True:
            now = anyio.current_time()
            until = min(self._last + QUIET_SECONDS, first + LONGEST_SECONDS)
            if now >= until:
                return
            await anyio.sleep(until - now)
