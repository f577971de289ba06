"""A job is worked on by one at a time, comes back when nobody ends it, steps aside when it keeps failing."""

import msgspec
from msgspec.structs import replace

from companions.changes import (
    ExtractMade,
    JobFailed,
    JobSpec,
    JobsQueued,
    Landed,
    MessagesRemoved,
    Refused,
    SummaryMade,
)
from storage.connection import Store
from storage.jobs import (
    DAY_MS,
    Counts,
    Job,
    claim_job,
    count_jobs,
    due_jobs,
    parked_jobs,
    release_jobs,
    retry_jobs,
)
from tests.storage.contract.landing import land
from tests.storage.making import ANNA, BERT, answered, closed, job, said


def queued(conversation: str, *jobs: JobSpec) -> JobsQueued:
    return JobsQueued(user=ANNA, companion="clara", at=1, conversation=conversation, jobs=jobs)


def extracted(job: str) -> ExtractMade:
    return ExtractMade(
        user=ANNA,
        companion="clara",
        at=1,
        job=job,
        conversation="c",
        kind="facts",
        content=msgspec.Raw(b"[]"),
    )


def summarised(job: str, conversation: str) -> SummaryMade:
    return SummaryMade(
        user=ANNA,
        companion="clara",
        at=1,
        job=job,
        summary=f"sum_{job}",
        conversation=conversation,
        content=msgspec.Raw(b"{}"),
        covers_first=1,
        covers_last=4,
        partial=False,
        made_by="extract",
        tokens=1,
    )


async def take(store: Store, name: str, at: int, worker: str = "w") -> Job | None:
    return await store.transact(lambda db: claim_job(db, name, worker=worker, at=at, lease_ms=1_000))


async def due(store: Store, at: int) -> list[str]:
    return [one.id for one in await store.read(lambda db: due_jobs(db, at))]


async def closed_talk(store: Store) -> None:
    await land(store, said("c", 1), answered("c", 2), closed("c", job("one"), job("two", "facts")))


async def test_the_jobs_of_a_close_are_due_in_order_and_queued_once(store: Store) -> None:
    await closed_talk(store)
    await land(store, closed("c", job("three")))
    assert await due(store, 0) == ["one", "two"]


async def test_one_worker_holds_a_job_until_its_lease_ends(store: Store) -> None:
    await closed_talk(store)
    first = await take(store, "one", at=100)
    assert first is not None
    assert (first.kind, first.user, first.attempts, first.first, first.last) == ("summary", ANNA, 1, 1, 2)
    assert await take(store, "one", at=1_099, worker="other") is None
    assert await due(store, 1_099) == ["two"]
    second = await take(store, "one", at=1_100, worker="other")
    assert second is not None
    assert second.attempts == 2


async def test_a_failed_job_waits_and_a_hopeless_one_is_parked_in_sight(store: Store) -> None:
    await closed_talk(store)
    await take(store, "one", at=0)
    failed = JobFailed(user=ANNA, companion="clara", at=5, job="one", reason="model.stalled", again_at=500)
    assert await land(store, failed) == [Landed()]
    assert (await due(store, 499), await due(store, 500)) == (["two"], ["one", "two"])
    await land(store, JobFailed(user=BERT, companion="clara", at=6, job="two", reason="x", again_at=None))
    assert await due(store, 500) == ["one", "two"], "another's job is not touched"
    await land(store, JobFailed(user=ANNA, companion="clara", at=7, job="one", reason="empty", again_at=None))
    assert await due(store, 10**12) == ["two"]
    parked = await store.read(parked_jobs)
    assert [(one.job.id, one.reason, one.at) for one in parked] == [("one", "empty", 7)]
    await land(store, failed)
    assert await due(store, 10**12) == ["two"], "an end is an end"


async def test_a_job_for_the_rest_begins_where_the_last_of_its_kind_ended(store: Store) -> None:
    rest = replace(job("facts1", "facts"), rest=True)
    await land(store, said("c", 1), answered("c", 2), queued("c", replace(rest, last=2)))
    await land(store, said("c", 3), queued("c", replace(rest, id="again", last=2)))
    await land(store, closed("c", replace(rest, id="facts2", last=3)))
    found = await store.read(lambda db: due_jobs(db, 0))
    assert [(one.id, one.first, one.last) for one in found] == [("facts1", 1, 2)], "the earlier part first"
    await land(store, extracted("facts1"))
    found = await store.read(lambda db: due_jobs(db, 0))
    assert [(one.id, one.first, one.last) for one in found] == [("facts2", 3, 3)]


async def test_an_earlier_part_that_fails_holds_up_nothing(store: Store) -> None:
    one, two = replace(job("one", "facts"), last=1), replace(job("two", "facts"), first=2, last=2)
    await land(store, said("c", 1), answered("c", 2), closed("c", one, two))
    await take(store, "one", at=0)
    failed = JobFailed(user=ANNA, companion="clara", at=5, job="one", reason="model.stalled", again_at=500)
    await land(store, failed)
    assert await due(store, 10) == ["two"]


async def test_an_attempt_that_gave_way_to_people_does_not_count(store: Store) -> None:
    await closed_talk(store)
    for at in (0, 10, 20, 30):
        taken = await take(store, "one", at=at)
        assert taken is not None
        assert taken.attempts == 1
        gave_way = JobFailed(
            user=ANNA, companion="clara", at=at, job="one", reason="gave_way", again_at=at + 5, counted=False
        )
        await land(store, gave_way)


async def test_parked_jobs_are_counted_and_tried_again_when_staff_say_so(store: Store) -> None:
    await closed_talk(store)
    await take(store, "one", at=0)
    await land(store, JobFailed(user=ANNA, companion="clara", at=7, job="one", reason="empty", again_at=None))
    assert await store.read(count_jobs) == Counts(waiting=1, parked=1)
    assert await store.read(lambda db: count_jobs(db, ["facts"])) == Counts(waiting=1)
    assert await store.transact(lambda db: retry_jobs(db, ["two"])) == 0
    assert await store.transact(retry_jobs) == 1
    assert await due(store, 8) == ["one", "two"]
    taken = await take(store, "one", at=8)
    assert taken is not None
    assert taken.attempts == 1


async def test_a_removal_makes_what_read_the_words_anew_and_takes_no_late_result(store: Store) -> None:
    await land(store, said("c", 1), answered("c", 2), said("c", 3), answered("c", 4))
    await land(store, closed("c", replace(job("one"), last=4), replace(job("two", "facts"), last=4)))
    await take(store, "one", at=0)
    gone = MessagesRemoved(user=ANNA, companion="clara", at=1, conversation="c", messages=("msg_c_3",))
    await land(store, gone)
    assert await land(store, summarised("one", "c")) == [Refused("state.conflict")]
    found = await store.read(lambda db: due_jobs(db, 0))
    assert [(each.kind, each.revision) for each in found] == [("summary", 1), ("facts", 1)]
    assert {each.id for each in found}.isdisjoint({"one", "two"})
    assert await land(store, summarised(found[0].id, "c")) == [Landed()]


async def test_the_end_of_a_talk_makes_its_waiting_partial_summary_needless(store: Store) -> None:
    partial = replace(job("part", "partial"), last=1)
    await land(store, said("c", 1), answered("c", 2), queued("c", partial), closed("c", job("one")))
    assert await due(store, 0) == ["one"]


async def test_a_date_of_a_wrong_clock_holds_no_job_back(store: Store) -> None:
    await closed_talk(store)
    ahead = 10 * 365 * DAY_MS
    await take(store, "one", at=ahead)
    await land(
        store, JobFailed(user=ANNA, companion="clara", at=ahead, job="two", reason="x", again_at=ahead)
    )
    assert await due(store, 1_000) == ["one", "two"]


async def test_at_a_start_every_lease_is_over(store: Store) -> None:
    await closed_talk(store)
    await take(store, "one", at=0)
    assert await store.transact(release_jobs) == 1
    assert await due(store, 1) == ["one", "two"]
