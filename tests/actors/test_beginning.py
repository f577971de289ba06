"""Soon after a start: who comes back is welcomed at once; what takes long is waited for by who needs it."""

from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from actors.mail import Asked
from actors.ports import Opening
from companions.talk import Talk
from protocol.person_frames import ProfileGet
from protocol.results import CommandAck
from protocol.session_frames import ConversationSnapshot, Welcome
from protocol.talk_frames import MessageAck
from tests.actors.stage import Stage
from tests.clock import virtual_time

TALK = Talk(conversation="cnv_0", message_count=2, last_position=2)


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:  # Any: anyio's own type for backend options
    return virtual_time()


async def test_a_talk_is_shown_before_it_is_read_and_gone_on_with_after() -> None:
    stage = Stage(["Yes."], talk=TALK)
    read = replace(TALK, told=("the_harbour",))
    stage.shelf.opening = Opening(talk=read, messages=(), unanswered=(), closed=False)
    stage.shelf.reading = 5.0
    async with stage.open():
        assert (await stage.client.told(Welcome)).conversation == "cnv_0"
        await stage.client.told(ConversationSnapshot)
        assert anyio.current_time() == 0.0
        assert stage.session.state.talk == TALK
        await stage.say("How is she?")
        await stage.client.told(MessageAck)
        assert anyio.current_time() == 5.0
        assert stage.session.state.talk is not None
        assert stage.session.state.talk.told == ("the_harbour",)


async def test_a_message_waits_for_what_it_is_read_by_and_other_commands_do_not() -> None:
    stage = Stage(["Yes."])
    stage.warms = 3.0
    async with stage.open():
        await stage.address.send(Asked(ProfileGet(id="profile")))
        await stage.client.told(CommandAck)
        assert anyio.current_time() == 0.0
        await stage.say()
        await stage.client.told(MessageAck)
        assert anyio.current_time() == 3.0


async def test_a_talk_that_the_store_did_not_give_is_asked_for_again_before_the_next_message() -> None:
    stage = Stage(["Yes."], talk=TALK)
    async with stage.open():
        await stage.client.told(ConversationSnapshot)
        await anyio.wait_all_tasks_blocked()
        assert stage.session.state.talk == TALK
        read = replace(TALK, told=("the_harbour",))
        stage.shelf.opening = Opening(talk=read, messages=(), unanswered=(), closed=False)
        await stage.say("How is she?")
        await stage.client.told(MessageAck)
        assert stage.session.state.talk is not None
        assert stage.session.state.talk.told == ("the_harbour",)
