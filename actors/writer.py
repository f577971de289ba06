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
    ExtractMade,
    JobFailed,
    Outcome,
    SummaryMade,
)

log: structlog.stdlib.BoundLogger = structlog.get_logger("writer")

Commit: TypeAlias = Callable[[Sequence[tuple[AnyChange, ...]]], Awaitable[Sequence[Outcome]]]
"""Land groups of changes in one transaction, in order, each group whole or not at all; one outcome for each.

It does not raise for a store that refuses: then every outcome is ``Refused``."""


class Write(msgspec.Struct, frozen=True):
    """Changes that land together, and where the outcome goes once they are durable: the first refusal, else
    that of the first change."""

    changes: tuple[AnyChange, ...]
    reply: Reply[Outcome]


URGENT: Final = (ConversationClosed, AlertRaised, CommandDone, ExtractMade, SummaryMade, JobFailed)
"""Changes that do not wait for others, whatever the durability: a close, an alert, what a command changed."""


class Writer:
    """Lands what it is sent, in the order in which it came.

    With a ``delay`` (seconds) the first write of a batch waits so long for company, unless something urgent comes.
    """

    def __init__(
        self,
        commit: Commit,
        *,
        most: int = 500,
        delay: float = 0.0,
        measure: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.commit = commit
        self.most = most
        self.delay = delay
        self.measure = measure  # is told the size of each batch
        self.pending: list[Write] = []  # survives a restart: what was read must land

    async def __call__(self, inbox: Inbox[Write]) -> None:
        """Write batches until the inbox ends."""
        await self._flush()
        async for write in inbox:
            self.pending = [write, *inbox.waiting(self.most - 1)]
            if self.delay:
                await self._wait_for_company(inbox)
            await self._flush()

    async def _wait_for_company(self, inbox: Inbox[Write]) -> None:
        # What is received is in ``pending`` in the same step, so the deadline loses nothing.
        with anyio.move_on_after(self.delay):
            while len(self.pending) < self.most and not any(map(_urgent, self.pending)):
                try:
                    self.pending.append(await anext(inbox))
                except StopAsyncIteration:
                    return

    async def _flush(self) -> None:
        if not self.pending:
            return
        outcomes = await self.commit([write.changes for write in self.pending])
        self.measure(sum(len(write.changes) for write in self.pending))
        landed, self.pending = self.pending, []
        for write, outcome in zip(landed, outcomes, strict=True):
            write.reply(outcome)


def _urgent(write: Write) -> bool:
    return any(isinstance(change, URGENT) for change in write.changes)
