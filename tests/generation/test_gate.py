"""Slots are few: they go round by user, to people before jobs, and none is ever lost."""

import asyncio

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from companions.ports import ModelError
from generation.gate import Gate
from tests import clock


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return clock.virtual_time()


class Visitors:
    """Each asks at a time, holds its slot for a second, and leaves its name in the order of entry."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.entered: list[str] = []
        self.refused: list[str] = []
        self.most = 0
        self.most_jobs = 0
        self.jobs = 0

    async def visit(
        self, name: str, user: str, at: float, background: bool = False, stays: float = 1.0
    ) -> None:
        await anyio.sleep(at)
        try:
            async with self.gate.slot(user, background=background):
                self.entered.append(name)
                self.jobs += background
                self.most = max(self.most, self.gate.at_once)
                self.most_jobs = max(self.most_jobs, self.jobs)
                try:
                    await anyio.sleep(stays)
                finally:
                    self.jobs -= background
        except ModelError as error:
            self.refused.append(f"{name} {error.fault}")


async def test_users_are_served_in_turns() -> None:
    visitors = Visitors(Gate(1, most_waiting=10))
    async with anyio.create_task_group() as tasks:
        for n, user in enumerate("aaaabc"):
            tasks.start_soon(visitors.visit, f"{user}{n}", user, n / 100)
    assert visitors.entered == ["a0", "a1", "b4", "c5", "a2", "a3"]


async def test_people_go_before_jobs() -> None:
    visitors = Visitors(Gate(1, most_waiting=10))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(visitors.visit, "first", "a", 0.0)
        tasks.start_soon(visitors.visit, "job", "a", 0.1, True)
        tasks.start_soon(visitors.visit, "person", "b", 0.2)
    assert visitors.entered == ["first", "person", "job"]


async def test_jobs_leave_a_slot_for_people() -> None:
    visitors = Visitors(Gate(2, most_waiting=10))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(visitors.visit, "job 1", "a", 0.0, True, 60.0)
        tasks.start_soon(visitors.visit, "job 2", "b", 0.1, True, 60.0)
        tasks.start_soon(visitors.visit, "person", "c", 0.2)
    assert visitors.entered == ["job 1", "person", "job 2"]


async def test_a_job_gives_its_slot_to_a_person_who_would_have_to_wait() -> None:
    gate = Gate(2, most_waiting=10)
    left: list[str] = []
    async with (
        gate.slot("a", background=True, give_way=lambda: left.append("job")),
        gate.slot("b"),
    ):
        assert left == []
        with anyio.move_on_after(1):
            async with gate.slot("c"):
                pass
        assert left == ["job"]
        with anyio.move_on_after(1):
            async with gate.slot("d"):
                pass
        assert left == ["job"], "it is told once"


async def test_where_jobs_stay_apart_none_begins_beside_a_person_and_all_leave_when_one_comes() -> None:
    gate = Gate(4, most_waiting=10, apart=True)
    left: list[str] = []
    async with gate.slot("a"):
        with anyio.move_on_after(1) as waited:
            async with gate.slot("b", background=True):
                pass
        assert waited.cancelled_caught
    async with (
        gate.slot("b", background=True, give_way=lambda: left.append("one")),
        gate.slot("c", background=True, give_way=lambda: left.append("two")),
        gate.slot("a"),
    ):
        assert left == ["one", "two"]
        assert gate.at_once == 3, "the person waited for nobody"


async def test_too_many_are_refused() -> None:
    visitors = Visitors(Gate(1, most_waiting=2))
    async with anyio.create_task_group() as tasks:
        for n in range(5):
            tasks.start_soon(visitors.visit, str(n), str(n), n / 100)
    assert visitors.entered == ["0", "1", "2"]
    assert visitors.refused == ["3 overloaded", "4 overloaded"]


VISITS = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.integers(0, 5),  # tenths of a second
        st.booleans(),
        st.integers(0, 5),
        st.integers(0, 8) | st.none(),  # gives up after
    ),
    max_size=15,
)


@given(VISITS, st.integers(1, 3))
def test_no_slot_is_lost_and_none_is_given_twice(
    visits: list[tuple[str, int, bool, int, int | None]], slots: int
) -> None:
    gate = Gate(slots, most_waiting=100)
    visitors = Visitors(gate)

    async def one(user: str, at: int, background: bool, stays: int, patience: int | None) -> None:
        with anyio.move_on_after(None if patience is None else patience / 10):
            await visitors.visit(user, user, at / 10, background, stays / 10)

    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            for visit in visits:
                tasks.start_soon(one, *visit)

    clock.run(main)
    assert visitors.most <= slots
    assert visitors.most_jobs <= max(1, slots - 1)
    assert (gate.at_once, gate.waiting) == (0, 0)
    patient = [user for user, _, _, _, patience in visits if patience is None]
    assert len(visitors.entered) >= len(patient)


async def test_a_slot_given_to_one_who_is_cancelled_at_that_moment_goes_on() -> None:
    gate = Gate(1, most_waiting=10)

    async def wants() -> None:
        async with gate.slot("b"):
            await anyio.sleep(1)

    async with gate.slot("a"):
        waiting = asyncio.create_task(wants())
        await anyio.sleep(0.1)
    waiting.cancel()  # it has been called and did not run yet
    await asyncio.wait([waiting])
    assert waiting.cancelled()
    assert (gate.at_once, gate.waiting) == (0, 0)
    async with gate.slot("c"):
        assert gate.at_once == 1
