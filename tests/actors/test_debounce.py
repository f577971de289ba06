"""What was said reaches the extractor after quiet, after much, after long, or at the end: counted on virtual time."""

from typing import Any

import anyio
import pytest

from actors.mail import Asked
from companions.changes import ConversationClosed, JobsQueued
from companions.state import Debounce, Settings
from protocol.conversation_frames import ConversationClose
from protocol.talk_frames import ResponseDone
from tests.actors.stage import Stage
from tests.clock import virtual_time
from tests.companions.scenes import ScriptedRules


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:  # Any: anyio's own type for backend options
    return virtual_time()


def stage(*, quiet: float = 60.0, messages: int = 5, most: float = 300.0) -> Stage:
    settings = Settings(
        silence=3_600.0, jobs=("facts",), debounce=Debounce(quiet=quiet, messages=messages, most=most)
    )
    return Stage(rules=ScriptedRules(settings=settings))


async def said(at: Stage, pauses: list[float]) -> None:
    """One message after each pause; every one is answered at once."""
    for pause in pauses:
        await anyio.sleep(pause)
        before = len(at.client.of(ResponseDone))
        await at.say()
        await at.client.told(ResponseDone, before + 1)


def handed(at: Stage) -> int:
    return len(at.shelf.of(JobsQueued))


@pytest.mark.parametrize(
    ("pauses", "then", "count"),
    [
        ([1.0], 59.0, 0),  # not quiet for long enough
        ([1.0], 61.0, 1),
        ([1.0, 30.0, 30.0], 61.0, 1),  # a burst is one
        ([1.0, 61.0, 61.0], 61.0, 3),  # each followed by quiet
        ([1.0] * 5, 0.1, 1),  # so many messages
        ([1.0] * 11, 0.1, 2),
        ([1.0] * 11, 61.0, 3),
        ([59.0] * 4 + [50.0], 20.0, 1),  # five of them
        ([55.0] * 4, 200.0, 1),
    ],
)
async def test_a_burst_is_handed_over_exactly_so_often(pauses: list[float], then: float, count: int) -> None:
    at = stage()
    async with at.open():
        await said(at, pauses)
        await anyio.sleep(then)
        assert handed(at) == count
        assert len(at.handed_over) == count


async def test_who_never_pauses_is_handed_over_after_the_longest_wait() -> None:
    at = stage(messages=1_000)
    async with at.open():
        await said(at, [1.0, *[50.0] * 6])  # 301 s after the first
        assert handed(at) == 1


@pytest.mark.parametrize("moment", [59.9, 60.0, 60.1])
async def test_nothing_is_lost_when_the_end_races_the_timer(moment: float) -> None:
    at = stage()
    async with at.open():
        await said(at, [1.0])
        await anyio.sleep(moment)
        await at.address.send(Asked(ConversationClose(id="close")))
        await anyio.sleep(200)
        (closed,) = at.shelf.of(ConversationClosed)
        assert isinstance(closed, ConversationClosed)
        assert [(job.kind, job.first, job.last, job.rest) for job in closed.jobs] == [("facts", 1, 2, True)]
        assert handed(at) == (moment >= 60.0), "the store leaves out what an earlier job was given"
