"""After the talk: summarizer and extractor take over what a session hands to them.

The job row is the truth: it lands in the transaction that closes a conversation, and its end in the transaction
of its result, so work takes effect once. The channel only says that there may be something to do; a nudge that
is lost is found by the next sweep.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeAlias

import anyio
import msgspec
import structlog
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from actors.runtime import Address, Closed
from actors.writer import Write
from companions.changes import AnyChange, Deferred, JobFailed, JobKind, Outcome, Refused

SWEEP_SECONDS = 30.0
LEASE_SECONDS = 120
MOST_ATTEMPTS = 3
NUDGES = 100

log: structlog.stdlib.BoundLogger = structlog.get_logger("aftermath")


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """Work on the positions ``first`` to ``last`` of a conversation; ``attempts`` counts the present one."""

    id: str
    kind: JobKind
    user: str
    companion: str
    conversation: str
    first: int
    last: int
    revision: int
    attempts: int


class Queue(Protocol):
    """The job rows."""

    async def due(self, kinds: Sequence[JobKind], at: int) -> Sequence[Job]:
        """Jobs of those kinds that may be worked on, the oldest first."""
        ...

    async def claim(self, job: str, *, worker: str, at: int, lease_ms: int) -> Job | None:
        """Take the lease; None when another has it or the job is over."""
        ...


Perform: TypeAlias = Callable[[Job, int], Awaitable[AnyChange]]
"""Do a job: the change that holds its result and ends it."""


class Channel:
    """The anyio channel through which a session nudges; what does not fit is found by the sweep."""

    def __init__(self) -> None:
        self._send: MemoryObjectSendStream[str]
        self._receive: MemoryObjectReceiveStream[str]
        self._send, self._receive = anyio.create_memory_object_stream[str](NUDGES)

    def nudge(self, conversation: str) -> None:
        """Say that ``conversation`` was handed over; never waits."""
        try:
            self._send.send_nowait(conversation)
        except (anyio.WouldBlock, anyio.ClosedResourceError, anyio.BrokenResourceError):
            log.debug("nudge.dropped")

    async def wait(self, seconds: float) -> bool:
        """Until a nudge comes or ``seconds`` are over; False when the channel has ended."""
        with anyio.move_on_after(seconds):
            try:
                await self._receive.receive()
            except anyio.EndOfStream:
                return False
        return True

    def close(self) -> None:
        """No more nudges: whoever waits finishes."""
        self._send.close()

    def closed(self) -> None:
        """Both ends."""
        self._send.close()
        self._receive.close()


class Taker:
    """Summarizer or extractor: takes the jobs of its kinds, one after the other."""

    def __init__(
        self,
        name: str,
        kinds: Sequence[JobKind],
        *,
        queue: Queue,
        perform: Perform,
        writer: Address[Write],
        channel: Channel,
        now_ms: Callable[[], int],
        done: Callable[[Job, AnyChange], None],
        slot: Callable[[], AbstractAsyncContextManager[object]],
    ) -> None:
        self.name = name
        self.kinds = tuple(kinds)
        self._queue = queue
        self._perform = perform
        self._writer = writer
        self._channel = channel
        self._now_ms = now_ms
        self._done = done
        self._slot = slot

    async def __call__(self) -> None:
        """Work until the channel ends; first what an earlier run left."""
        while True:
            await self.sweep()
            if not await self._channel.wait(SWEEP_SECONDS):
                return

    async def sweep(self) -> None:
        """Every due job once. A job that fails waits longer each time and is parked after the third."""
        for found in await self._queue.due(self.kinds, self._now_ms()):
            job = await self._queue.claim(
                found.id, worker=self.name, at=self._now_ms(), lease_ms=LEASE_SECONDS * 1_000
            )
            if job is not None:
                await self._work(job)

    async def _work(self, job: Job) -> None:
        if job.attempts > MOST_ATTEMPTS:  # it never came to an end: it may be what ended the process
            log.warning("job.unfinished", job=job.id, kind=job.kind, attempts=job.attempts)
            await self._land(failed(job, "unfinished", self._now_ms()))
            return
        try:
            async with self._slot():
                change = await self._perform(job, self._now_ms())
        except Exception as error:
            log.exception("job.failed", job=job.id, kind=job.kind, attempts=job.attempts)
            await self._land(failed(job, type(error).__name__, self._now_ms()))
            return
        outcome = await self._land(change)
        if not isinstance(outcome, Refused):
            self._done(job, change)

    async def _land(self, change: AnyChange) -> Outcome:
        landed = anyio.Event()
        outcomes: list[Outcome] = []

        def reply(outcome: Outcome) -> None:
            if not isinstance(outcome, Deferred):
                outcomes.append(outcome)
                landed.set()

        try:
            await self._writer.send(Write((change,), reply))
        except Closed:
            return Refused("storage.busy")
        await landed.wait()
        return outcomes[0]


def failed(job: Job, reason: str, at: int) -> JobFailed:
    """Again after 10 s, then 60 s; parked, for staff to see, after the third attempt (D20)."""
    again = None if job.attempts >= MOST_ATTEMPTS else at + 10_000 * 6 ** (job.attempts - 1)
    return JobFailed(user=job.user, companion=job.companion, at=at, job=job.id, reason=reason, again_at=again)
