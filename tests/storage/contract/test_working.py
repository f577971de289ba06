"""A job is worked on by one at a time, comes back when nobody ends it, steps aside when it keeps failing."""

from companions.changes import JobFailed, Landed
from storage.connection import Store
from storage.jobs import DAY_MS, Job, claim_job, due_jobs, parked_jobs, release_jobs
from tests.storage.contract.landing import land
from tests.storage.making import ANNA, BERT, answered, closed, job, said


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
