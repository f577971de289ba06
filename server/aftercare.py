"""What summarizer and extractor are given: the job rows of the store, and what becomes of a result that has landed."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager

import anyio
import msgspec

from actors.aftermath import Channel, Job, Taker
from actors.mail import SummedUp
from actors.runtime import Address
from actors.sessions import Sessions
from actors.writer import Write
from companions.changes import AnyChange, JobKind, SummaryMade
from companions.companion import Companion
from companions.fact_changes import FactsProposed
from companions.ports import LanguageModel
from memory.summing import Summed
from server.extracting import Extracting
from server.ids import now_ms
from server.job_means import Means
from server.metrics import Metrics
from server.noting import Noting
from server.summarizing import Summarizing
from server.summary_frames import summary_ready
from storage.connection import Store
from storage.jobs import claim_job, due_jobs, release_jobs

SUMMARIZER: tuple[JobKind, ...] = ("summary", "partial")
EXTRACTOR: tuple[JobKind, ...] = ("facts", "topics", "learnings")
NOTER: tuple[JobKind, ...] = ("evaluation", "parent_note")


@asynccontextmanager
async def nudging() -> AsyncGenerator[tuple[Channel, Channel, Channel]]:
    """What summarizer, extractor and noter are nudged through; both ends are closed with the block."""
    channels = (Channel(), Channel(), Channel())
    try:
        yield channels
    finally:
        for each in channels:
            each.closed()


class StoreQueue:
    """The job rows of the store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def due(self, kinds: Sequence[JobKind], at: int) -> Sequence[Job]:
        """Jobs of those kinds that may be worked on, the oldest first."""
        found = await self._store.read(lambda db: due_jobs(db, at, kinds=kinds))
        return [_job(msgspec.structs.asdict(each)) for each in found]

    async def claim(self, job: str, *, worker: str, at: int, lease_ms: int) -> Job | None:
        """Take the lease of a job."""
        taken = await self._store.transact(
            lambda db: claim_job(db, job, worker=worker, at=at, lease_ms=lease_ms)
        )
        return None if taken is None else _job(msgspec.structs.asdict(taken))

    async def release(self, worker: str) -> None:
        """What ``worker`` had in hand when it fell is free again."""
        await self._store.transact(lambda db: release_jobs(db, worker))


def aftercare(
    store: Store,
    companions: Mapping[str, Companion],
    model: LanguageModel,
    writer: Address[Write],
    channels: tuple[Channel, Channel, Channel],
    sessions: Sessions,
    metrics: Metrics,
) -> tuple[Taker, Taker, Taker]:
    """The summarizer, the extractor and who writes notes on lessons, each with its channel."""
    # One thread: more would only take turns with the talks' own work.
    means = Means(store, companions, model, anyio.CapacityLimiter(1))
    queue = StoreQueue(store)

    def done(job: Job, change: AnyChange) -> None:
        done_with(sessions, metrics, companions[job.companion], job, change)

    summarizer, extractor, noter = (
        Taker(
            name,
            kinds,
            queue=queue,
            perform=perform,
            writer=writer,
            channel=channel,
            now_ms=now_ms,
            done=done,
        )
        for name, kinds, perform, channel in (
            ("summarizer", SUMMARIZER, Summarizing(means), channels[0]),
            ("extractor", EXTRACTOR, Extracting(means), channels[1]),
            ("noter", NOTER, Noting(means), channels[2]),
        )
    )
    return summarizer, extractor, noter


def _job(row: dict[str, object]) -> Job:
    return msgspec.convert(row, Job)


def done_with(
    sessions: Sessions, metrics: Metrics, companion: Companion, job: Job, change: AnyChange
) -> None:
    """A result has landed: who talks with that person goes on from it, and is told of a summary.

    Where the person sees the current exchange only (D15), nobody is told.
    """
    metrics.jobs.labels(job.kind, type(change).__name__).inc()
    if isinstance(change, SummaryMade):
        shown = companion.policy.session.transcript == "all"
        made = msgspec.json.decode(change.content, type=Summed)
        sessions.summed_up(
            job.user,
            job.companion,
            SummedUp(
                conversation=job.conversation,
                revision=job.revision,
                text=made.text,
                covers=change.covers_last,
                tell=summary_ready(change, made) if shown else None,
            ),
        )
    items = () if isinstance(change, FactsProposed) and change.proposals else None
    sessions.refresh(job.user, companion=job.companion, items=items)
