"""A disk on virtual time: it takes its time, refuses by a schedule, and is gone at once when the process is killed.

The same seam as the real store's thread: one function after the other, each to its end whoever waits for it.
"""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import anyio

from actors.writer import Spill as SpillPort
from companions.changes import AnyChange
from storage.connection import asked, checkpointed, connect, tended, transacted
from storage.refusals import RefusalCode, StoreRefused
from storage.spill import Spill
from tests.simulation.fate import Fate

T = TypeVar("T")

PAUSE_SECONDS = (0.0, 0.004)
LONG_SECONDS = (0.05, 1.5)
LONG = 0.01  # of the operations
HANG_SECONDS = (3.0, 15.0)
HANGS = 0.0005  # of the operations: the disk neither takes nor refuses
UNSURE = 0.5  # of the commits that break, so many have landed all the same
CODES: tuple[RefusalCode, ...] = ("storage.full", "storage.busy", "storage.failed", "storage.read_only")


class Weather:
    """When the disk refuses, and how."""

    free: anyio.Event | None = None  # while one is there that is not set, the disk hangs

    def __init__(self, fate: Fate, seconds: float, share: float) -> None:
        chance = fate.chance("weather")
        self._storms: list[tuple[float, float, RefusalCode]] = []
        at = 0.0
        while share > 0 and at < seconds:
            at += chance.expovariate(share / 20)
            lasts = chance.uniform(0.05, 40.0)
            self._storms.append((at, at + lasts, chance.choice(CODES)))
            at += lasts

    def now(self) -> RefusalCode | None:
        """How the disk refuses at this moment; None when it does not."""
        at = anyio.current_time()
        return next((code for begins, ends, code in self._storms if begins <= at < ends), None)


class Disk:
    """The store of one life of the server."""

    def __init__(self, path: Path, fate: Fate, weather: Weather) -> None:
        self._path = path
        self._fate = fate
        self._chance = fate.chance("disk")
        self._hangs = fate.chance("hangs")
        self._weather = weather
        self.db = connect(path, "process")
        self.killed = False
        self.commits = 0
        self._work: deque[Callable[[], None]] = deque()
        self._waited_for: dict[anyio.Event, None] = {}  # in the order in which they came
        self._came = anyio.Event()

    async def run(self) -> None:
        """The thread: one thing after the other, until it is killed."""
        while not self.killed:
            if not self._work:
                self._came = anyio.Event()
                await self._came.wait()
                continue
            await self._pause()
            if self._hangs.random() < HANGS:
                await anyio.sleep(self._hangs.uniform(*HANG_SECONDS))
            if self._weather.free is not None:
                await self._weather.free.wait()
            if not self.killed:
                self._work.popleft()()

    def kill(self) -> None:
        """The process is gone: what was not committed is undone, and nobody hears of anything any more."""
        self.killed = True
        self._work.clear()
        self._came.set()
        for done in self._waited_for:
            done.set()
        self.db.close()

    async def transact(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        return await self._hop(lambda: self._committed(fn))

    async def read(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        return await self._hop(lambda: asked(self.db, fn))

    async def tend(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        return await self._hop(lambda: tended(self.db, fn))

    async def mend(self) -> bool:
        """Open the file anew, as after a failed fsync; False while the disk refuses."""

        def anew() -> bool:
            if self._weather.now() is not None:
                return False
            self.db.close()
            self.db = connect(self._path, "process")
            checkpointed(self.db)
            return True

        return await self._hop(anew)

    def _committed(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        code = self._weather.now()
        if code is None or (code == "storage.failed" and self._chance.random() < UNSURE):
            result = transacted(self.db, fn)
            self.commits += 1
            self._fate.note("commit", self.commits)
            if code is None:
                return result
        assert code is not None
        raise StoreRefused(code, "weather")

    async def _hop(self, run: Callable[[], T]) -> T:
        done = anyio.Event()
        outcome: list[tuple[T | None, BaseException | None]] = []

        def work() -> None:
            try:
                outcome.append((run(), None))
            except Exception as error:
                outcome.append((None, error))
            done.set()

        self._work.append(work)
        self._came.set()
        self._waited_for[done] = None
        try:
            if not self.killed:
                await done.wait()
                await self._pause()
        finally:
            del self._waited_for[done]
        if not outcome:
            raise asyncio.CancelledError  # whoever waits is gone with the process, shielded or not
        result, error = outcome[0]
        if error is not None:
            raise error
        return result  # type: ignore[return-value] # pyright: ignore[reportReturnType]  # None only where T is

    async def _pause(self) -> None:
        long = self._chance.random() < LONG
        await anyio.sleep(self._chance.uniform(*(LONG_SECONDS if long else PAUSE_SECONDS)))


class Aside(SpillPort):
    """The spill file, which is on the same disk but has its room already."""

    def __init__(self, file: Spill, disk: Disk) -> None:
        self._file = file
        self._disk = disk

    async def keep(self, groups: Sequence[tuple[AnyChange, ...]]) -> int:
        await anyio.sleep(0.001)
        return 0 if self._disk.killed else self._file.keep(groups)

    async def clear(self) -> None:
        await anyio.sleep(0.001)
        if not self._disk.killed:
            self._file.clear()


Row = tuple[Any, ...]  # Any: what a column holds
