"""Copies of the store while it serves: one a day, and one before everything of a person is forgotten.

A copy holds one state of the database from its beginning to its end, and until then the log cannot be emptied. So
copying and cleaning take turns, and a copy hurries once somebody waits to clean.
"""

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import structlog

from server.order_line import STORE_FILE
from storage.backups import backups, clear_partial, copy_online, thin_out
from storage.refusals import StoreRefused

PACE_SECONDS = 0.01  # rest after each mebibyte, so that the disk serves those who talk
FIRST_SECONDS = 60.0  # a start is busy enough
LOOK_SECONDS = 600.0

log: structlog.stdlib.BoundLogger = structlog.get_logger("copies")


class _Stopped(Exception):
    """The server stops: the copy is given up."""


class Copier:
    """Makes copies of the one store in ``folder``, one at a time."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / STORE_FILE
        self._turn = anyio.Lock()  # not of a state: of the file, which other programs may open as well
        self._waiting = 0
        self._stopped = False

    async def copy(self, at: int) -> Path:
        """A checked copy, dated ``at`` (milliseconds since 1970). Raises ``StoreRefused``; then there is none."""
        async with self._turn:
            made = await anyio.to_thread.run_sync(copy_online, self._path, at, self._pace)
        log.info("copy.made", name=made.name)
        return made

    @asynccontextmanager
    async def none_made(self) -> AsyncGenerator[None]:
        """While the block runs no copy is made; one that is being made is waited for, and hurries."""
        self._waiting += 1
        try:
            async with self._turn:
                yield
        finally:
            self._waiting -= 1

    def stop(self) -> None:
        """Give up what is being made."""
        self._stopped = True

    def _pace(self) -> None:
        """On the copy's thread, after each step."""
        if self._stopped:
            raise _Stopped
        if not self._waiting:
            time.sleep(PACE_SECONDS)


class DailyCopies:
    """Sees to it that there is a copy of every ``hours``; a disk that has no room is told and tried again."""

    def __init__(
        self,
        copier: Copier,
        folder: Path,
        *,
        hours: float,
        now_ms: Callable[[], int],
        first: float = FIRST_SECONDS,
    ) -> None:
        self._copier = copier
        self._folder = folder
        self._every = hours * 3_600.0
        self._now_ms = now_ms
        self._first = first
        self._made: float | None = None  # on the monotonic clock
        self.failed: str | None = None  # why the last try came to nothing

    async def __call__(self) -> None:
        """Look again and again, for ever."""
        clear_partial(self._folder)
        await anyio.sleep(self._first)
        while self._every:
            if self._due():
                await self.make()
            await anyio.sleep(LOOK_SECONDS)

    async def make(self) -> None:
        """Make one now, and keep the number of copies within bounds."""
        try:
            await self._copier.copy(self._now_ms())
        except StoreRefused as refused:
            self.failed = refused.code
            log.warning("copy.failed", code=refused.code, detail=refused.detail)
            return
        except _Stopped:
            return
        self._made, self.failed = time.monotonic(), None
        if gone := thin_out(self._folder):
            log.info("copies.thinned", copies=len(gone))

    def _due(self) -> bool:
        """Once a run at least where the clock is off: the age of the last copy cannot be told then."""
        if self._made is not None:
            return time.monotonic() - self._made >= self._every
        last = max((each.at for each in backups(self._folder)), default=None)
        return last is None or abs(self._now_ms() - last) >= self._every * 1_000
