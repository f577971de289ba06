"""A message that is sent again while the first one waits for the store: the first ack, and word when it has landed."""

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from actors.mail import Asked
from actors.ports import Waits
from companions.changes import CommandDone, CommandId, MessageSaid, Repeated
from protocol.conversation_frames import ConversationClose, ConversationRename
from protocol.errors import ErrorFrame
from protocol.results import CommandAck
from protocol.talk_frames import Durable, MessageAck, MessageCreated
from tests.actors.stage import Stage
from tests.clock import virtual_time
from tests.companions.scenes import WHO
from tests.storage.making import raw

KEY = CommandId(space="ses_0", id="c9", digest="d")


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return virtual_time()


def going_on(waits: Waits) -> Stage:
    """A session that goes on with the ids of an earlier one."""
    stage = Stage(commit=3.0)
    stage.shelf.before = waits
    stage.session.state = replace(stage.session.state, who=replace(WHO, space="ses_0"))
    return stage


async def test_a_message_has_its_first_ack_and_no_second_answer() -> None:
    said = MessageSaid(
        user="ann",
        companion="test",
        at=1,
        session="ses_0",
        command=KEY,
        conversation="cnv_0",
        message="msg_0",
        position=3,
        text="Good morning.",
    )
    async with going_on(Waits(said)).open() as stage:
        await stage.say("Good morning.", id_="c9")
        ack = await stage.client.told(MessageAck)
        assert (ack.message, ack.conversation, ack.durable) == ("msg_0", "cnv_0", False)
        assert stage.client.of(Durable) == []
        assert (await stage.client.told(Durable)).messages == ("msg_0",)
        stage.shelf.before = Repeated("msg_0", "cnv_0")
        await stage.say("Good morning.", id_="c9")  # the client may not have heard that
        assert (await stage.client.told(MessageAck, 2)).durable
        assert stage.client.of(MessageCreated) == []
        assert stage.shelf.changes == [said]


async def test_a_close_has_its_first_ack_and_another_command_is_to_be_sent_later() -> None:
    done = CommandDone(
        user="ann", companion="test", at=1, command=KEY, result=raw('{"conversation":"cnv_0"}')
    )
    async with going_on(Waits(done)).open() as stage:
        await stage.address.send(Asked(ConversationClose(id="c9")))
        first = {"conversation": "cnv_0"}
        await stage.client.told(CommandAck)
        assert CommandAck(re="c9", result=first, durable=False, reason="storage.busy") in stage.client.events
        await stage.address.send(Asked(ConversationRename(id="c9", conversation="cnv_0", title="t")))
        refused = await stage.client.told(ErrorFrame)
        assert (refused.code, refused.retryable) == ("storage.busy", True)


async def test_who_did_not_hear_that_a_message_has_landed_hears_it_with_the_ack() -> None:
    async with Stage(commit=3.0).open() as stage:
        await stage.say("Good morning.", id_="c9")
        first = await stage.client.told(MessageAck)
        await stage.say("Good morning.", id_="c9")
        assert await stage.client.told(MessageAck, 2) == first
        assert not first.durable
        await stage.client.told(Durable)
        await stage.say("Good morning.", id_="c9")
        again = await stage.client.told(MessageAck, 3)
        assert (again.message, again.durable, again.reason) == (first.message, True, UNSET)
