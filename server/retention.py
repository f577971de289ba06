"""What goes by its age: results of commands, what could be taken back, copies of the store, and, where the operator
says so, conversations that were put away long ago.

Only while the clock can be believed (decision D6); what went leaves no byte in the files. Staff who have looked at the
date say so on the command line; a server that runs holds the store, so their word is a small file in the data folder.
"""

import os
import sqlite3
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import anyio
import msgspec
import structlog

from companions.changes import ConversationDeleted
from server.scrubber import Scrubber
from storage.apply import apply_all
from storage.audit import prune_acts
from storage.backups import expire
from storage.commands import prune_results
from storage.connection import Store
from storage.conversations import archived_before
from storage.facts_undo import lapsing
from storage.memories import prune_undo
from storage.order import Rest, date_confirmed, purge_rests
from storage.private_files import private
from storage.refusals import StoreRefused

EVERY_SECONDS = 3_600.0
LOOK_SECONDS = 2.0
DATE_FILE = "date.confirmed"
PURGED_AT_ONCE = 100
DAY_MS = 24 * 3_600_000

log: structlog.stdlib.BoundLogger = structlog.get_logger("retention")


def today(at: int) -> str:
    """The date of ``at`` (milliseconds since 1970) where this machine stands, such as 2026-01-31."""
    return datetime.fromtimestamp(at / 1_000, UTC).astimezone().strftime("%Y-%m-%d")


def say_date(folder: Path, date: str) -> None:
    """Leave word for the server that holds ``folder``: today is ``date``."""
    fresh = folder / f"{DATE_FILE}.{os.getpid()}"
    private(fresh, date.encode())
    fresh.replace(folder / DATE_FILE)


def _said_date(folder: Path) -> str | None:
    file = folder / DATE_FILE
    try:
        said = file.read_text(encoding="ascii", errors="replace").strip()
        file.unlink()
    except OSError:
        return None
    return said


class _Pruned(msgspec.Struct, frozen=True):
    rests: Rest | None
    rows: int = 0
    texts: tuple[str, ...] = ()


class Retention:
    """Looks once an hour, and first when the server starts."""

    def __init__(
        self,
        store: Store,
        folder: Path,
        scrubber: Scrubber,
        *,
        now_ms: Callable[[], int],
        archived_days: int = 0,
    ) -> None:
        self._store = store
        self._folder = folder
        self._scrubber = scrubber
        self._now_ms = now_ms
        self._archived_days = archived_days
        self.rests: Rest | None = None  # why nothing goes by its age now

    async def __call__(self) -> None:
        """Look again and again, for ever."""
        look_at = time.monotonic()
        while True:
            try:
                if await self.heard() or time.monotonic() >= look_at:
                    await self.look(self._now_ms())
                    look_at = time.monotonic() + EVERY_SECONDS
            except StoreRefused as refused:
                log.warning("retention.waits", code=refused.code)
                look_at = time.monotonic() + EVERY_SECONDS
            await anyio.sleep(LOOK_SECONDS)

    async def heard(self) -> bool:
        """Take up staff's word on the date; False where there is none, or the clock here says another one."""
        said, at = _said_date(self._folder), self._now_ms()
        if said is None:
            return False
        if said != today(at):
            log.warning("date.contradicted", clock=today(at))
            return False
        await self._store.transact(lambda db: date_confirmed(db, at))
        log.info("date.confirmed", clock=today(at))
        return True

    async def look(self, at: int) -> None:
        """Remove what is too old at ``at``."""

        def prune(db: sqlite3.Connection) -> _Pruned:
            if rests := purge_rests(db, at):
                return _Pruned(rests)
            texts = lapsing(db, at)
            return _Pruned(None, prune_results(db, at) + prune_undo(db, at) + prune_acts(db), texts)

        pruned = await self._store.transact(prune)
        self._tell(pruned.rests)
        if pruned.rests is not None:
            return
        rows = pruned.rows + await self._purge_archived(at)
        copies = expire(self._folder, at)
        if rows:
            await self._scrubber.now(pruned.texts)
        if rows or copies:
            log.info("retention.removed", rows=rows, backups=len(copies))

    async def _purge_archived(self, at: int) -> int:
        """Remove the conversations that were put away longer ago than the operator keeps them; none by default."""
        if not self._archived_days:
            return 0
        before, gone = at - self._archived_days * DAY_MS, 0
        while found := await self._store.transact(lambda db: purge_archived(db, before, at)):
            gone += found
        return gone

    def _tell(self, rests: Rest | None) -> None:
        if rests != self.rests and rests is not None:
            log.warning("retention.rests", reason=rests)
        if rests is None and self.rests is not None:
            log.info("retention.goes_on")
        self.rests = rests


def purge_archived(db: sqlite3.Connection, before: int, at: int) -> int:
    """Remove some conversations that were archived before a time, of everybody; how many: 0 when all are gone."""
    changes = [
        ConversationDeleted(user=user, companion=companion, at=at, conversation=conversation)
        for user, companion, conversation in archived_before(db, before, PURGED_AT_ONCE)
    ]
    apply_all(db, changes)
    return len(changes)
