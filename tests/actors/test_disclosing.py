"""People are told that they talk with a program: at the start, again after so much talk, and each time is recorded."""

from typing import Any

import anyio
import pytest

from actors.disclosing import RECORDED_AFTER
from actors.mail import Drain
from companions.changes import DisclosureShown
from protocol.session_frames import Notice, Welcome
from protocol.talk_frames import MessageCreated, ResponseDone
from tests.actors.stage import Record, Stage
from tests.clock import virtual_time

EVERY = 180 * 60  # seconds: the wellness companion's policy


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:  # Any: anyio's own type for backend options
    return virtual_time()


def told(client: Record) -> int:
    return len([each for each in client.of(Notice) if each.code == "disclosure"])


def recorded(stage: Stage) -> list[str]:
    changes = stage.shelf.of(DisclosureShown)
    return [each.occasion for each in changes if isinstance(each, DisclosureShown)]


async def test_a_session_begins_with_it_and_it_is_recorded() -> None:
    async with Stage().open() as stage:
        await stage.client.told(Notice)
        assert isinstance(stage.client.events[0], Welcome)
        (notice,) = stage.client.of(Notice)
        assert (notice.seq, notice.code) == (1, "disclosure")
        assert notice.say is not None
        assert "computer program" in notice.say
        await anyio.sleep(RECORDED_AFTER + 0.1)
        assert recorded(stage) == ["start"]


async def test_it_is_told_again_after_so_much_talk_and_not_in_the_middle_of_an_answer() -> None:
    async with Stage(["Yes."], ["Let ", 60.0, "us see."]).open() as stage:
        await stage.say()
        await stage.client.told(ResponseDone)
        await anyio.sleep(EVERY - 30)
        await stage.say()
        await anyio.sleep(40)
        assert told(stage.client) == 1
        await stage.client.told(ResponseDone, 2)
        await anyio.sleep(RECORDED_AFTER + 0.1)
        assert told(stage.client) == 2
        assert isinstance(stage.client.events[-1], Notice)
        assert recorded(stage) == ["start", "reminder"]


async def test_nobody_who_is_away_or_silent_is_told() -> None:
    async with Stage().open() as stage:
        await anyio.sleep(EVERY * 3)
        assert told(stage.client) == 1
        await stage.say()
        await stage.client.told(Notice, 2)
        assert len(stage.client.of(ResponseDone)) == 1


async def test_a_line_that_heals_brings_no_second_start() -> None:
    async with Stage().open() as stage:
        await stage.say()
        await stage.client.told(ResponseDone)
        seq = stage.session.outbox.seq
        again = Record()
        await stage.leave()
        await stage.attach(again, after=seq)
        await stage.say()
        await again.told(ResponseDone)
        assert told(again) == 0
        assert told(stage.client) == 1


async def test_the_record_makes_no_message_wait_and_a_stop_writes_it_down() -> None:
    async with Stage(commit=1.0).open() as stage:
        await stage.say()
        begun = anyio.current_time()
        await stage.client.told(MessageCreated)
        assert anyio.current_time() - begun == 1.0
        await stage.client.told(ResponseDone)
        await stage.address.send(Drain(1_000))
        await stage.over.wait()
    assert recorded(stage) == ["start"]
