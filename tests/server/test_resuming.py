"""Coming back: the rules of the contract on resuming, on ids, and on who has a conversation."""

from functools import partial
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from msgspec.structs import replace
from websockets.exceptions import ConnectionClosed

from actors.outbox import MOST_EVENTS
from loadtest.client import Refusal, Talker, connected
from loadtest.model_script import Script
from protocol.conversation_frames import (
    ConversationClose,
    ConversationCreate,
    ConversationHistory,
    ConversationList,
    ConversationOpen,
    ConversationRename,
)
from protocol.frames import Numbered
from protocol.person_frames import MoodCheckIn
from protocol.session_frames import ConversationSnapshot, Notice, ResponseSnapshot, Resume, Welcome
from protocol.talk_frames import (
    MessageCreated,
    MessageSend,
    ResponseDelta,
    ResponseDone,
    ResponseRegenerate,
    ResponseStarted,
)
from server.settings import Limits
from tests.server.scenes import SLOW, played
from tests.server.serving import serving

STEADY = Script(tokens=40, tokens_per_second=60.0)
LIMITS = Limits(drain_seconds=0.3, commands_per_second=1_000.0)


async def history(talker: Talker, conversation: str) -> list[dict[str, Any]]:  # Any: frames as plain JSON
    """The stored messages of a conversation."""
    page = await talker.ask(ConversationHistory(id=talker.new_id(), conversation=conversation, limit=200))
    assert isinstance(page.result, dict)
    messages: list[dict[str, Any]] = page.result["messages"]  # Any: as above
    return messages


# ---------------------------------------------------------------- resumed


async def test_in_mid_answer_the_deltas_go_on_where_the_snapshot_ends(tmp_path: Path) -> None:
    async with played(tmp_path, STEADY) as scene:
        async with scene.greeted() as talker:
            ack = await talker.say("Tell me something long.")
            await talker.next(ResponseDelta)
            point = talker.resume_point()
        request = scene.model.requests[0]
        async with connected(scene.url) as back:
            welcome = await back.hello(companion="serenity", user="ann", resume=point)
            assert (welcome.resumed, welcome.session) == (True, point.session)
            assert welcome.conversation == ack.conversation
            snapshot = await back.next(ResponseSnapshot)
            assert snapshot.message == ack.message
            assert snapshot.text
            done = await back.answer()
            deltas = [event for event in back.events if isinstance(event, ResponseDelta)]
            assert [each.n for each in deltas] == list(range(snapshot.n, snapshot.n + len(deltas)))
            assert snapshot.text + "".join(each.text for each in deltas) == done.text
            assert (done.response, done.status) == (snapshot.response, "completed")
        assert not request.closed_early
        assert len(scene.model.requests) == 1


async def test_missed_events_come_again_with_their_own_numbers(tmp_path: Path) -> None:
    async with played(tmp_path, Script(text="All is well.")) as scene:
        async with scene.greeted() as talker:
            point = talker.resume_point()
            done = await talker.talk("How are you?")
            first = [
                event for event in talker.events if isinstance(event, Numbered) and event.seq > point.seq
            ]
        async with connected(scene.url) as back:
            welcome = await back.hello(companion="serenity", user="ann", resume=point)
            assert welcome.seq == first[-1].seq
            while not back.events or not isinstance(back.events[-1], ResponseDone):
                back.events.append(await back.receive())
            again = [event for event in back.events if isinstance(event, Numbered)]
            assert again == first
            assert again[-1] == done
            await back.talk("And now?")  # the numbers go on without a gap


async def test_an_answer_that_was_finished_while_nobody_was_there_is_told(tmp_path: Path) -> None:
    async with played(tmp_path, Script(tokens=10, tokens_per_second=100.0)) as scene:
        async with scene.greeted() as talker:
            await talker.send(MessageSend(id="gone", text="Hello?"))
            await talker.next(ResponseStarted)
            point = talker.resume_point()
        with anyio.fail_after(60):
            await (await scene.model.asked()).ended.wait()
        async with connected(scene.url) as back:
            assert (await back.hello(companion="serenity", user="ann", resume=point)).resumed
            done = await back.answer()
            assert done.status == "completed"
            stored = await history(back, done.conversation)
            assert [each["text"] for each in stored] == ["Hello?", done.text]


async def test_when_the_missed_events_are_not_kept_any_more_there_is_a_snapshot(tmp_path: Path) -> None:
    async with played(tmp_path, Script(text="Yes.")) as scene:
        async with scene.greeted() as talker:
            point = talker.resume_point()
            done = await talker.talk("number 0")
            for n in range(MOST_EVENTS // 4 + 1):
                done = await talker.talk(f"number {n + 1}")
            late = talker.resume_point()
        async with connected(scene.url) as back:
            welcome = await back.hello(companion="serenity", user="ann", resume=point)
            assert (welcome.resumed, welcome.session) == (False, point.session)
            snapshot = await back.next(ConversationSnapshot)
            assert snapshot.seq == welcome.seq + 1
            assert len(snapshot.messages) == 50
            assert snapshot.messages[-1].message == done.answer
            assert snapshot.messages[-1].position == 2 * (MOST_EVENTS // 4 + 2)
        async with connected(scene.url) as back:
            assert (await back.hello(companion="serenity", user="ann", resume=late)).resumed


async def test_a_number_that_was_never_told_is_not_resumed_after(tmp_path: Path) -> None:
    async with played(tmp_path, Script(text="Yes.")) as scene:
        async with scene.greeted() as talker:
            await talker.talk("Hello.")
            point = replace(talker.resume_point(), seq=10_000)
        async with connected(scene.url) as back:
            assert not (await back.hello(companion="serenity", user="ann", resume=point)).resumed
            assert len((await back.next(ConversationSnapshot)).messages) == 2


async def test_the_snapshot_names_the_open_answer_and_the_deltas_go_on(tmp_path: Path) -> None:
    async with played(tmp_path, STEADY) as scene:
        async with scene.greeted() as talker:
            await talker.say("Tell me something long.")
            await talker.next(ResponseDelta)
            point = replace(talker.resume_point(), epoch="another")
        async with connected(scene.url) as back:
            assert not (await back.hello(companion="serenity", user="ann", resume=point)).resumed
            snapshot = await back.next(ConversationSnapshot)
            assert snapshot.response is not None
            assert snapshot.unanswered == ()
            done = await back.answer()
            deltas = [event for event in back.events if isinstance(event, ResponseDelta)]
            assert deltas[0].n == snapshot.response.n
            assert snapshot.response.text + "".join(each.text for each in deltas) == done.text


async def test_another_epoch_is_answered_by_a_snapshot_and_no_hint_why(tmp_path: Path) -> None:
    async with played(tmp_path, Script(text="Yes.")) as scene:
        async with scene.greeted() as talker:
            await talker.talk("Hello.")
            point = talker.resume_point()
        async with connected(scene.url) as back:
            other = replace(point, epoch="epo_00000000-0000-7000-8000-000000000000")
            welcome = await back.hello(companion="serenity", user="ann", resume=other)
            assert not welcome.resumed
            assert welcome.epoch == point.epoch
            await back.next(ConversationSnapshot)
            assert (await back.talk("Still there?")).status == "completed"


async def test_anothers_session_gives_no_hint(tmp_path: Path) -> None:
    async with played(tmp_path, Script(text="Yes.")) as scene, scene.greeted(user="ann") as ann:
        await ann.talk("My secret garden.")
        theirs = ann.resume_point()
        unknown = Resume(
            session="ses_00000000-0000-7000-8000-000000000000", seq=theirs.seq, epoch=theirs.epoch
        )
        welcomes: list[Welcome] = []
        for point in (theirs, unknown):
            async with connected(scene.url) as ben:
                welcome = await ben.hello(companion="serenity", user="ben", resume=point)
                welcomes.append(replace(welcome, re="", session=""))
                assert welcome.session != theirs.session
        assert welcomes[0] == welcomes[1]
        assert (welcomes[0].resumed, welcomes[0].conversation) == (False, None)
        assert (await ann.talk("Nobody took me over.")).status == "completed"


async def test_a_connection_that_goes_on_replaces_the_one_before(tmp_path: Path) -> None:
    async with played(tmp_path, Script(text="Yes.")) as scene, scene.greeted() as old:
        await old.talk("Hello.")
        async with connected(scene.url) as new:
            assert (await new.hello(companion="serenity", user="ann", resume=old.resume_point())).resumed
            assert await close_code(old) == 4504
            assert (await new.talk("It is me, on the other device.")).status == "completed"


async def close_code(talker: Talker) -> int:
    """The code the server closes with; what came before is in ``events``."""
    with anyio.fail_after(60), pytest.raises(ConnectionClosed) as closed:  # noqa: PT012  # until it closes
        while True:
            talker.events.append(await talker.receive())
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code


# ---------------------------------------------------------------- after a restart


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


# ---------------------------------------------------------------- the same id again, in one session


async def test_the_same_id_gets_the_first_answer_also_while_it_is_under_way(tmp_path: Path) -> None:
    async with played(tmp_path, STEADY) as scene, scene.greeted() as talker:
        command = MessageSend(id="once", text="Hello.")
        for _ in range(3):
            await talker.send(command)
        done = await talker.answer()
        again = await talker.ask(command)
        assert again.message == done.message
        stored = await history(talker, done.conversation)
        assert [each["role"] for each in stored] == ["user", "assistant"]
        assert sum(isinstance(event, MessageCreated) for event in talker.events) == 2


async def test_ids_that_left_the_memory_of_a_session_are_still_known(tmp_path: Path) -> None:
    async with played(tmp_path, Script(text="Yes.")) as scene, scene.greeted() as talker:
        done = await talker.talk("Hello.")
        first = ConversationRename(id="first", conversation=done.conversation, title="First")
        await talker.ask(first)
        for n in range(300):
            await talker.ask(
                ConversationRename(id=f"r{n}", conversation=done.conversation, title=f"Name {n}")
            )
        await talker.ask(first)
        page = await talker.ask(ConversationList(id=talker.new_id()))
        assert isinstance(page.result, dict)
        assert page.result["conversations"][0]["title"] == "Name 299"


async def test_a_refused_command_may_be_sent_again_under_its_id(tmp_path: Path) -> None:
    async with played(tmp_path, SLOW, Script(text="Yes.")) as scene, scene.greeted() as talker:
        await talker.say("one")
        await talker.next(ResponseStarted)
        for text in ("two", "three", "four", "five"):
            await talker.say(text)
        with pytest.raises(Refusal) as refused:
            await talker.say("six", id_="six")
        assert refused.value.code == "session.busy"
        await talker.cancel()
        for _ in range(5):
            await talker.answer()
        assert (await talker.say("six", id_="six")).durable is True


# ---------------------------------------------------------------- one session a conversation


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
