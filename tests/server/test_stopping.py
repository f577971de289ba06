"""Stop really stops the model: whatever ends an answer closes the upstream request, and what was shown is kept."""

from contextlib import AsyncExitStack
from pathlib import Path

import anyio
import pytest
from websockets.exceptions import ConnectionClosed

from loadtest.client import Talker, connected
from loadtest.model_script import Script
from loadtest.model_server import model_server
from protocol.conversation_frames import ConversationClose, ConversationHistory, ConversationOpen
from protocol.session_frames import ConversationSnapshot
from protocol.talk_frames import MessageCreated, ResponseCancel, ResponseDelta, ResponseDone, ResponseStarted
from server.settings import Limits
from tests.server.scenes import GUARDED, SLOW, closed_upstream, played
from tests.server.serving import serving, settings

QUIET = Script(fault="stall_first")


async def begun(talker: Talker, text: str = "Tell me something long.") -> str:
    """An answer of which some is shown; its response."""
    await talker.say(text)
    await talker.next(ResponseDelta)
    return (await talker.next(ResponseDelta)).response


async def kept(talker: Talker, conversation: str) -> list[tuple[str, str]]:
    """The conversation's messages as they are stored: text and status."""
    page = await talker.ask(ConversationHistory(id=talker.new_id(), conversation=conversation))
    assert isinstance(page.result, dict)
    return [(each["text"], each["status"]) for each in page.result["messages"]]


async def test_a_cancel_closes_the_upstream_request_and_keeps_the_part(tmp_path: Path) -> None:
    async with played(tmp_path, SLOW) as scene, scene.greeted() as talker:
        response = await begun(talker)
        ack = await talker.cancel()
        assert ack.result == {"response": response}
        done = await talker.answer()
        assert (done.status, done.durable, done.source) == ("cancelled", True, "model")
        assert await closed_upstream(scene.model)
        deltas = [event.text for event in talker.events if isinstance(event, ResponseDelta)]
        assert done.text == "".join(deltas) != ""
        assert await kept(talker, done.conversation) == [
            ("Tell me something long.", "completed"),
            (done.text, "cancelled"),
        ]


async def test_a_cancel_before_the_first_word_leaves_the_message_and_no_answer(tmp_path: Path) -> None:
    async with played(tmp_path, QUIET) as scene, scene.greeted() as talker:
        await talker.say("Are you there?")
        await talker.next(ResponseStarted)
        await scene.model.asked()
        await talker.cancel()
        done = await talker.answer()
        assert (done.status, done.text, done.answer) == ("cancelled", "", None)
        assert await closed_upstream(scene.model)
        assert await kept(talker, done.conversation) == [("Are you there?", "completed")]


async def test_a_cancel_of_another_response_stops_nothing(tmp_path: Path) -> None:
    async with played(tmp_path, SLOW) as scene, scene.greeted() as talker:
        await begun(talker)
        ack = await talker.cancel("rsp_00000000-0000-7000-8000-000000000000")
        assert ack.result == {"response": None}
        await talker.next(ResponseDelta)
        assert scene.model.streaming == 1


async def test_a_cancel_when_nothing_is_open_says_so(tmp_path: Path) -> None:
    async with played(tmp_path, Script()) as scene, scene.greeted() as talker:
        assert (await talker.cancel()).result == {"response": None}


async def test_a_cancel_that_is_sent_again_does_not_stop_the_next_answer(tmp_path: Path) -> None:
    async with played(tmp_path, SLOW) as scene, scene.greeted() as talker:
        response = await begun(talker)
        command = "the-cancel"
        first = await talker.ask(ResponseCancel(id=command))
        await talker.answer()
        await begun(talker, "And now?")
        again = await talker.ask(ResponseCancel(id=command))
        assert first.result == again.result == {"response": response}
        await talker.next(ResponseDelta)
        assert scene.model.streaming == 1


async def test_after_a_cancel_what_waits_is_answered(tmp_path: Path) -> None:
    async with played(tmp_path, SLOW, Script(text="Second.")) as scene, scene.greeted() as talker:
        await begun(talker)
        await talker.say("and another thing")
        await talker.cancel()
        assert (await talker.answer()).status == "cancelled"
        second = await talker.answer()
        assert (second.status, second.text) == ("completed", "Second.")


async def test_a_close_closes_the_upstream_request_and_keeps_the_part(tmp_path: Path) -> None:
    async with played(tmp_path, SLOW) as scene, scene.greeted() as talker:
        await begun(talker)
        await talker.say("this one waits")
        await talker.ask(ConversationClose(id=talker.new_id()))
        done = next(event for event in talker.events if isinstance(event, ResponseDone))
        assert (done.status, bool(done.text)) == ("cancelled", True)
        assert await closed_upstream(scene.model)
        assert await kept(talker, done.conversation) == [
            ("Tell me something long.", "completed"),
            ("this one waits", "completed"),
            (done.text, "cancelled"),
        ]
        assert len(scene.model.requests) == 1


async def test_a_take_over_closes_the_upstream_request_and_the_second_reads_the_part(tmp_path: Path) -> None:
    async with played(tmp_path, SLOW) as scene, scene.greeted() as first, scene.greeted() as second:
        await begun(first)
        await first.say("this one waits")
        await first.next(ResponseDelta)
        created = next(event for event in first.events if isinstance(event, MessageCreated))
        await second.ask(ConversationOpen(id=second.new_id(), conversation=created.conversation))
        snapshot = await second.next(ConversationSnapshot)
        assert await closed_upstream(scene.model)
        shown = "".join(event.text for event in first.events if isinstance(event, ResponseDelta))
        answer = next(each for each in snapshot.messages if each.role == "assistant")
        assert answer.text.startswith(shown)
        assert answer.status == "interrupted"
        assert snapshot.response is None
        assert len(snapshot.unanswered) == 1
        assert len(scene.model.requests) == 1  # what waited is not answered by a session that is over


async def test_a_drain_closes_the_upstream_request_and_the_next_start_reads_the_part(tmp_path: Path) -> None:
    limits = Limits(drain_seconds=0.3, commands_per_second=1_000.0)
    async with model_server(SLOW) as upstream, AsyncExitStack() as stays:
        chosen = settings(tmp_path, model=f"openai:m@{upstream.url}/v1", limits=limits)
        async with serving(chosen) as url:
            talker = await stays.enter_async_context(connected(url))
            await talker.hello(user="ann")
            await begun(talker)
        assert await closed_upstream(upstream)
        with anyio.fail_after(60), pytest.raises(ConnectionClosed) as closed:  # noqa: PT012  # until it closes
            while True:
                talker.events.append(await talker.receive())
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4001
        shown = "".join(event.text for event in talker.events if isinstance(event, ResponseDelta))
        async with serving(chosen) as url, connected(url) as again:
            await again.hello(user="ann", conversation="last")
            snapshot = await again.next(ConversationSnapshot)
            assert [each.text for each in snapshot.messages] == ["Tell me something long.", shown]
            assert snapshot.messages[1].status == "interrupted"


async def test_lost_patience_closes_the_upstream_request_and_the_companion_speaks(tmp_path: Path) -> None:
    async with (
        played(tmp_path, QUIET, patience=1) as scene,
        scene.greeted(companion=GUARDED) as talker,
    ):
        done = await talker.talk("The sea was calm today.")
        assert (done.status, done.source) == ("completed", "fallback")
        assert done.text
        assert await closed_upstream(scene.model)


async def test_a_guard_violation_closes_the_upstream_request_and_is_not_shown(tmp_path: Path) -> None:
    words = "It is good to see you. Do you remember what I told you yesterday? " + "The sea is calm. " * 100
    bad = Script(text=words, tokens_per_second=50.0)
    good = Script(text="The sea is calm and wide.")
    async with played(tmp_path, bad, good) as scene, scene.greeted(companion=GUARDED) as talker:
        done = await talker.talk("The sea was calm today.")
        assert await closed_upstream(scene.model)
        assert done.status == "completed"
        assert "remember" not in done.text
        assert done.text.startswith("It is good to see you.")
        assert done.text.endswith("The sea is calm and wide.")
        assert len(scene.model.requests) == 2


async def test_a_lost_connection_does_not_stop_the_answer(tmp_path: Path) -> None:
    script = Script(tokens=30, tokens_per_second=60.0)
    async with played(tmp_path, script) as scene:
        async with scene.greeted() as talker:
            await begun(talker)
            point = talker.resume_point()
        request = await scene.model.asked()
        with anyio.fail_after(60):
            await request.ended.wait()
        assert not request.closed_early
        async with connected(scene.url) as back:
            welcome = await back.hello(companion="serenity", user="ann", resume=point)
            assert welcome.resumed
            done = await back.answer()
            assert (done.status, len(done.text.split())) == ("completed", 30)
