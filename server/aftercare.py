"""What summarizer and extractor do with a talk, read from the store: the pure parts live in ``memory``."""

import sqlite3
from collections.abc import Mapping, Sequence

import msgspec

from actors.aftermath import Job
from actors.sessions import Sessions
from companions.changes import AnyChange, EmotionRow, ExtractMade, JobKind, SummaryMade
from companions.companion import Companion
from companions.fact_changes import FactsProposed, Keeping
from companions.filing import filed, keeping, proposals
from memory.extracts import Extract, Felt
from memory.extracts import extract as extract_summary
from memory.facts import facts_from, said_in
from memory.messages import Message
from memory.tokens import count
from server.ids import new_id
from server.metrics import Metrics
from storage.connection import Store
from storage.jobs import claim_job, due_jobs, release_jobs
from storage.messages import history
from storage.readings import emotions_in

MOST_MESSAGES = 1_000
KEPT_OUT = frozenset(
    {"abuse", "self_harm"}
)  # of summaries, unless the safeguarding contact releases them (D25)


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


def _job(row: dict[str, object]) -> Job:
    return msgspec.convert(row, Job)


class Aftercare:
    """Performs jobs."""

    def __init__(self, store: Store, companions: Mapping[str, Companion]) -> None:
        self._store = store
        self._companions = companions

    async def summarize(self, job: Job, at: int) -> AnyChange:
        """The summary of the positions a job names, taken from the talk's own words."""

        def ask(db: sqlite3.Connection) -> tuple[tuple[Message, ...], tuple[EmotionRow, ...]]:
            messages = history(
                db, user=job.user, conversation=job.conversation, before=job.last + 1, limit=MOST_MESSAGES
            )
            return messages, emotions_in(db, job.conversation, MOST_MESSAGES)

        messages, rows = await self._store.read(ask)
        private = {row.message for row in rows if row.crisis_category in KEPT_OUT}
        covered = [each for each in covered_by(job, messages) if {each.id, each.answers}.isdisjoint(private)]
        made = extract_summary(covered, felt_by_message(rows))
        return summary_change(job, at, made)

    async def extract(self, job: Job, at: int) -> AnyChange:
        """What the person stated in the talk, by their own words, each with the message it rests on."""
        messages = await self._store.read(
            lambda db: history(
                db, user=job.user, conversation=job.conversation, before=job.last + 1, limit=MOST_MESSAGES
            )
        )
        if job.kind == "facts":
            return facts_change(self._companions[job.companion], job, at, messages)
        said = [(each.id, each.role, each.text) for each in covered_by(job, messages)]
        found = filed(self._companions[job.companion], facts_from(said))
        return ExtractMade(
            user=job.user,
            companion=job.companion,
            at=at,
            job=job.id,
            conversation=job.conversation,
            kind=job.kind,
            content=msgspec.Raw(msgspec.json.encode(found)),
        )


def covered_by(job: Job, messages: Sequence[Message]) -> list[Message]:
    """The messages whose positions a job names; tombstones are not among them."""
    return [each for each in messages if each.text and job.first <= each.position <= job.last]


def facts_change(companion: Companion, job: Job, at: int, messages: Sequence[Message]) -> FactsProposed:
    """What code reads in the person's own words, as the result of a job.

    ``messages`` begin with the conversation, so that an answer is read with what was asked; only what the job covers
    is proposed.
    """
    found = said_in([(each.id, each.role, each.text) for each in messages if each.text])
    covered = {each.id for each in covered_by(job, messages)}
    kept, denied = proposals(
        companion, [each for each in found if each.message in covered], lambda: new_id("fct")
    )
    return FactsProposed(
        user=job.user,
        companion=job.companion,
        at=at,
        job=job.id,
        conversation=job.conversation,
        made_by="statements",
        keeping=keeping(companion) or Keeping(),
        proposals=kept,
        denials=denied,
    )


def felt_by_message(rows: Sequence[EmotionRow]) -> dict[str, Felt]:
    """What was read in each message."""
    return {
        row.message: Felt(emotion=row.emotion, intensity=row.intensity, topics=row.topics, flags=row.flags)
        for row in rows
    }


def summary_change(job: Job, at: int, made: Extract) -> SummaryMade:
    """The result of a summary job and its end, as one change."""
    return SummaryMade(
        user=job.user,
        companion=job.companion,
        at=at,
        job=job.id,
        summary=new_id("sum"),
        conversation=job.conversation,
        content=msgspec.Raw(msgspec.json.encode(made)),
        covers_first=job.first,
        covers_last=job.last,
        partial=False,
        made_by="extract",
        tokens=count(made.text),
    )


def done_with(sessions: Sessions, metrics: Metrics, job: Job, change: AnyChange) -> None:
    """A job's result has landed: who talks with that person now reads again what is remembered."""
    metrics.jobs.labels(job.kind, type(change).__name__).inc()
    items = () if isinstance(change, FactsProposed) and change.proposals else None
    sessions.refresh(job.user, companion=job.companion, items=items)
