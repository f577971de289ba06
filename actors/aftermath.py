"""After the talk: summarizer and extractor take over what a session hands to them.

The job row is the truth: it lands in the transaction that closes a conversation, and its end in the transaction
of its result, so work takes effect once. The channel only says that there may be something to do; a nudge that
is lost is found by the next sweep. A few jobs are worked on side by side; one that hangs has a deadline, and one
that a person's answer had to push aside comes back without having failed.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeAlias

import anyio
import msgspec
import structlog
from anyio.abc import TaskGroup
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from actors.runtime import Address, Closed
from actors.writer import Write
from companions.changes import AnyChange, Deferred, JobFailed, JobKind, Outcome, Refused
from companions.ports import GaveWay, ModelError

SWEEP_SECONDS = 30.0
LEASE_SECONDS = 900
JOB_SECONDS = 600.0  # within its lease; a model on a small machine may take minutes over a long talk
GAVE_WAY_SECONDS = 5.0
MOST_ATTEMPTS = 3
AT_ONCE = 4
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

    async def release(self, worker: str) -> None:
        """What ``worker`` had in hand when it fell is free again."""
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
    """Summarizer or extractor: takes the jobs of its kinds, the oldest first, ``at_once`` side by side."""

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
        at_once: int = AT_ONCE,
        job_seconds: float = JOB_SECONDS,
    ) -> None:
        self.name = name
        self.kinds = tuple(kinds)
        self._queue = queue
        self._perform = perform
        self._writer = writer
        self._channel = channel
        self._now_ms = now_ms
        self._done = done
        self._at_once = at_once
        self._job_seconds = job_seconds
        self._under_way: set[str] = set()

    async def __call__(self) -> None:
        """Work until the channel ends, and finish what is under way; first what an earlier run left."""
        self._under_way.clear()
        await self._queue.release(self.name)
        async with anyio.create_task_group() as tasks:
            while True:
                await self._sweep(tasks)
                if not await self._channel.wait(SWEEP_SECONDS):
                    return

    async def _sweep(self, tasks: TaskGroup) -> None:
        """Begin what is due, as far as there are hands."""
        if len(self._under_way) >= self._at_once:
            return
        for found in await self._queue.due(self.kinds, self._now_ms()):
            if len(self._under_way) >= self._at_once:
                return
            job = await self._queue.claim(
                found.id, worker=self.name, at=self._now_ms(), lease_ms=LEASE_SECONDS * 1_000
            )
            if job is not None:
                self._under_way.add(job.id)
                tasks.start_soon(self._one, job, name=f"{self.name}.job")

    async def _one(self, job: Job) -> None:
        try:
            await self._work(job)
        finally:
            self._under_way.discard(job.id)
            self._channel.nudge(job.conversation)  # a hand is free: what waits may begin

    async def _work(self, job: Job) -> None:
        """A job that fails waits longer each time and is parked after the third."""
        if job.attempts > MOST_ATTEMPTS:  # it never came to an end: it may be what ended the process
            log.warning("job.unfinished", job=job.id, kind=job.kind, attempts=job.attempts)
            await self._land(failed(job, "unfinished", self._now_ms()))
            return
        try:
            with anyio.fail_after(self._job_seconds):
                change = await self._perform(job, self._now_ms())
        except GaveWay:
            await self._land(gave_way(job, self._now_ms()))
            return
        except ModelError as error:
            log.warning("job.failed", job=job.id, kind=job.kind, attempts=job.attempts, fault=error.fault)
            await self._land(failed(job, f"model.{error.fault}", self._now_ms()))
            return
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


def gave_way(job: Job, at: int) -> JobFailed:
    """Again a little later; the attempt does not count."""
    again = at + int(GAVE_WAY_SECONDS * 1_000)
    return JobFailed(
        user=job.user,
        companion=job.companion,
        at=at,
        job=job.id,
        reason="gave_way",
        again_at=again,
        counted=False,
    )
