"""After a restart the next session has the ids, the open conversation and the first answers of the one before."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from loadtest.client import Refusal, connected
from loadtest.model_script import Script
from protocol.conversation_frames import (
    ConversationClose,
    ConversationCreate,
    ConversationList,
    ConversationRename,
)
from protocol.person_frames import MoodCheckIn
from protocol.session_frames import ConversationSnapshot
from protocol.talk_frames import (
    MessageSend,
    ResponseRegenerate,
)
from server.settings import Limits
from tests.server.scenes import played
from tests.server.test_resuming import LIMITS, history


async def test_a_restart_leaves_the_ids_and_the_open_conversation_to_the_next_session(tmp_path: Path) -> None:
    async with played(tmp_path, Script(text="Yes."), limits=LIMITS) as scene:
        chosen = scene.chosen
        async with scene.greeted() as talker:
            done = await talker.talk("Hello.")
            message = await talker.say("Remember me.", id_="kept")
            await talker.answer()
            rename = ConversationRename(id="rename", conversation=done.conversation, title="Ours")
            named = await talker.ask(rename)
            checked = await talker.ask(MoodCheckIn(id="check", mood=7))
            point = talker.resume_point()
    async with played(tmp_path, Script(text="Yes."), limits=LIMITS) as scene, connected(scene.url) as back:
        assert scene.chosen.data == chosen.data
        welcome = await back.hello(companion="serenity", user="ann", resume=point)
        assert not welcome.resumed
        assert welcome.conversation == done.conversation
        assert welcome.epoch == point.epoch
        assert len((await back.next(ConversationSnapshot)).messages) == 4
        again = await back.say("Remember me.", id_="kept")
        assert (again.message, again.conversation, again.durable) == (
            message.message,
            done.conversation,
            True,
        )
        assert (await back.ask(rename)).result == named.result
        assert (await back.ask(MoodCheckIn(id="check", mood=7))).result == checked.result
        for other in (
            MessageSend(id="kept", text="Something else."),
            ConversationRename(id="rename", conversation=done.conversation, title="Theirs"),
            MoodCheckIn(id="check", mood=1),
            MoodCheckIn(id="kept", mood=1),
        ):
            with pytest.raises(Refusal) as refused:
                await back.ask(other)
            assert refused.value.code == "id.reused"
        assert len(await history(back, done.conversation)) == 4


async def test_ids_are_inherited_over_two_restarts(tmp_path: Path) -> None:
    async with played(tmp_path, Script(text="Yes."), limits=LIMITS) as scene, scene.greeted() as talker:
        first = await talker.say("Hello.", id_="one")
        await talker.answer()
        point = talker.resume_point()
    for _ in range(2):
        async with (
            played(tmp_path, Script(text="Yes."), limits=LIMITS) as scene,
            connected(scene.url) as back,
        ):
            await back.hello(companion="serenity", user="ann", resume=point)
            assert (await back.say("Hello.", id_="one")).message == first.message
            point = back.resume_point()


async def test_a_check_in_before_any_message_is_remembered_over_a_restart(tmp_path: Path) -> None:
    async with played(tmp_path, limits=LIMITS) as scene, scene.greeted() as talker:
        first = await talker.ask(MoodCheckIn(id="check", mood=7))
        point = talker.resume_point()
    async with played(tmp_path, limits=LIMITS) as scene, connected(scene.url) as back:
        await back.hello(companion="serenity", user="ann", resume=point)
        assert (await back.ask(MoodCheckIn(id="check", mood=7))).result == first.result


async def test_a_new_session_has_ids_of_its_own(tmp_path: Path) -> None:
    async with played(tmp_path, Script(text="Yes.")) as scene:
        async with scene.greeted() as talker:
            first = await talker.say("Hello.", id_="one")
            await talker.answer()
        async with scene.greeted() as other:
            second = await other.say("Hello.", id_="one")
            assert second.message != first.message


async def test_a_close_that_is_sent_again_after_a_restart_gets_its_first_answer(tmp_path: Path) -> None:
    async with played(tmp_path, Script(text="Yes."), limits=LIMITS) as scene, scene.greeted() as talker:
        await talker.talk("Hello.")
        first = await talker.ask(ConversationClose(id="close"))
        point = talker.resume_point()
    async with played(tmp_path, Script(text="Yes."), limits=LIMITS) as scene, connected(scene.url) as back:
        welcome = await back.hello(companion="serenity", user="ann", resume=point)
        assert welcome.conversation is None
        done = await back.talk("A new day.")
        assert (await back.ask(ConversationClose(id="close"))).result == first.result
        assert (await back.talk("Still the same talk.")).conversation == done.conversation


async def test_a_create_that_is_sent_again_after_a_restart_gets_its_first_answer(tmp_path: Path) -> None:
    async with played(tmp_path, Script(text="Yes."), limits=LIMITS) as scene, scene.greeted() as talker:
        first = await talker.ask(ConversationCreate(id="create", title="Garden"))
        done = await talker.talk("Roses.")
        assert first.result == {"conversation": done.conversation}
        empty = await talker.ask(ConversationCreate(id="empty", title="Kitchen"))
        point = talker.resume_point()
    async with played(tmp_path, Script(text="Yes."), limits=LIMITS) as scene, connected(scene.url) as back:
        await back.hello(companion="serenity", user="ann", resume=point)
        assert (await back.ask(ConversationCreate(id="create", title="Garden"))).result == first.result
        assert (await back.ask(ConversationCreate(id="empty", title="Kitchen"))).result == empty.result
        begun = await back.talk("Bread.")
        assert {"conversation": begun.conversation} == empty.result
        page = await back.ask(ConversationList(id=back.new_id()))
        assert isinstance(page.result, dict)
        assert [each["title"] for each in page.result["conversations"]] == ["Kitchen", "Garden"]


async def test_another_answer_that_is_asked_for_again_after_a_restart_is_not_made_twice(
    tmp_path: Path,
) -> None:
    command = ResponseRegenerate(id="anew", message="")
    scripts = (Script(text="One."), Script(text="Two."))
    async with played(tmp_path, *scripts, limits=LIMITS) as scene, scene.greeted() as talker:
        ack = await talker.say("Hello.")
        await talker.answer()
        assert isinstance(ack.message, str)
        command = replace(command, message=ack.message)
        first = await talker.ask(command)
        assert (await talker.answer()).text == "Two."
        point = talker.resume_point()
    async with played(tmp_path, Script(text="Three."), limits=LIMITS) as scene, connected(scene.url) as back:
        await back.hello(companion="serenity", user="ann", resume=point)
        again = await back.ask(command)
        assert again.message == first.message
        last = await back.say("And now?")
        while (await back.answer()).message != last.message:
            pass
        assert len(scene.model.requests) == 1


async def test_a_message_left_without_an_answer_is_in_the_snapshot(tmp_path: Path) -> None:
    limits = Limits(drain_seconds=0.2, commands_per_second=1_000.0)
    async with (
        played(tmp_path, Script(fault="stall_first"), limits=limits) as scene,
        scene.greeted() as talker,
    ):
        ack = await talker.say("Is anybody there?")
        await scene.model.asked()
        point = talker.resume_point()
    async with played(tmp_path, Script(text="Yes."), limits=limits) as scene, connected(scene.url) as back:
        await back.hello(companion="serenity", user="ann", resume=point)
        snapshot = await back.next(ConversationSnapshot)
        assert [each.message for each in snapshot.messages] == [ack.message]
        assert list(snapshot.unanswered) == [ack.message]
        assert scene.model.requests == []  # this companion offers, and does not answer by itself
        assert isinstance(ack.message, str)
        await back.ask(ResponseRegenerate(id=back.new_id(), message=ack.message))
        assert (await back.answer()).text == "Yes."
