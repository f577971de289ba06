"""While the disk refuses: what an earlier life, or this one, still has to land counts for places, ids and sessions.

The real parts from the store to the door, on virtual time, with a disk and a writer that refuse when told to.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest

from actors.writer import Commit, Refusing
from companions.changes import AnyChange, Outcome
from loadtest.client import Refusal, Talker
from protocol.conversation_frames import (
    ConversationChanged,
    ConversationClose,
    ConversationClosed,
    ConversationDelete,
    ConversationRename,
)
from protocol.session_frames import ConversationSnapshot, Resume
from protocol.talk_frames import Durable, ResponseDone, ResponseStarted
from server.host import standing_in
from storage.refusals import RefusalCode
from tests import clock
from tests.simulation.disk import Weather
from tests.simulation.fate import Fate
from tests.simulation.house import House, Made, living
from tests.simulation.ledger import Ledger, findings
from tests.simulation.mind import Mind

MARIA = "I was in the garden and saw the robin."


class Told(Weather):
    """A disk that refuses while it is told to; ``once``: the next time alone."""

    def __init__(self, fate: Fate) -> None:
        super().__init__(fate, 0.0, 0.0)
        self.code: RefusalCode | None = None
        self.once = False

    def now(self) -> RefusalCode | None:
        code = self.code
        if self.once:
            self.code, self.once = None, False
        return code


@dataclass
class Street:
    """One person's machine: lives of a server on one folder, whose writer may be refused apart from its disk."""

    folder: Path
    fate: Fate
    weather: Told
    mind: Mind
    writer_refuses: bool = False

    def protection(self, commit: Commit) -> Commit:
        async def committed(groups: Sequence[tuple[AnyChange, ...]]) -> Sequence[Outcome] | Refusing:
            await anyio.sleep(0.01)
            return Refusing("storage.full") if self.writer_refuses else await commit(groups)

        return committed

    @asynccontextmanager
    async def life(self, *, killed: bool = False) -> AsyncGenerator[House]:
        """A life of the server, stopped kindly or killed at its end."""
        made = Made(
            folder=self.folder,
            fate=self.fate,
            weather=self.weather,
            model=self.mind,
            protection=self.protection,
        )
        async with living(made) as house:
            yield house
            if killed:
                house.kill()
                await anyio.lowlevel.checkpoint()

    @asynccontextmanager
    async def line(self, house: House, resume: Resume | None = None) -> AsyncGenerator[Talker]:
        """Somebody greets; their line is cut at the end."""
        line = house.open_line()
        assert line is not None
        talker = Talker(line.for_the_client, "json")
        await talker.hello(companion="serenity", user="maria", resume=resume)
        yield talker
        line.cut()
        await anyio.sleep(0.1)


def played(folder: Path, play: Callable[[Street], Awaitable[None]]) -> None:
    fate = Fate(1)
    street = Street(folder, fate, Told(fate), Mind(fate, 0.0))

    async def run() -> None:
        with standing_in(fate):
            await play(street)

    clock.run(run)
    assert not findings(
        folder / "fireside.db", Ledger()
    )  # no gap, no place taken twice, nothing answered twice


def test_a_close_is_answered_while_the_disk_refuses_and_told_when_it_has_landed(tmp_path: Path) -> None:
    async def play(street: Street) -> None:
        async with street.life() as house, street.line(house) as talker:
            done = await talker.talk(MARIA)
            street.weather.code = "storage.full"
            began = anyio.current_time()
            ack = await talker.ask(ConversationClose(id="close"))
            assert anyio.current_time() - began < 6.0
            assert (ack.durable, ack.reason) == (False, "storage.full")
            assert ack.result == {"conversation": done.conversation}
            again = await talker.ask(ConversationClose(id="close"))
            assert again.result == ack.result
            later = await talker.say("And now something else.")  # begins a new conversation
            assert (later.durable, later.conversation != done.conversation) == (False, True)
            await anyio.sleep(70.0)
            street.weather.code = None
            closed = await talker.next(ConversationClosed)
            assert (closed.conversation, closed.reason) == (done.conversation, "asked")
            assert not [each for each in talker.events if getattr(each, "re", None) == "close"][3:]

    played(tmp_path, play)


def test_an_answer_that_a_close_cut_off_has_its_end_while_the_disk_refuses(tmp_path: Path) -> None:
    async def play(street: Street) -> None:
        async with street.life() as house, street.line(house) as talker:
            await talker.say(MARIA)
            started = await talker.next(ResponseStarted)
            await anyio.sleep(0.3)
            street.weather.code = "storage.read_only"
            await talker.send(ConversationClose(id="close"))
            done = await talker.next(ResponseDone, seconds=7.0)
            assert (done.response, done.durable) == (started.response, False)
            street.weather.code = None
            landed = await talker.next(Durable)
            assert done.response in landed.responses

    played(tmp_path, play)


def test_a_command_that_waits_for_the_disk_is_done_once(tmp_path: Path) -> None:
    """It is refused for as long as the disk is; sent again it finds what became of it."""

    async def play(street: Street) -> None:
        async with street.life() as house, street.line(house) as talker:
            done = await talker.talk(MARIA)
            street.weather.code = "storage.full"
            rename = ConversationRename(id="name", conversation=done.conversation, title="The robin")
            for _ in range(2):
                with pytest.raises(Refusal) as refused:
                    await talker.ask(rename)
                assert (refused.value.code, refused.value.error.retryable) == ("storage.full", True)
            other = ConversationRename(id="name", conversation=done.conversation, title="The wren")
            with pytest.raises(Refusal, match=r"id\.reused"):
                await talker.ask(other)
            street.weather.code = None
            await anyio.sleep(3.0)
            assert (await talker.ask(rename)).result == {}

    played(tmp_path, play)


def test_a_removal_that_waited_for_the_disk_is_carried_out_and_told(tmp_path: Path) -> None:
    async def play(street: Street) -> None:
        async with street.life() as house, street.line(house) as talker:
            done = await talker.talk(MARIA)
            street.weather.code = "storage.full"
            delete = ConversationDelete(id="delete", conversation=done.conversation)
            with pytest.raises(Refusal, match=r"storage\.full"):
                await talker.ask(delete)
            talker.events.clear()
            street.weather.code = None
            changed = await talker.next(ConversationChanged)
            assert (changed.conversation, changed.deleted) == (done.conversation, True)
            await talker.ask(delete)
        for file in street.folder.iterdir():
            assert b"robin" not in file.read_bytes(), file.name

    played(tmp_path, play)


def test_an_id_holds_in_a_session_that_goes_on_with_one_the_store_does_not_know_yet(tmp_path: Path) -> None:
    async def play(street: Street) -> None:
        async with street.life(killed=True) as house, street.line(house) as talker:
            first = await talker.say(MARIA, id_="m1")
            await talker.answer()
            await talker.ask(ConversationClose(id="close"))
            point = talker.resume_point()
        async with street.life() as house:
            street.weather.code = "storage.full"
            async with street.line(house, point) as talker:
                point = talker.resume_point()
            await anyio.sleep(100.0)  # it held no talk and has ended; that it was there waits for the disk
            async with street.line(house, point) as talker:
                assert talker.welcome is not None
                assert not talker.welcome.resumed
                assert (await talker.say(MARIA, id_="m1")).message == first.message
                with pytest.raises(Refusal, match=r"id\.reused"):
                    await talker.say("Other words.", id_="m1")
            street.weather.code = None

    played(tmp_path, play)


def test_who_sends_again_what_a_start_could_not_bring_in_at_once_gets_the_first_ack(tmp_path: Path) -> None:
    async def play(street: Street) -> None:
        async with street.life(killed=True) as house, street.line(house) as talker:
            await talker.talk(MARIA)
            street.weather.code = "storage.full"
            said = await talker.say("What was I about to say?", id_="m2")
            assert not said.durable
            await talker.answer()
            point = talker.resume_point()
        street.weather.once = True
        street.writer_refuses = True
        async with street.life() as house, street.line(house, point) as talker:
            again = await talker.say("What was I about to say?", id_="m2")
            assert (again.message, again.durable) == (said.message, True)
            street.writer_refuses = False

    played(tmp_path, play)


def test_what_a_start_could_not_bring_in_at_once_keeps_its_places(tmp_path: Path) -> None:
    """The first try is refused, the disk takes what follows of the start, and refuses again."""

    async def play(street: Street) -> None:
        async with street.life(killed=True) as house, street.line(house) as talker:
            await talker.talk(MARIA)
            street.weather.code = "storage.full"
            for text in ("My sister is called Marta.", "What was I about to say?"):
                assert not (await talker.say(text)).durable
                await talker.answer()
            point = talker.resume_point()
        street.weather.once = True
        street.writer_refuses = True
        async with street.life() as house, street.line(house, point) as talker:
            shown = await talker.next(ConversationSnapshot)
            assert [each.position for each in shown.messages] == [1, 2, 3, 4, 5, 6]
            later = await talker.say("And the robin is still there.")
            done = await talker.answer()
            assert (later.durable, done.durable) == (False, False)
            street.writer_refuses = False
            landed = await talker.next(Durable)
            assert later.message in landed.messages

    played(tmp_path, play)
