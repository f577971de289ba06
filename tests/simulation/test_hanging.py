"""While the disk hangs, neither giving nor refusing: who greets or asks is told within a bound, and nothing is lost.

The real parts from the store to the door, on virtual time, with a disk that hangs when told to.
"""

from pathlib import Path

import anyio
import pytest
from websockets.exceptions import ConnectionClosed

from loadtest.client import Refusal, Talker
from protocol.conversation_frames import ConversationClose, ConversationList, ConversationOpen
from protocol.errors import CloseCode, ErrorFrame, comes_back
from protocol.person_frames import ProfileGet
from protocol.session_frames import ConversationSnapshot, Resume
from protocol.talk_frames import Durable
from storage.patience import PATIENCE_S
from tests.simulation.house import House
from tests.simulation.test_waiting import Street, played

MARIA = "I was in the garden and saw the robin."
BOUND = PATIENCE_S + 1.0


def hung(street: Street) -> anyio.Event:
    """From here on the disk hangs; setting the event frees it."""
    street.weather.free = anyio.Event()
    return street.weather.free


async def refused(house: House, resume: Resume | None = None) -> tuple[ErrorFrame, int, float]:
    """A hello that is not taken: what it is told, how its line is closed, and when."""
    line = house.open_line()
    assert line is not None
    talker, began = Talker(line.for_the_client, "json"), anyio.current_time()
    with pytest.raises(ConnectionClosed) as closed:
        await talker.hello(companion="serenity", user="maria", resume=resume)
    (error,) = [each for each in talker.events if isinstance(each, ErrorFrame)]
    assert closed.value.rcvd is not None
    return error, closed.value.rcvd.code, anyio.current_time() - began


def test_a_hello_is_told_to_come_again_and_goes_on_where_it_was_when_the_disk_is_back(tmp_path: Path) -> None:
    async def play(street: Street) -> None:
        async with street.life(killed=True) as house, street.line(house) as talker:
            first = await talker.say(MARIA, id_="m1")
            await talker.answer()
            point = talker.resume_point()
        async with street.life() as house:
            free = hung(street)
            error, code, took = await refused(house, point)
            assert (error.code, error.retryable) == ("storage.busy", True)
            assert (code, comes_back(code)) == (CloseCode.DRAINING, True)
            assert PATIENCE_S <= took < BOUND
            _, _, took = await refused(house, point)
            assert took < 1.0, "a disk that is known to hang is not waited for again"
            free.set()
            await anyio.sleep(1.0)
            async with street.line(house, point) as talker:
                shown = await talker.next(ConversationSnapshot)
                assert [each.text for each in shown.messages][:1] == [MARIA]
                again = await talker.say(MARIA, id_="m1")  # the ids go on, and nothing is said twice
                assert (again.message, again.durable) == (first.message, True)
                with pytest.raises(Refusal, match=r"id\.reused"):
                    await talker.say("Other words.", id_="m1")

    played(tmp_path, play)


def test_who_talks_is_answered_while_the_disk_hangs_and_all_of_it_lands(tmp_path: Path) -> None:
    """Messages are taken, questions are told to come again, and the session serves on when the disk is back."""

    async def play(street: Street) -> None:
        async with street.life() as house, street.line(house) as talker:
            done = await talker.talk(MARIA)
            free = hung(street)
            for question in (
                ConversationList(id="list"),
                ConversationOpen(id="open", conversation=done.conversation),
                ProfileGet(id="profile"),
            ):
                began = anyio.current_time()
                with pytest.raises(Refusal) as told:
                    await talker.ask(question)
                assert (told.value.code, told.value.error.retryable) == ("storage.busy", True)
                assert anyio.current_time() - began < BOUND
            said = await talker.say("What was I about to say?")
            assert (said.durable, said.reason) == (False, "storage.busy")
            await talker.answer()
            free.set()
            while True:
                if said.message in (await talker.next(Durable)).messages:
                    break
            assert (await talker.ask(ConversationList(id="list"))).result is not None
            assert (await talker.say("And the robin is still there.")).durable

    played(tmp_path, play)


def test_a_repeat_is_not_taken_for_new_while_the_disk_hangs(tmp_path: Path) -> None:
    async def play(street: Street) -> None:
        async with street.life(killed=True) as house, street.line(house) as talker:
            first = await talker.say(MARIA, id_="m1")
            await talker.answer()
            point = talker.resume_point()
        async with street.life() as house, street.line(house, point) as talker:
            free = hung(street)
            with pytest.raises(Refusal, match=r"storage\.busy"):
                await talker.say(MARIA, id_="m1")
            free.set()
            await anyio.sleep(1.0)
            assert (await talker.say(MARIA, id_="m1")).message == first.message

    played(tmp_path, play)


def test_a_session_that_lost_its_memory_to_a_hang_has_it_back_with_the_next_message(tmp_path: Path) -> None:
    """What another changes while the disk hangs may be what was taken away: it is not told on, and is read again."""

    async def play(street: Street) -> None:
        async with street.life() as house, street.line(house) as talker:
            await talker.talk("I am allergic to peanuts.")
            await talker.ask(ConversationClose(id="close"))
            await anyio.sleep(60.0)
            assert house.sessions is not None
            await talker.talk(MARIA)
            free = hung(street)
            house.sessions.refresh("maria", edited=True)
            await anyio.sleep(BOUND)
            free.set()
            await anyio.sleep(1.0)
            await talker.talk("What may I eat?")
            asked = [each for each in street.mind.prompts if not each.background]
            assert "peanuts" in str(asked[-1])

    played(tmp_path, play)
