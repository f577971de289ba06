"""Coming back: the rules of the contract on resuming, on ids, and on who has a conversation."""

from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec import UNSET, UnsetType
from msgspec.structs import replace
from websockets.exceptions import ConnectionClosed

from actors.outbox import MOST_EVENTS
from loadtest.client import Refusal, Talker, connected
from loadtest.model_script import Script
from protocol.conversation_frames import (
    ConversationHistory,
    ConversationList,
    ConversationRename,
)
from protocol.errors import ErrorFrame
from protocol.frames import Numbered
from protocol.session_frames import Client, ConversationSnapshot, Hello, ResponseSnapshot, Resume, Welcome
from protocol.talk_frames import (
    MessageCreated,
    MessageSend,
    ResponseDelta,
    ResponseDone,
    ResponseStarted,
)
from server.settings import Limits
from tests.server.scenes import PATIENT, SLOW, played

STEADY = Script(tokens=40, tokens_per_second=60.0)
HELD = Script(tokens=40, tokens_per_second=60.0, hold_after=5)
"""An answer in the middle of which anything may take its time."""
LIMITS = Limits(drain_seconds=0.3, commands_per_second=1_000.0)


async def history(talker: Talker, conversation: str) -> list[dict[str, Any]]:  # Any: frames as plain JSON
    """The stored messages of a conversation."""
    page = await talker.ask(ConversationHistory(id=talker.new_id(), conversation=conversation, limit=200))
    assert isinstance(page.result, dict)
    messages: list[dict[str, Any]] = page.result["messages"]  # Any: as above
    return messages


# ---------------------------------------------------------------- resumed


async def test_in_mid_answer_the_deltas_go_on_where_the_snapshot_ends(tmp_path: Path) -> None:
    async with played(tmp_path, HELD, model=PATIENT) as scene:
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
            request.go_on()
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
    async with played(tmp_path, HELD, model=PATIENT) as scene:
        async with scene.greeted() as talker:
            await talker.say("Tell me something long.")
            await talker.next(ResponseDelta)
            point = replace(talker.resume_point(), epoch="another")
        async with connected(scene.url) as back:
            assert not (await back.hello(companion="serenity", user="ann", resume=point)).resumed
            snapshot = await back.next(ConversationSnapshot)
            assert snapshot.response is not None
            assert snapshot.unanswered == ()
            scene.model.requests[0].go_on()
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


async def let_in(talker: Talker, user: str, at: Resume | UnsetType = UNSET) -> Welcome:
    """Greet until there is room: the server has to see who went."""
    with anyio.fail_after(20):
        while True:
            hello = Hello(id=talker.new_id(), client=Client(name="t", version="1"), user=user, resume=at)
            await talker.send(hello)
            told = await talker.receive()
            if isinstance(told, Welcome):
                return told


async def test_where_no_session_more_may_be_one_that_only_waits_gives_way(tmp_path: Path) -> None:
    limits = Limits(sessions=2, drain_seconds=1.0, commands_per_second=1_000.0)
    async with played(tmp_path, Script(text="Yes."), limits=limits) as scene:
        async with scene.greeted(user="ann") as ann, scene.greeted(user="bob") as bob:
            await ann.talk("I was here first.")
            async with connected(scene.url) as third:  # both are here
                await third.send(Hello(id="h", client=Client(name="t", version="1"), user="eve"))
                assert (await third.next(ErrorFrame)).code == "session.busy"
            at = ann.resume_point()
            await ann.socket.close()
            async with connected(scene.url) as eve:
                await let_in(eve, "eve")
                await bob.talk("I am still here.")
        async with connected(scene.url) as back:
            assert (await let_in(back, "ann", at)).resumed is False
            snapshot = await back.receive()
            assert isinstance(snapshot, ConversationSnapshot)
            assert [each.text for each in snapshot.messages] == ["I was here first.", "Yes."]
