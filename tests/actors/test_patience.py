"""A disk that hangs: it neither takes nor refuses, and keeps nobody waiting beyond a bound."""

from collections.abc import Sequence

import anyio
import pytest

from actors.runtime import running
from actors.writer import PATIENCE, Refusing, Write, Writer
from companions.changes import AnyChange, Deferred, Landed, Outcome
from tests.actors.test_writer import change
from tests.clock import virtual_time


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return virtual_time()


async def test_a_disk_that_neither_takes_nor_refuses_keeps_nobody_waiting_and_all_of_it_lands() -> None:
    """Who waits is told within ``PATIENCE``, and so is whoever comes while the disk hangs."""
    landed: list[int] = []

    async def slow(groups: Sequence[tuple[AnyChange, ...]]) -> Sequence[Outcome] | Refusing:
        await anyio.sleep(60.0)
        landed.extend(each.at for group in groups for each in group)
        return [Landed()] * len(groups)

    told: list[Outcome] = []
    at: list[float] = []

    def hear(outcome: Outcome) -> None:
        told.append(outcome)
        at.append(anyio.current_time() - began)

    writing = Writer(slow)
    async with running(writing, name="writer", capacity=100, grace=200) as writer:
        began = anyio.current_time()
        await writer.send(Write((change(1),), hear))
        await anyio.sleep(20.0)
        assert told == [Deferred("storage.busy")]
        assert at == pytest.approx([PATIENCE])
        assert writing.refusing == "storage.busy"
        await writer.send(Write((change(2),), hear))
        await anyio.sleep(0.1)
        assert told[1:] == [Deferred("storage.busy")]
        assert at[1:] == pytest.approx([20.0], abs=0.1)
        assert [each.at for group in writing.waiting() for each in group] == [1, 2]
    assert landed == [1, 2]
    assert told[2:] == [Landed(), Landed()]
    assert writing.refusing is None
