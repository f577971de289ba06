"""After the talk: a job is found again whatever was lost, takes effect once, and holds up no other."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import anyio.lowlevel
import msgspec
import pytest
from msgspec.structs import replace

from actors.aftermath import (
    AT_ONCE,
    JOB_SECONDS,
    LEASE_SECONDS,
    MOST_ATTEMPTS,
    SWEEP_SECONDS,
    Channel,
    Job,
    Taker,
)
from actors.runtime import Address, Inbox
from actors.writer import Write
from companions.changes import AnyChange, ExtractMade, JobFailed, JobKind, Landed, Outcome, Refused
from companions.ports import GaveWay
from protocol.talk_frames import ResponseDone
from tests.actors.stage import Stage
from tests.clock import virtual_time


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:  # Any: anyio's own type for backend options
    return virtual_time()


def job(name: str) -> Job:
    return Job(
        id=name,
        kind="facts",
        user="ann",
        companion="c",
        conversation=f"cnv_{name}",
        first=1,
        last=4,
        revision=0,
        attempts=0,
    )


@dataclass
class Rows:
    """Job rows in memory, with leases; ends a job once, with its first result."""

    waiting: dict[str, Job] = field(default_factory=dict[str, Job])
    leased_until: dict[str, int] = field(default_factory=dict[str, int])
    not_before: dict[str, int] = field(default_factory=dict[str, int])
    results: list[str] = field(default_factory=list[str])
    refused: list[str] = field(default_factory=list[str])
    parked: list[str] = field(default_factory=list[str])
    looked: int = 0

    async def due(self, kinds: Sequence[JobKind], at: int) -> Sequence[Job]:
        await anyio.lowlevel.checkpoint()
        self.looked += 1
        return [each for each in self.waiting.values() if each.kind in kinds and self._free(each.id, at)]

    def _free(self, name: str, at: int) -> bool:
        return self.leased_until.get(name, -1) <= at and self.not_before.get(name, 0) <= at

    async def claim(self, job: str, *, worker: str, at: int, lease_ms: int) -> Job | None:
        await anyio.lowlevel.checkpoint()
        if job not in self.waiting or not self._free(job, at):
            return None
        self.leased_until[job] = at + lease_ms
        self.waiting[job] = replace(self.waiting[job], attempts=self.waiting[job].attempts + 1)
        return self.waiting[job]

    async def release(self, worker: str) -> None:
        await anyio.lowlevel.checkpoint()

    def land(self, change: AnyChange) -> Outcome:
        match change:
            case ExtractMade(job=name) if name in self.waiting:
                del self.waiting[name]
                self.results.append(name)
                return Landed()
            case JobFailed(job=name, again_at=None):
                del self.waiting[name]
                self.parked.append(name)
                return Landed()
            case JobFailed(job=name, again_at=again) if again is not None:
                self.not_before[name], self.leased_until[name] = again, -1
                if not change.counted:
                    self.waiting[name] = replace(self.waiting[name], attempts=self.waiting[name].attempts - 1)
                return Landed()
            case _:
                self.refused.append(type(change).__name__)
                return Refused("state.conflict")


class House:
    """Workers over one set of rows, on one clock."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.writer: Address[Write] = Address(100)
        self.performed: list[str] = []
        self.done: list[str] = []
        self.poisoned: set[str] = set()
        self.takes = 0.0  # seconds of work a job
        self.gives_way = 0  # so often a person comes first
        self.hangs: set[str] = set()
        self.job_seconds = 2.0 * LEASE_SECONDS  # longer than a lease: then another worker takes the job too

    async def perform(self, job: Job, at: int) -> AnyChange:
        self.performed.append(job.id)
        if self.gives_way:
            self.gives_way -= 1
            raise GaveWay
        if job.id in self.hangs:
            await anyio.sleep_forever()
        await anyio.sleep(self.takes)
        if job.id in self.poisoned:
            raise RuntimeError("this one cannot be done")
        return ExtractMade(
            user=job.user,
            companion=job.companion,
            at=at,
            job=job.id,
            conversation=job.conversation,
            kind=job.kind,
            content=msgspec.Raw(b"[]"),
        )

    async def write(self) -> None:
        async for write in Inbox(self.writer):
            outcomes = [self.rows.land(change) for change in write.changes]
            write.reply(outcomes[0])

    def worker(self, name: str, channel: Channel) -> Taker:
        return Taker(
            name,
            ("facts",),
            queue=self.rows,
            perform=self.perform,
            writer=self.writer,
            channel=channel,
            now_ms=lambda: int(anyio.current_time() * 1_000),
            done=lambda job, _: self.done.append(job.id),
            job_seconds=self.job_seconds,
        )

    @asynccontextmanager
    async def open(self, workers: int = 1) -> AsyncGenerator[list[Channel]]:
        channels = [Channel() for _ in range(workers)]
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self.write)
                async with anyio.create_task_group() as taken:
                    for number, channel in enumerate(channels):
                        taken.start_soon(self.worker(f"w{number}", channel))
                    yield channels
                    for channel in channels:
                        channel.close()
                self.writer.close()
        finally:
            for channel in channels:
                channel.closed()


async def test_a_nudge_starts_the_work_at_once() -> None:
    house = House(Rows())
    async with house.open() as (channel,):
        await anyio.sleep(1)
        house.rows.waiting["a"] = job("a")
        channel.nudge("cnv_a")
        await anyio.sleep(0.001)
        assert house.done == ["a"]


async def test_a_nudge_that_is_lost_is_found_by_the_sweep() -> None:
    house = House(Rows())
    async with house.open():
        await anyio.sleep(1)
        house.rows.waiting["a"] = job("a")
        await anyio.sleep(SWEEP_SECONDS)
        assert house.done == ["a"]


async def test_more_nudges_than_fit_wait_for_nobody_and_lose_no_job() -> None:
    house = House(Rows({f"j{n}": job(f"j{n}") for n in range(300)}))
    async with house.open() as (channel,):
        for n in range(300):
            channel.nudge(f"cnv_j{n}")
        await anyio.sleep(SWEEP_SECONDS)
    assert sorted(house.done) == sorted(f"j{n}" for n in range(300))


async def test_what_an_earlier_run_left_is_taken_up_at_the_start() -> None:
    house = House(Rows({"left": job("left")}))
    async with house.open():
        await anyio.sleep(0.001)
    assert house.done == ["left"]


async def test_two_workers_make_one_result() -> None:
    house = House(Rows({f"j{n}": job(f"j{n}") for n in range(20)}))
    house.takes = 0.01
    async with house.open(workers=2):
        await anyio.sleep(60)
    assert sorted(house.rows.results) == sorted(house.performed) == sorted(f"j{n}" for n in range(20))


async def test_a_result_that_comes_after_the_lease_was_lost_takes_effect_once() -> None:
    house = House(Rows({"slow": job("slow")}))
    house.takes = LEASE_SECONDS + 5.0
    async with house.open(workers=2):
        await anyio.sleep(2 * LEASE_SECONDS + SWEEP_SECONDS * 2)
    assert house.rows.results == ["slow"]
    assert house.done == ["slow"]
    assert len(house.performed) >= 2


async def test_a_poisoned_job_backs_off_is_parked_after_the_third_time_and_holds_up_no_other() -> None:
    house = House(Rows({"bad": job("bad"), "good": job("good")}))
    house.poisoned = {"bad"}
    async with house.open() as (channel,):
        await anyio.sleep(1)
        assert house.done == ["good"]
        assert house.performed.count("bad") == 1
        house.rows.waiting["later"] = job("later")
        channel.nudge("cnv_later")
        await anyio.sleep(1)
        assert house.done == ["good", "later"]
        await anyio.sleep(300)
        assert house.performed.count("bad") == MOST_ATTEMPTS
        assert house.rows.parked == ["bad"]
    assert house.rows.waiting == {}


async def test_a_job_that_ended_the_process_each_time_is_parked_and_not_tried_again() -> None:
    house = House(Rows({"deadly": replace(job("deadly"), attempts=MOST_ATTEMPTS), "good": job("good")}))
    async with house.open():
        await anyio.sleep(1)
    assert house.performed == ["good"]
    assert house.rows.parked == ["deadly"]


async def test_a_worker_that_is_cancelled_leaves_the_job_to_the_next() -> None:
    rows = Rows({"a": job("a")})
    first = House(rows)
    first.takes = 50.0
    with anyio.move_on_after(10):
        async with first.open():
            await anyio.sleep_forever()
    assert rows.results == []
    second = House(rows)
    async with second.open():
        await anyio.sleep(LEASE_SECONDS + SWEEP_SECONDS)
    assert rows.results == ["a"]
    assert second.done == ["a"]


async def first_word(*, hung: bool) -> list[float]:
    """Seconds to each first word of three answers, beside an extractor that is stuck for a minute, or without."""
    house = House(Rows({"a": job("a")} if hung else {}))
    house.takes = 60.0
    stage = Stage([0.3, "One. ", 0.2, "Two."], commit=0.01)
    house.writer = stage.writer
    channel = Channel()
    async with stage.open(), anyio.create_task_group() as tasks:
        tasks.start_soon(house.worker("w", channel))
        await anyio.sleep(1)
        assert bool(house.performed) is hung
        for number in (1, 2, 3):
            await stage.say()
            await stage.client.told(ResponseDone, number)
        assert house.done == []
        tasks.cancel_scope.cancel()
    channel.close()
    channel.closed()
    return stage.measures.first


async def test_beside_an_extractor_that_hangs_the_first_word_is_as_fast_as_without() -> None:
    alone = await first_word(hung=False)
    assert len(alone) == 3
    assert await first_word(hung=True) == pytest.approx(alone)


async def test_jobs_are_worked_on_side_by_side_and_no_more_than_there_are_hands() -> None:
    house = House(Rows({f"j{n}": job(f"j{n}") for n in range(10)}))
    house.takes = 10.0
    async with house.open():
        await anyio.sleep(5)
        assert len(house.performed) == AT_ONCE
        await anyio.sleep(20.1)
        assert len(house.done) == 2 * AT_ONCE, "the time of two, for eight"
        await anyio.sleep(10)
    assert len(house.done) == 10


async def test_a_job_that_gave_way_to_people_comes_back_and_is_never_parked() -> None:
    house = House(Rows({"a": job("a")}))
    house.gives_way = 5
    async with house.open():
        await anyio.sleep(10 * SWEEP_SECONDS)
    assert house.done == ["a"]
    assert house.rows.parked == []


async def test_a_job_that_hangs_is_given_up_after_its_time_and_others_go_on() -> None:
    house = House(Rows({"hung": job("hung"), "good": job("good")}))
    house.hangs = {"hung"}
    house.job_seconds = JOB_SECONDS
    async with house.open():
        await anyio.sleep(1)
        assert house.done == ["good"]
        await anyio.sleep(10 * LEASE_SECONDS)
    assert house.rows.parked == ["hung"]
