"""A client talks with a companion over a real server and a real store."""

from pathlib import Path

from msgspec.structs import replace

from loadtest.client import connected
from loadtest.model_script import Script
from protocol.conversation_frames import ConversationChanged
from protocol.frames import Event
from protocol.results import Ack
from protocol.session_frames import ConversationSnapshot
from protocol.talk_frames import (
    Durable,
    MessageCreated,
    ResponseDelta,
    ResponseRegenerate,
    ResponseStarted,
    SafetyShown,
)
from server.settings import Data
from tests.server.scenes import played
from tests.server.serving import serving, settings


async def test_an_answer_streams_and_is_stored(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann")
        done = await talker.talk("Hello, I feel a little nervous today.")
        deltas = [event.text for event in talker.events if isinstance(event, ResponseDelta)]
        assert len(deltas) > 1
        assert "".join(deltas) == done.text
        assert done.status == "completed"
        assert done.durable


async def test_the_order_for_one_message_is_the_contracts(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann")
        await talker.talk("I want to kill myself.")
        kinds = [type(event) for event in talker.events]
        order: list[type[Event]] = [SafetyShown, Ack, MessageCreated, ResponseStarted, ResponseDelta]
        places = [kinds.index(kind) for kind in order]
        assert places == sorted(places)
        assert kinds[-2:] == [MessageCreated, type(talker.events[-1])]


async def test_a_restart_finds_the_conversation(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    async with serving(chosen) as url, connected(url) as talker:
        await talker.hello(user="ann")
        said = await talker.talk("My garden is full of roses.")
    async with serving(chosen) as url, connected(url) as talker:
        welcome = await talker.hello(user="ann", conversation="last")
        snapshot = await talker.next(ConversationSnapshot)
        assert welcome.conversation == said.conversation
        assert [message.text for message in snapshot.messages] == ["My garden is full of roses.", said.text]


async def test_another_person_does_not_see_it(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as ann, connected(url) as ben:
        await ann.hello(user="ann")
        await ann.talk("My garden is full of roses.")
        welcome = await ben.hello(user="ben", conversation="last")
        assert welcome.conversation is None


async def test_debounced_an_ack_means_received_and_a_word_follows_when_it_has_landed(tmp_path: Path) -> None:
    chosen = replace(settings(tmp_path), data=Data(folder=str(tmp_path), durability="debounced"))
    async with serving(chosen) as url, connected(url) as talker:
        await talker.hello(user="ann")
        ack = await talker.say("Hello, I feel a little nervous today.")
        assert (ack.durable, ack.reason) == (False, "debounced")
        landed = await talker.next(Durable)
        assert landed.messages == (ack.message,)


async def test_another_answer_that_is_stopped_before_its_first_word_shows_the_old_again(
    tmp_path: Path,
) -> None:
    old = Script(text="The old answer.")
    async with (
        played(tmp_path, old, Script(fault="stall_first")) as scene,
        scene.greeted(companion="coach") as talker,
    ):
        done = await talker.talk("Hello.")
        await talker.ask(ResponseRegenerate(id=talker.new_id(), message=done.message))
        assert (await talker.next(ConversationChanged)).removed_from == 2
        await talker.next(ResponseStarted)
        await talker.cancel()
        assert (await talker.answer()).status == "cancelled"
        snapshot = await talker.next(ConversationSnapshot)
        assert [each.text for each in snapshot.messages] == ["Hello.", done.text]
        assert snapshot.response is None
