"""The vector of the current message comes in time, or not at all (D32)."""

from collections.abc import Sequence

import anyio
import pytest

from companions.ports import ModelError
from generation.timely import FAILURES, MOST_CHARS, REST_SECONDS, WITHIN_SECONDS, Timely, VectorOutcome
from tests import clock


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return clock.virtual_time()


class Scripted:
    """An embedder that takes as long as it is told, or fails."""

    name = "scripted"
    dimension = 2

    def __init__(self) -> None:
        self.takes = 0.0
        self.fails = False
        self.texts: list[str] = []

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self.texts += texts
        await anyio.sleep(self.takes)
        if self.fails:
            raise ModelError("unreachable", "away")
        return [(1.0, 0.0) for _ in texts]


class Desk:
    """A timely one, with its embedder and what was counted."""

    def __init__(self) -> None:
        self.embedder = Scripted()
        self.counted: list[VectorOutcome] = []
        self.vector = Timely(self.embedder, self.counted.append)


async def test_a_vector_in_time_is_given() -> None:
    desk = Desk()
    assert await desk.vector("Good morning.") == (1.0, 0.0)
    assert desk.counted == ["made"]


async def test_a_late_one_is_not_waited_for() -> None:
    desk = Desk()
    desk.embedder.takes = 5.0
    start = anyio.current_time()
    assert await desk.vector("Good morning.") is None
    assert anyio.current_time() - start == pytest.approx(WITHIN_SECONDS)
    assert desk.counted == ["late"]


async def test_an_embedder_that_is_gone_costs_nothing_until_it_is_tried_again() -> None:
    desk = Desk()
    desk.embedder.takes = 5.0
    for _ in range(FAILURES):
        await desk.vector("Good morning.")
    start = anyio.current_time()
    assert await desk.vector("Good morning.") is None
    assert anyio.current_time() == start
    assert desk.counted[-1] == "resting"
    desk.embedder.takes = 0.0
    await anyio.sleep(REST_SECONDS)
    assert await desk.vector("Good morning.") == (1.0, 0.0)
    assert await desk.vector("Good morning.") == (1.0, 0.0)


async def test_a_failure_is_no_vector_and_is_counted() -> None:
    desk = Desk()
    desk.embedder.fails = True
    assert [await desk.vector("Good morning.") for _ in range(FAILURES + 1)] == [None] * (FAILURES + 1)
    assert desk.counted == [*["failed"] * FAILURES, "resting"]


async def test_who_is_cancelled_meanwhile_does_not_count_against_the_embedder() -> None:
    desk = Desk()
    desk.embedder.takes = WITHIN_SECONDS
    for _ in range(FAILURES + 1):
        with anyio.move_on_after(WITHIN_SECONDS / 2):
            await desk.vector("Good morning.")
    desk.embedder.takes = 0.0
    assert await desk.vector("Good morning.") == (1.0, 0.0)
    assert desk.counted == ["made"]


async def test_of_a_long_message_head_and_tail_are_embedded() -> None:
    desk = Desk()
    await desk.vector("a" * 5_000 + "b" * 5_000)
    assert desk.embedder.texts == ["a" * (MOST_CHARS // 2) + "\n" + "b" * (MOST_CHARS // 2)]


async def test_warming_up_may_take_long_and_may_fail() -> None:
    desk = Desk()
    desk.embedder.takes, desk.embedder.fails = 5.0, True
    await desk.vector.warm()
    assert len(desk.embedder.texts) == 1
    assert desk.counted == []
