"""A conversation has one session: who takes it over has it whole, and whoever had it is told."""

from functools import partial
from pathlib import Path

import anyio
import msgspec
import pytest
from websockets.exceptions import ConnectionClosed

from loadtest.client import Refusal, Talker, connected
from loadtest.model_script import Script
from protocol.conversation_frames import (
    ConversationOpen,
)
from protocol.session_frames import ConversationSnapshot, Notice
from protocol.talk_frames import (
    ResponseDelta,
)
from tests.server.scenes import SLOW, played
from tests.server.serving import serving
from tests.server.test_resuming import LIMITS, STEADY, close_code, history


async def test_the_first_session_is_told_and_closed_and_what_it_showed_is_stored(tmp_path: Path) -> None:
    async with played(tmp_path, SLOW) as scene, scene.greeted() as first, scene.greeted() as second:
        ack = await first.say("Tell me something long.")
        await first.next(ResponseDelta)
        assert isinstance(ack.conversation, str)
        opened = await second.ask(ConversationOpen(id=second.new_id(), conversation=ack.conversation))
        assert opened.result == {"conversation": ack.conversation}
        snapshot = await second.next(ConversationSnapshot)
        assert await close_code(first) == 4504
        notices = [event.code for event in first.events if isinstance(event, Notice)]
        assert notices == ["disclosure", "session.replaced"]
        shown = "".join(event.text for event in first.events if isinstance(event, ResponseDelta))
        assert snapshot.messages[-1].text == shown
        assert (await second.say("I go on here.")).conversation == ack.conversation


async def test_a_hello_that_names_the_conversation_takes_it_over_too(tmp_path: Path) -> None:
    async with played(tmp_path, Script(text="Yes.")) as scene, scene.greeted() as first:
        done = await first.talk("Hello.")
        async with connected(scene.url) as second:
            welcome = await second.hello(companion="serenity", user="ann", conversation=done.conversation)
            assert welcome.conversation == done.conversation
            assert await close_code(first) == 4504


async def test_a_stranger_does_not_take_a_conversation_over(tmp_path: Path) -> None:
    script = Script(text="Yes.")
    async with (
        played(tmp_path, script) as scene,
        scene.greeted() as ann,
        scene.greeted(user="ben") as ben,
    ):
        done = await ann.talk("Hello.")
        with pytest.raises(Refusal) as refused:
            await ben.ask(ConversationOpen(id=ben.new_id(), conversation=done.conversation))
        assert refused.value.code == "conversation.unknown"
        assert (await ann.talk("Nobody took me over.")).conversation == done.conversation


async def test_two_windows_that_take_turns_lose_nothing(tmp_path: Path) -> None:
    async with played(tmp_path, Script(text="Yes.")) as scene:
        async with scene.greeted() as talker:
            conversation = (await talker.talk("message 0")).conversation
        for n in range(1, 4):
            async with connected(scene.url) as window:
                await window.hello(companion="serenity", user="ann", conversation=conversation)
                await window.talk(f"message {n}")
        async with scene.greeted() as reader:
            stored = await history(reader, conversation)
        assert [each["position"] for each in stored] == list(range(1, 9))
        said = [each["text"] for each in stored if each["role"] == "user"]
        assert said == [f"message {n}" for n in range(4)]


async def test_two_windows_at_once_do_not_corrupt_a_conversation(tmp_path: Path) -> None:
    async with played(tmp_path, Script(text="Yes.")) as scene:
        async with scene.greeted() as talker:
            conversation = (await talker.talk("begin")).conversation
        acknowledged: list[str] = []

        async def window(number: int) -> None:
            for n in range(4):
                async with connected(scene.url) as talker:
                    try:
                        await talker.hello(companion="serenity", user="ann", conversation=conversation)
                        text = f"window {number}, {n}"
                        ack = await talker.say(text)
                        if ack.conversation == conversation:
                            acknowledged.append(text)
                    except (ConnectionClosed, Refusal):
                        continue

        async with anyio.create_task_group() as tasks:
            for number in range(3):
                tasks.start_soon(window, number)
        async with scene.greeted() as reader:
            stored = await history(reader, conversation)
        said = [each["text"] for each in stored if each["role"] == "user"]
        assert [each["position"] for each in stored] == list(range(1, len(stored) + 1))
        assert len(said) == len(set(said))
        assert set(acknowledged) <= set(said)
        assert acknowledged


async def test_nothing_of_the_frames_is_lost_between_the_codings(tmp_path: Path) -> None:
    async with played(tmp_path, STEADY) as scene:
        async with connected(scene.url, wire="msgpack") as talker:
            await talker.hello(companion="serenity", user="ann")
            await talker.say("Tell me something long.")
            await talker.next(ResponseDelta)
            point = talker.resume_point()
        async with connected(scene.url, wire="json") as back:
            assert (await back.hello(companion="serenity", user="ann", resume=point)).resumed
            assert (await back.answer()).status == "completed"
            assert msgspec.json.encode(back.welcome)


async def test_a_server_that_starts_where_one_stopped_serves(tmp_path: Path) -> None:
    async with played(tmp_path, Script(text="Yes."), limits=LIMITS) as scene:
        chosen = scene.chosen
    async with serving(chosen) as url, connected(url) as talker:
        await talker.hello(companion="serenity", user="ann")
        assert (await talker.talk("Hello.")).source == "fallback"  # its model is gone


async def test_of_two_that_come_back_at_the_same_moment_one_has_the_conversation(tmp_path: Path) -> None:
    async with (
        played(tmp_path, STEADY) as scene,
        scene.greeted() as talker,
        connected(scene.url) as one,
        connected(scene.url) as two,
    ):
        await talker.talk("Remember me.")
        async with anyio.create_task_group() as tasks:
            for each in (one, two):
                tasks.start_soon(partial(each.hello, companion="serenity", user="ann", conversation="last"))
        replaced: list[Talker] = []

        async def heard(each: Talker) -> None:
            await each.next(Notice)
            replaced.append(each)
            tasks.cancel_scope.cancel()

        async with anyio.create_task_group() as tasks:
            for each in (one, two):
                tasks.start_soon(heard, each)
        other = two if replaced == [one] else one
        assert (await other.talk("Are you mine alone?")).status == "completed"
