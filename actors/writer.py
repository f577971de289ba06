"""The writer: the one actor through which everything reaches the store.

Group commit: whatever queued while the last batch was written is the next batch. There is no fixed window and no
time-out around a receive that could lose a write to its own deadline.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

import anyio
import msgspec
import structlog

from actors.runtime import Inbox, Reply
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
    SummaryMade,
)

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


FIRST_PAUSE = 0.2
LONGEST_PAUSE = 2.0
BROKEN: Final = Refusing("storage.failed")

URGENT: Final = (ConversationClosed, AlertRaised, CommandDone, ExtractMade, SummaryMade, JobFailed)
"""Changes that do not wait for others, whatever the durability: a close, an alert, what a command changed."""


class Writer:
    """Lands what it is sent, in the order in which it came.

    With a ``delay`` (seconds) the first write of a batch waits so long for company, unless something urgent comes.
    While the store refuses, what comes waits here, bounded, and is tried again with growing pauses; who sent it is
    told ``Deferred`` at once. After a broken fsync nothing is tried again: what the file system says then cannot be
    trusted before the database was opened anew.
    """

    def __init__(
        self,
        commit: Commit,
        *,
        most: int = 500,
        most_waiting: int = 1_000,
        delay: float = 0.0,
        measure: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.commit = commit
        self.most = most
        self.most_waiting = most_waiting
        self.delay = delay
        self.measure = measure  # is told the size of each batch
        self.refusing: str | None = None  # why the store takes nothing now
        self.pending: list[Write] = []  # survives a restart: what was read must land
        self._deferred = 0  # how many of ``pending``, from the first, were told that they wait

    async def __call__(self, inbox: Inbox[Write]) -> None:
        """Write batches until the inbox ends."""
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
            result = BROKEN if self.refusing == BROKEN.code else await self._try(batch)
            if not isinstance(result, Refusing):
                self._landed(batch, result)
                pause = FIRST_PAUSE
                continue
            self._defer(result.code)
            if not await self._wait_to_try(inbox, pause):
                return
            pause = min(LONGEST_PAUSE, 2 * pause)

    async def _try(self, batch: list[Write]) -> Sequence[Outcome] | Refusing:
        return await self.commit([write.changes for write in batch])

    def _landed(self, batch: list[Write], outcomes: Sequence[Outcome]) -> None:
        self.measure(sum(len(write.changes) for write in batch))
        self.pending = self.pending[len(batch) :]
        self._deferred = max(0, self._deferred - len(batch))
        if self.refusing is not None:
            log.info("store.takes_again")
        self.refusing = None
        for write, outcome in zip(batch, outcomes, strict=True):
            write.reply(outcome)

    def _defer(self, code: str) -> None:
        """Tell everybody who waits now, and was not told yet."""
        if self.refusing is None:
            log.warning("store.refuses", code=code)
        self.refusing = code
        for write in self.pending[self._deferred :]:
            write.reply(Deferred(code))
        self._deferred = len(self.pending)

    async def _wait_to_try(self, inbox: Inbox[Write], pause: float) -> bool:
        """Take in what comes while the store rests; False when the server stops: one last try was made."""
        code = self.refusing or ""
        with anyio.move_on_after(pause):
            while True:
                try:
                    write = await anext(inbox)
                except StopAsyncIteration:
                    return await self._last_try()
                if len(self.pending) >= self.most_waiting:
                    write.reply(Refused(code))
                else:
                    self.pending.append(write)
                    self._defer(code)
        return True

    async def _last_try(self) -> bool:
        if self.refusing != BROKEN.code:
            result = await self._try(self.pending)
            if not isinstance(result, Refusing):
                self._landed(list(self.pending), result)
                return False
        log.error("writes.lost", count=len(self.pending))  # they were never acknowledged as durable
        self.pending = []
        return False


def _urgent(write: Write) -> bool:
    return any(isinstance(change, URGENT) for change in write.changes)
