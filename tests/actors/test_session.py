"""A session on a clock that jumps: what ends when, what waits how long, and what is left when it is over."""

import asyncio
from contextlib import suppress
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from actors.client import Gone
from actors.mail import Asked, Cut, Drain, Mail, Replaced
from actors.runtime import Closed
from companions.changes import AnswerGiven, MessageSaid
from companions.ports import ModelError
from companions.speech import Manner
from protocol.conversation_frames import ConversationClose
from protocol.conversation_frames import ConversationClosed as ToldClosed
from protocol.errors import CloseCode, ErrorFrame
from protocol.person_frames import MoodCheckIn, ProfileGet
from protocol.results import CommandAck
from protocol.session_frames import Notice, ServerDraining, Welcome
from protocol.talk_frames import (
    Durable,
    MessageAck,
    MessageCreated,
    ResponseCancel,
    ResponseDelta,
    ResponseDone,
    ResponseStarted,
)
from tests.actors.stage import Record, Stage
from tests.clock import current, virtual_time
from tests.companions.scenes import ScriptedRules, with_settings

SILENCE = 1_800.0


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:  # Any: anyio's own type for backend options
    return virtual_time()


def now() -> float:
    return anyio.current_time()


# ---------------------------------------------------------------- waiting for a model, a guard, a reader


async def test_patience_ends_after_its_seconds_and_the_model_is_stopped() -> None:
    async with Stage([60.0, "too late"], rules=with_settings(patience=10.0)).open() as stage:
        begun = now()
        await stage.say()
        done = await stage.client.told(ResponseDone)
        assert (done.source, now() - begun) == ("fallback", 10.0)
        await anyio.lowlevel.checkpoint()
        assert stage.model.open == 0


async def test_patience_is_over_with_the_first_word() -> None:
    async with Stage([9.0, "I ", 60.0, "am."], rules=with_settings(patience=10.0)).open() as stage:
        await stage.say()
        assert (await stage.client.told(ResponseDone)).text == "I am."


async def test_what_is_held_is_let_go_after_a_second_and_a_half() -> None:
    rules = ScriptedRules(manner=Manner(guarded=True))
    async with Stage(["It is calm here, and the sea ", 30.0, "is wide."], rules=rules).open() as stage:
        begun = now()
        await stage.say()
        delta = await stage.client.told(ResponseDelta)
        assert (delta.text, now() - begun) == ("It is calm here, ", 1.5)


async def test_a_pace_leaves_time_to_read() -> None:
    rules = with_settings(words_per_second=2.0, sentence_pause=0.5)
    async with Stage(["One two. ", "Three four. "], rules=rules).open() as stage:
        await stage.say()
        await stage.client.told(ResponseDone)
        told = zip(stage.client.at, stage.client.events, strict=True)
        shown = [at for at, event in told if isinstance(event, ResponseDelta)]
        assert len(shown) > 1
        assert shown[1] - shown[0] >= 1.0


async def test_the_first_word_waits_for_the_commit() -> None:
    async with Stage(["Yes."], commit=1.0).open() as stage:
        begun = now()
        await stage.say()
        ack = await stage.client.told(MessageAck)
        assert (ack.durable, now() - begun) == (True, 1.0)
        await stage.client.told(ResponseDelta)
        assert now() - begun == 1.0
        assert stage.measures.first == [1.0]


async def test_the_first_word_waits_for_the_commit_two_seconds_and_no_longer() -> None:
    async with Stage(["Yes."], commit=30.0).open() as stage:
        begun = now()
        await stage.say()
        ack = await stage.client.told(MessageAck)
        assert (ack.durable, ack.reason, now() - begun) == (False, "storage.busy", 2.0)
        await stage.client.told(ResponseDelta)
        assert now() - begun == 2.0
        done = await stage.client.told(ResponseDone)
        assert (done.durable, now() - begun) == (False, 4.0)
        landed = [await stage.client.told(Durable), await stage.client.told(Durable, 2)]
        assert [each.messages for each in landed] == [(ack.message,), ()]
        assert landed[1].responses == (done.response,)


async def test_a_thousand_pieces_make_few_frames() -> None:
    script: list[str | float | ModelError] = []
    for _ in range(1_000):
        script += ["word ", 0.001]
    async with Stage(script).open() as stage:
        await stage.say()
        done = await stage.client.told(ResponseDone)
        deltas = stage.client.of(ResponseDelta)
        assert deltas[0].text == "word "
        assert len(deltas) <= 30
        assert stage.client.text == done.text
        assert done.text.split() == ["word"] * 1_000


async def test_the_first_piece_goes_at_once() -> None:
    async with Stage(["Yes. ", 5.0, "More."]).open() as stage:
        begun = now()
        await stage.say()
        await stage.client.told(ResponseDelta)
        assert now() == begun


# ---------------------------------------------------------------- nothing is left


def timers() -> int:
    """Timers of the loop that are still to ring."""
    scheduled: list[asyncio.TimerHandle] = getattr(current(), "_scheduled")  # noqa: B009  # asyncio shows its timers to nobody
    return sum(not each.cancelled() for each in scheduled)


@pytest.mark.parametrize("end", [Cut(), Replaced(), Drain(1_000)])
async def test_a_session_that_ends_in_mid_answer_leaves_no_task_and_no_timer(end: Mail) -> None:
    rules = ScriptedRules(manner=Manner(guarded=True), settings=with_settings(patience=50.0).settings)
    before = len(asyncio.all_tasks())
    async with Stage(["It is calm. And ", 5.0, "wide. ", 5.0, "Yes."], rules=rules).open() as stage:
        await stage.say()
        await stage.client.told(ResponseDelta)
        await stage.say("and this waits")
        await stage.address.send(end)
        await stage.over.wait()
        assert stage.model.open == 0
        assert stage.model.asked == 1
        assert timers() == 0
    assert len(asyncio.all_tasks()) == before
    (given,) = stage.shelf.of(AnswerGiven)
    assert isinstance(given, AnswerGiven)
    assert given.text == stage.client.text or stage.client.closed is not None
    assert len(stage.shelf.of(MessageSaid)) == 2


async def test_a_replaced_session_says_so_and_is_closed() -> None:
    async with Stage(["One ", 5.0, "two."]).open() as stage:
        await stage.say()
        await stage.client.told(ResponseDelta)
        await stage.address.send(Replaced())
        await stage.over.wait()
        assert [each.code for each in stage.client.of(Notice)] == ["disclosure", "session.replaced"]
        assert stage.client.closed == CloseCode.REPLACED


async def test_a_drained_session_finishes_its_answer_and_takes_no_more() -> None:
    async with Stage(["One ", 5.0, "two."]).open() as stage:
        await stage.say()
        await stage.client.told(ResponseDelta)
        await stage.address.send(Drain(700))
        await stage.say("one more")
        refused = await stage.client.told(ErrorFrame)
        assert (refused.code, refused.retryable) == ("session.busy", True)
        await stage.over.wait()
        assert (await stage.client.told(ServerDraining)).reconnect_after_ms == 700
        assert (await stage.client.told(ResponseDone)).text == "One two."


@pytest.mark.parametrize("end", [Drain(700), Cut()])
async def test_while_it_ends_nothing_is_told_before_what_stands_in_front_of_it(end: Mail) -> None:
    """The store takes 4 s for each of them, and nobody waits that long: the answer ends, a message waits behind it."""
    async with Stage(["One ", 3.0, "two."], rules=with_settings(landing=2.0), commit=4.0).open() as stage:
        await stage.say()
        await anyio.sleep(0.5)
        await stage.say("and this waits")
        await anyio.sleep(3.0)
        await stage.address.send(end)
        await stage.over.wait()
        assert [each.position for each in stage.client.of(MessageCreated)] == [1, 2, 3]
        assert [each.durable for each in stage.client.of(MessageAck)] == [False, False]
        durable = stage.client.of(Durable)
        assert [len(each.messages) + len(each.responses) for each in durable] == [1, 1, 1]
        assert stage.model.asked == 1


async def test_a_client_that_is_gone_stops_nothing() -> None:
    async with Stage(["One ", 5.0, "two."]).open() as stage:
        await stage.say()
        await stage.client.told(ResponseDelta)
        seen = stage.session.outbox.seq
        stage.client.gone = True
        await anyio.sleep(10)
        back = Record()
        await stage.attach(back, seen)
        assert (await back.told(ResponseDone)).text == "One two."


async def test_gone_is_what_a_client_raises() -> None:
    record = Record()
    record.gone = True
    with pytest.raises(Gone):
        await record.send(Notice(seq=1, code="x", say="y"))


async def test_a_fault_of_ours_in_a_command_is_answered_and_what_else_goes_on_goes_on() -> None:
    async with Stage(["One ", 50.0, "two."]).open() as stage:
        await stage.say()
        await stage.client.told(ResponseDelta)
        for tries in range(1, 7):  # more often than an actor is begun anew
            stage.shelf.breaks = True
            await stage.address.send(Asked(MoodCheckIn(id="check", mood=tries)))
            failed = await stage.client.told(ErrorFrame, tries)
            assert (failed.re, failed.code, failed.retryable) == ("check", "server.failed", True)
        await stage.address.send(Asked(ProfileGet(id="get")))
        assert (await stage.client.told(CommandAck)).re == "get"
        done = await stage.client.told(ResponseDone)
        assert (done.status, done.text) == ("completed", "One two.")
        await stage.client.told(ToldClosed)


async def test_a_fault_in_the_middle_of_a_step_ends_the_session_and_its_client_comes_back_to_what_is_stored() -> (
    None
):
    async with Stage().open() as stage:
        await stage.client.told(Welcome)
        stage.fault = "holding"
        await stage.say(id_="m1")
        assert (await stage.client.told(ErrorFrame)).re == "m1"
        await stage.over.wait()
        assert stage.model.open == 0
    assert stage.shelf.changes == []


async def test_who_cannot_be_welcomed_is_told_to_come_back_and_the_next_one_is() -> None:
    async with Stage().open() as stage:
        await stage.say()
        await stage.client.told(ResponseDone)
        stage.fault = "welcoming"
        again = Record()
        await stage.attach(again)
        assert await again.let_go() is CloseCode.DRAINING
        third = Record()
        await stage.attach(third)
        await third.told(Welcome)


# ---------------------------------------------------------------- cut anywhere


async def story(stage: Stage) -> None:
    """A little of everything, to be cut anywhere."""
    await stage.say("one")
    await stage.client.told(ResponseDelta)
    await stage.say("two")
    await stage.address.send(Asked(ResponseCancel(id="stop")))
    await stage.client.told(ResponseDone, 2)
    await stage.address.send(Asked(ProfileGet(id="get")))
    await stage.client.told(CommandAck)
    await stage.say("three")
    await stage.client.told(ResponseDone, 3)
    await stage.address.send(Asked(ConversationClose(id="close")))
    await stage.client.told(ToldClosed)


async def as_far_as_it_goes(stage: Stage) -> None:
    """The story, until the session takes nothing more."""
    with suppress(Closed):
        await story(stage)


async def whole() -> int:
    """How many events the story has when nobody cuts it."""
    stage = Stage(["One. ", 0.01, "Two."], commit=0.005)
    async with stage.open():
        await story(stage)
    consistent(stage)
    return len(stage.client.events)


async def test_cut_at_any_moment_a_session_leaves_no_open_answer_and_no_gap() -> None:
    """The session is told to leave after every number of events there can be, in the middle of everything."""
    for moment in range(1, await whole() + 1):
        stage = Stage(["One. ", 0.01, "Two."], commit=0.005)
        async with stage.open():
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(as_far_as_it_goes, stage)
                await stage.client.came(moment)
                stage.address.post(Cut())
                with anyio.move_on_after(60):
                    await stage.over.wait()
                tasks.cancel_scope.cancel()
            assert stage.over.is_set() or stage.session.state.talk is None
        consistent(stage)


async def test_cancelled_at_any_moment_what_was_acknowledged_is_on_its_way() -> None:
    """The task of a session is cancelled, as by its host: no acknowledged message is missing from what was written."""
    for moment in range(1, await whole() + 1):
        stage = Stage(["One. ", 0.01, "Two."], commit=0.005)
        with anyio.CancelScope() as host:
            async with stage.open(), anyio.create_task_group() as tasks:
                tasks.start_soon(story, stage)
                await stage.client.came(moment)
                host.cancel()
                await anyio.sleep_forever()
        acknowledged = {each.message for each in stage.client.of(MessageAck) if each.durable}
        said = {each.message for each in stage.shelf.of(MessageSaid) if isinstance(each, MessageSaid)}
        assert acknowledged <= said
        assert stage.model.open == 0
        assert timers() == 0


def consistent(stage: Stage) -> None:
    """Every answer that was begun is stored as far as it was shown, and positions have no gap."""
    changes = [each for each in stage.shelf.changes if isinstance(each, MessageSaid | AnswerGiven)]
    given = {each.response: each for each in changes if isinstance(each, AnswerGiven)}
    for started in stage.client.of(ResponseStarted):
        shown = [each.text for each in stage.client.of(ResponseDelta) if each.response == started.response]
        assert given[started.response].text.startswith("".join(shown))
    positions = [each.position for each in changes if each.position is not None]
    assert positions == list(range(1, len(positions) + 1))
    created = [each.position for each in stage.client.of(MessageCreated)]
    assert created == positions[: len(created)]
