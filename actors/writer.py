"""The writer: the one actor through which everything reaches the store.

Group commit: whatever queued while the last batch was written is the next batch. There is no fixed window and no
time-out around a receive, so no write can be lost to its own deadline.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

import msgspec
import structlog

from actors.runtime import Inbox, Reply
from companions.changes import AnyChange, Outcome

log: structlog.stdlib.BoundLogger = structlog.get_logger("writer")

Commit: TypeAlias = Callable[[Sequence[tuple[AnyChange, ...]]], Awaitable[Sequence[Outcome]]]
"""Land groups of changes in one transaction, in order, each group whole or not at all; one outcome for each.

It does not raise for a store that refuses: then every outcome is ``Refused``."""


class Write(msgspec.Struct, frozen=True):
    """Changes that land together, and where the outcome goes once they are durable: the first refusal, else
    that of the first change."""

    changes: tuple[AnyChange, ...]
    reply: Reply[Outcome]


class Writer:
    """Lands what it is sent, in the order in which it came."""

    def __init__(
        self, commit: Commit, *, most: int = 500, measure: Callable[[int], None] = lambda _: None
    ) -> None:
        self.commit = commit
        self.most = most
        self.measure = measure  # is told the size of each batch
        self.pending: list[Write] = []  # survives a restart: what was read must land

    async def __call__(self, inbox: Inbox[Write]) -> None:
        """Write batches until the inbox ends."""
        await self._flush()
        async for write in inbox:
            self.pending = [write, *inbox.waiting(self.most - 1)]
            await self._flush()

    async def _flush(self) -> None:
        if not self.pending:
            return
        outcomes = await self.commit([write.changes for write in self.pending])
        self.measure(sum(len(write.changes) for write in self.pending))
        landed, self.pending = self.pending, []
        for write, outcome in zip(landed, outcomes, strict=True):
            write.reply(outcome)
