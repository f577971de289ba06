"""Silence ends a conversation, and a session without a client waits so long and no longer."""

from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from actors.mail import Refresh
from actors.ports import Opening
from actors.session import LINGER_SECONDS
from companions.changes import ConversationClosed
from protocol.conversation_frames import ConversationClosed as ToldClosed
from protocol.session_frames import Welcome
from protocol.talk_frames import ResponseDone
from tests.actors.stage import Stage
from tests.actors.test_session import SILENCE, now
from tests.clock import virtual_time


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:  # Any: anyio's own type for backend options
    return virtual_time()


async def test_silence_ends_a_conversation_after_exactly_its_seconds() -> None:
    async with Stage().open() as stage:
        await stage.say()
        await stage.client.told(ResponseDone)
        quiet_since = now()
        closed = await stage.client.told(ToldClosed)
        assert (closed.reason, now() - quiet_since) == ("silence", SILENCE)
        assert len(stage.shelf.of(ConversationClosed)) == 1
        assert stage.handed_over == [closed.conversation]


async def test_silence_does_not_end_a_conversation_in_which_somebody_speaks() -> None:
    async with Stage().open() as stage:
        for count in range(1, 4):
            await stage.say()
            await stage.client.told(ResponseDone, count)
            await anyio.sleep(SILENCE - 1)
        assert stage.client.of(ToldClosed) == []
        await stage.say()
        last = await stage.client.told(ResponseDone, 4)
        quiet_since = now()
        await stage.client.told(ToldClosed)
        assert now() - quiet_since == SILENCE
        assert last.status == "completed"


async def test_silence_begins_when_the_answer_ends() -> None:
    async with Stage(["slowly ", 2 * SILENCE, "said."]).open() as stage:
        await stage.say()
        done = await stage.client.told(ResponseDone)
        assert done.status == "completed"
        assert stage.client.of(ToldClosed) == []


async def test_after_an_end_by_silence_the_next_message_begins_a_new_conversation() -> None:
    async with Stage().open() as stage:
        await stage.say()
        await stage.client.told(ToldClosed)
        await stage.say()
        await stage.client.told(ResponseDone, 2)
        first, second = stage.client.of(ResponseDone)
        assert first.conversation != second.conversation


async def test_a_session_waits_for_its_client_until_silence_ends_the_talk_and_then_is_over() -> None:
    async with Stage().open() as stage:
        await stage.say()
        await stage.client.told(ResponseDone)
        quiet_since = now()
        await stage.leave()
        await stage.over.wait()
        assert now() - quiet_since == SILENCE
        assert len(stage.shelf.of(ConversationClosed)) == 1


async def test_a_session_without_a_talk_lingers_and_is_over() -> None:
    async with Stage().open() as stage:
        await stage.client.told(Welcome)
        left_at = now()
        await stage.leave()
        await stage.over.wait()
        assert now() - left_at == LINGER_SECONDS


async def test_a_session_that_has_mail_before_its_first_client_waits_for_it() -> None:
    stage = Stage()
    stage.address.post(Refresh(edited=True))
    async with stage.open():
        await stage.client.told(Welcome)
        await stage.say()
        assert (await stage.client.told(ResponseDone)).status == "completed"


async def test_who_comes_back_in_time_finds_the_session() -> None:
    async with Stage().open() as stage:
        await stage.client.told(Welcome)
        for _ in range(3):
            await stage.leave()
            await anyio.sleep(LINGER_SECONDS - 1)
            await stage.attach(stage.client, 0)
        await anyio.sleep(LINGER_SECONDS * 3)
        assert not stage.over.is_set()


async def test_what_was_read_is_let_go_of_while_nobody_is_there_and_read_again_for_who_comes_back() -> None:
    async with Stage(["Yes."], ["And yes."]).open() as stage:
        await stage.say("Where am I?")
        await stage.client.told(ResponseDone)
        whole = stage.session.state.talk
        assert whole is not None
        assert whole.asked
        await stage.leave()
        await anyio.sleep(LINGER_SECONDS - 1)
        assert stage.session.state.talk == whole
        await anyio.sleep(2)
        assert stage.session.state.talk == replace(whole, asked=(), stated=())
        stage.shelf.opening = Opening(talk=whole, messages=(), unanswered=(), closed=False)
        await stage.attach(stage.client, 0)
        await anyio.wait_all_tasks_blocked()
        assert stage.session.state.talk == whole


async def test_a_talk_stays_whole_until_it_is_stored_and_a_silent_store_is_asked_again() -> None:
    async with Stage(["Yes."], ["And yes."], commit=1.5 * LINGER_SECONDS).open() as stage:
        await stage.say("Where am I?")
        await stage.leave()
        await anyio.sleep(LINGER_SECONDS + 1)
        whole = stage.session.state.talk
        assert whole is not None
        assert whole.asked
        await anyio.sleep(7 * LINGER_SECONDS)
        assert stage.session.state.talk is not None
        assert stage.session.state.talk.asked == ()
        await stage.attach(stage.client, 0)
        await anyio.wait_all_tasks_blocked()
        assert stage.session.state.talk.asked == ()
        stage.shelf.opening = Opening(talk=whole, messages=(), unanswered=(), closed=False)
        await stage.say("Is it far?")
        await anyio.wait_all_tasks_blocked()
        gone_on = stage.session.state.talk
        assert gone_on is not None
        assert [each.text for each in gone_on.asked] == ["where am i", "is it far"]
