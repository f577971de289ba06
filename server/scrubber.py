"""After something was removed the files are cleaned, and searched for it.

Whoever removes waits for it, so that an acknowledged removal is one that no file holds any more; what an answer made
anew replaced, and what the person's hold on their memory took away, is cleaned a little later: that is kept for a
day, so that it can be taken back. A crash in between is made good at the next start: a small file says how far
the ledger had grown when the files were clean.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import anyio
import structlog

from companions.changes import AnswerGiven, AnyChange
from companions.fact_changes import (
    FactEdited,
    FactsForgotten,
    MemoryUndone,
    SummaryEdited,
    SummaryForgotten,
)
from server.copying import Copier
from storage.connection import Store
from storage.erased import LEDGER_FILE
from storage.private_files import private
from storage.refusals import StoreRefused
from storage.scrubbing import Scrubbed, scrub

CLEAN_FILE = "erased.clean"
QUIET_SECONDS = 5.0
TAKEN_AWAY = (FactEdited, FactsForgotten, MemoryUndone, SummaryEdited, SummaryForgotten)

log: structlog.stdlib.BoundLogger = structlog.get_logger("scrubber")


class Scrubber:
    """Cleans the files of one store."""

    def __init__(self, store: Store, folder: Path) -> None:
        self._store = store
        self._folder = folder
        self.copier = Copier(folder)
        self._owed = anyio.Event()
        if self._ledger_bytes() != self._clean_bytes():
            self._owed.set()

    def committed(self, groups: Sequence[tuple[AnyChange, ...]]) -> None:
        """Something was written: what it replaced or took away leaves its words in the files."""
        if any(_leaves_words(each) for group in groups for each in group):
            self._owed.set()

    async def __call__(self) -> None:
        """Clean what is owed, a little after it is, for ever."""
        while True:
            await self._owed.wait()
            await anyio.sleep(QUIET_SECONDS)
            await self.now()

    async def now(self, texts: Sequence[str | bytes] = ()) -> Scrubbed | None:
        """Clean the files and look for ``texts`` in them; None where the store refuses: it stays owed."""
        upto = self._ledger_bytes()
        done: Scrubbed | None = None
        with anyio.CancelScope(shield=True):
            try:
                async with self.copier.none_made():
                    done = await self._store.tend(lambda db: scrub(db, texts))
            except StoreRefused as refused:
                log.warning("scrub.refused", code=refused.code, detail=refused.detail)
        if done is None:
            self._owed.set()
            return None
        if done.clean:
            self._owed = anyio.Event()
            with suppress(OSError):
                private(self._folder / CLEAN_FILE, str(upto).encode())
        log.info("scrub.done", clean=done.clean, rewritten=done.rewritten)
        return done

    async def settle(self) -> None:
        """At the end: clean what is still owed."""
        if self._owed.is_set():
            await self.now()

    def _ledger_bytes(self) -> int:
        ledger = self._folder / LEDGER_FILE
        return ledger.stat().st_size if ledger.exists() else 0

    def _clean_bytes(self) -> int:
        try:
            return int((self._folder / CLEAN_FILE).read_text("ascii"))
        except (OSError, ValueError):
            return 0


def _leaves_words(change: AnyChange) -> bool:
    if isinstance(change, AnswerGiven):
        return bool(change.replaces_from)
    return isinstance(change, TAKEN_AWAY)
