"""The writer: the one actor through which everything reaches the store.

Group commit: whatever queued while the last batch was written is the next batch. There is no fixed window and no
time-out around a receive that could lose a write to its own deadline.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Protocol, TypeAlias

import anyio
import msgspec
import structlog
from anyio.abc import TaskGroup

from actors.runtime import Inbox, Reply
from companions.care_changes import AlertAcknowledged, AlertReleased, ConsentDecided, NoteMade
from companions.changes import (
    AlertRaised,
    AnyChange,
    CommandDone,
    ConversationClosed,
    Deferred,
    ExtractMade,
    JobFailed,
    Outcome,
    Refused,
    SessionContinued,
    SummaryMade,
)
from companions.fact_changes import FactsProposed

log: structlog.stdlib.BoundLogger = structlog.get_logger("writer")


class Refusing(msgspec.Struct, frozen=True):
    """The store as a whole takes nothing now: full, read-only, held by another, broken. Nothing was changed."""

    code: str


Commit: TypeAlias = Callable[[Sequence[tuple[AnyChange, ...]]], Awaitable[Sequence[Outcome] | Refusing]]
"""Land groups of changes in one transaction, in order, each group whole or not at all; one outcome for each."""


class Write(msgspec.Struct, frozen=True):
    """Changes that land together, and where the outcome goes once they are durable: the first refusal, else
    that of the first change."""

    changes: tuple[AnyChange, ...]
    reply: Reply[Outcome]


class Spill(Protocol):
    """A file beside the store for what it refuses: kept there it survives a power cut (D2)."""

    async def keep(self, groups: Sequence[tuple[AnyChange, ...]]) -> int:
        """Append groups; how many of them are on the disk now. Never raises."""
        ...

    async def clear(self) -> None:
        """Everything that was kept has landed. Never raises."""
        ...


class NoSpill:
    """Where there is none: what the store refuses waits in memory alone."""

    async def keep(self, groups: Sequence[tuple[AnyChange, ...]]) -> int:  # noqa: ARG002  # the port's shape
        """Nothing is kept."""
        return 0

    async def clear(self) -> None:
        """Nothing was kept."""


async def not_mended() -> bool:
    """Where a broken store cannot be opened again."""
    return False


FIRST_PAUSE = 0.2
LONGEST_PAUSE = 2.0
PATIENCE = 5.0  # seconds of one try, until those who wait are told; SQLite waits as long for another's lock
SLOW: Final = "storage.busy"
BROKEN: Final = Refusing("storage.failed")

URGENT: Final = (
    ConversationClosed,
    AlertRaised,
    AlertAcknowledged,
    AlertReleased,
    CommandDone,
    ConsentDecided,
    ExtractMade,
    FactsProposed,
    SummaryMade,
    JobFailed,
    NoteMade,
    SessionContinued,
)
"""Changes that do not wait for others, whatever the durability: a close, an alert, what a command changed, and
whose ids a session goes on with, for which its welcome waits."""


class Writer:
    """Lands what it is sent, in the order in which it came.

    With a ``delay`` (seconds) the first write of a batch waits so long for company, unless something urgent comes.
    While the store refuses, what comes waits here, bounded, and is tried again with growing pauses; who sent it is
    told ``Deferred`` at once, and it is kept in the ``spill``. After a broken fsync nothing is tried before ``mend``
    says that the database was opened anew and a checkpoint succeeded (D3): what the file system says until then
    cannot be trusted.
    """

    def __init__(
        self,
        commit: Commit,
        *,
        most: int = 500,
        most_waiting: int = 1_000,
        delay: float = 0.0,
        measure: Callable[[int], None] = lambda _: None,
        spill: Spill | None = None,
        mend: Callable[[], Awaitable[bool]] = not_mended,
    ) -> None:
        self.commit = commit
        self.most = most
        self.most_waiting = most_waiting
        self.delay = delay
        self.measure = measure  # is told the size of each batch
        self.refusing: str | None = None  # why the store takes nothing now
        self.pending: list[Write] = []  # survives a restart: what was read must land
        self.spill: Spill = spill or NoSpill()
        self.mend = mend
        self._deferred = 0  # how many of ``pending``, from the first, were told that they wait
        self._kept = 0  # and how many of them are in the spill
        self._spilled = False  # something is, or was and has landed
        self._overflowed = False  # one had no room: none after it may be kept, or their order would be lost
        self._inbox: Inbox[Write] | None = None
        self._tasks: TaskGroup
        self._slow: anyio.CancelScope | None = None  # of those who are told that a try takes its time
        self._slow_over: anyio.Event

    def waiting(self) -> list[tuple[AnyChange, ...]]:
        """Everything that has not landed, in the order in which it will: what the store cannot tell of yet."""
        arrived = self._inbox.queued() if self._inbox is not None else ()
        return [write.changes for write in (*self.pending, *arrived)]

    def first(self, groups: Sequence[tuple[AnyChange, ...]]) -> None:
        """What the spill kept from an earlier run and the store does not take yet: it lands before all else."""
        self.pending = [Write(group, lambda _: None) for group in groups]
        self._deferred = self._kept = len(groups)
        self._spilled = bool(groups)

    async def __call__(self, inbox: Inbox[Write]) -> None:
        """Write batches until the inbox ends."""
        self._inbox = inbox
        self._slow = None
        async with anyio.create_task_group() as self._tasks:
            await self._serve(inbox)

    async def _serve(self, inbox: Inbox[Write]) -> None:
        await self._flush(inbox)
        async for write in inbox:
            self.pending.extend([write, *inbox.waiting(self.most - 1)])
            if self.delay:
                await self._wait_for_company(inbox)
            await self._flush(inbox)

    async def _wait_for_company(self, inbox: Inbox[Write]) -> None:
        # What is received is in ``pending`` in the same step, so the deadline loses nothing.
        with anyio.move_on_after(self.delay):
            while len(self.pending) < self.most and not any(map(_urgent, self.pending)):
                try:
                    self.pending.append(await anext(inbox))
                except StopAsyncIteration:
                    return

    async def _flush(self, inbox: Inbox[Write]) -> None:
        pause = FIRST_PAUSE
        while self.pending:
            batch = self.pending[: self.most]
            result = await self._watched(batch, inbox)
            if not isinstance(result, Refusing):
                self._landed(batch, result)
                pause = FIRST_PAUSE
                continue
            await self._defer(result.code)
            if not await self._wait_to_try(inbox, pause):
                return
            pause = min(LONGEST_PAUSE, 2 * pause)
        if self._spilled:
            await self.spill.clear()
            self._spilled = self._overflowed = False

    async def _watched(self, batch: list[Write], inbox: Inbox[Write]) -> Sequence[Outcome] | Refusing:
        """Try; a disk that neither takes nor refuses keeps nobody waiting: they are told that it takes its time."""
        loop = asyncio.get_running_loop()
        # Not a task for each try: that costs more than the try.
        timer = loop.call_later(PATIENCE, self._wait_on, inbox)
        try:
            return await self._try(batch)
        finally:
            timer.cancel()
            await self._tried()

    async def _tried(self) -> None:
        """What waits, and the inbox, are one task's at a time."""
        if self._slow is not None:
            self._slow.cancel()
            await self._slow_over.wait()
            self._slow = None

    def _wait_on(self, inbox: Inbox[Write]) -> None:
        self._slow, self._slow_over = anyio.CancelScope(), anyio.Event()
        self._tasks.start_soon(self._hold_on, inbox, self._slow, self._slow_over)

    async def _hold_on(self, inbox: Inbox[Write], scope: anyio.CancelScope, over: anyio.Event) -> None:
        with scope:
            await self._take_in(inbox, self.refusing or SLOW)
        over.set()

    async def _try(self, batch: list[Write]) -> Sequence[Outcome] | Refusing:
        if self.refusing == BROKEN.code and not await self.mend():
            return BROKEN
        return await self.commit([write.changes for write in batch])

    def _landed(self, batch: list[Write], outcomes: Sequence[Outcome]) -> None:
        self.measure(sum(len(write.changes) for write in batch))
        self.pending = self.pending[len(batch) :]
        self._deferred = max(0, self._deferred - len(batch))
        self._kept = max(0, self._kept - len(batch))
        if self.refusing is not None:
            log.info("store.takes_again")
        self.refusing = None
        for write, outcome in zip(batch, outcomes, strict=True):
            _tell(write, outcome)

    async def _defer(self, code: str) -> None:
        """Tell everybody who waits now, and was not told yet; keep what they wait for."""
        if self.refusing is None:
            log.warning("store.refuses", code=code)
        self.refusing = code
        for write in self.pending[self._deferred :]:
            _tell(write, Deferred(code))
        self._deferred = len(self.pending)
        await self._keep()

    async def _keep(self) -> None:
        fresh = self.pending[self._kept :]
        if not fresh or self._overflowed:
            return
        kept = await self.spill.keep([write.changes for write in fresh])
        self._kept += kept
        self._spilled = self._spilled or kept > 0
        self._overflowed = kept < len(fresh)

    async def _wait_to_try(self, inbox: Inbox[Write], pause: float) -> bool:
        """Take in what comes while the store rests; False when the server stops: one last try was made."""
        with anyio.move_on_after(pause):
            await self._take_in(inbox, self.refusing or "")
            return await self._last_try()
        return True

    async def _take_in(self, inbox: Inbox[Write], code: str) -> None:
        """Tell everybody who waits that they do, and whoever comes; until the inbox ends."""
        await self._defer(code)
        async for write in inbox:
            if len(self.pending) >= self.most_waiting:
                _tell(write, Refused(code))
            else:
                self.pending.append(write)
                await self._defer(code)

    async def _last_try(self) -> bool:
        result = await self._try(self.pending)
        if not isinstance(result, Refusing):
            self._landed(list(self.pending), result)
            return True
        kept, lost = self._kept, len(self.pending) - self._kept  # none was acknowledged as durable
        log.error("writes.not_landed", kept_for_the_next_start=kept, lost=lost)
        self.pending, self._deferred, self._kept = [], 0, 0
        return False


def _tell(write: Write, outcome: Outcome) -> None:
    """A fault of one who is told keeps the outcome from nobody else."""
    try:
        write.reply(outcome)
    except Exception as error:
        log.exception("outcome.not_told", error=type(error).__name__)


def _urgent(write: Write) -> bool:
    return any(isinstance(change, URGENT) for change in write.changes)
