"""Being there while somebody talks: by consent alone, seen by the person, and over the moment it is not allowed."""

from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from actors.client import Onlooker
from loadtest.client import Refusal, Talker, connected
from protocol.care_frames import ConsentSet, WatchingEnded
from protocol.conversation_frames import ConversationClosed, ConversationOpen
from protocol.frames import Event
from protocol.session_frames import Notice
from protocol.talk_frames import MessageCreated, ResponseDelta, ResponseDone
from protocol.times import rfc3339
from server.attending import Seat
from server.ids import now_ms
from server.onlooking import Looking
from storage.audit import acts_about
from storage.connection import read_only
from storage.grants import Grant
from tests.server.caring import caring, token
from tests.server.serving import serving, settings
from tests.server.test_care import code_of
from tests.server.test_consents import result
from tests.server.test_leaks import unpaced
from tests.server.test_timeline import allow
from tests.server.unwell import locked

WATCH = ConversationOpen(id="w", conversation="last", mode="watch")


async def noticed(person: Talker, code: str) -> str:
    """What the person is told under that code, now or before."""
    while True:
        for event in person.events:
            if isinstance(event, Notice) and event.code == code:
                person.events.remove(event)
                return event.say or ""
        await person.next(Notice)


def words(events: list[Event]) -> list[str]:
    return [each.text for each in events if isinstance(each, MessageCreated)]


async def test_who_looks_on_sees_the_talk_from_then_on_and_the_person_sees_them(tmp_path: Path) -> None:
    maria = token(tmp_path, companion="clara")
    chosen = settings(tmp_path, companion="clara", own=unpaced(tmp_path / "own"))
    async with serving(chosen) as url, connected(url) as ann, caring(url, maria) as carer:
        await ann.hello(user="ann")
        await ann.talk("The roses are in bloom.")
        assert await code_of(carer, WATCH) == "policy.refused"
        await allow(carer, "watching")
        watched = await result(carer, replace(WATCH, id="w2"))
        assert "Maria" in await noticed(ann, "watch.started")
        last = await ann.talk("Good morning.")
        seen = await carer.next(ResponseDone)
        assert seen.text == last.text
        assert words(carer.events) == ["Good morning.", last.text]
        assert "".join(each.text for each in carer.events if isinstance(each, ResponseDelta)) == last.text
        done = await ann.talk("My quokka son hits me when nobody is there.")
        assert done.source == "safety"
        await ann.ask(ConsentSet(id="no", scopes=("watching",), allow=False))
        await carer.next(WatchingEnded)
        assert await noticed(ann, "watch.ended")
        await ann.talk("And now we are alone.")
        assert words(carer.events) == ["Good morning.", last.text]
        assert "quokka" not in str(carer.events)
        assert await code_of(carer, replace(WATCH, id="w3")) == "policy.refused"
        assert "alone" not in str(words(carer.events)), "of all that had come before that answer"
        with read_only(tmp_path / "fireside.db") as db:
            looks = acts_about(db, person="ann", before=None, limit=50)
        assert ("Maria", "watched") in [(each.act.name, each.act.did) for each in looks]
        assert watched["conversation"].startswith("cnv_")


async def test_a_lost_connection_and_the_end_of_the_talk_end_it(tmp_path: Path) -> None:
    maria = token(tmp_path, companion="clara")
    chosen = settings(tmp_path, companion="clara", own=unpaced(tmp_path / "own"))
    async with serving(chosen) as url, connected(url) as ann:
        await ann.hello(user="ann")
        await ann.talk("The roses are in bloom.")
        async with caring(url, maria) as carer:
            await allow(carer, "watching")
            await carer.ask(WATCH)
            await noticed(ann, "watch.started")
        await noticed(ann, "watch.ended")
        async with caring(url, maria) as carer:
            await carer.ask(replace(WATCH, id="w2"))
            await noticed(ann, "watch.started")
            await ann.socket.close()
            async with connected(url) as again:
                resumed = ann.resume_point()
                await again.hello(user="ann", resume=resumed)
                assert "Maria" in await noticed(again, "watch.started")
                await again.socket.close()


async def both_look_on(ann: Talker, maria: Talker, eva: Talker, date: int) -> None:
    """By a consent until ``date`` (milliseconds since 1970); refused where it has passed meanwhile."""
    allowed = ConsentSet(
        id=maria.new_id(),
        scopes=("watching",),
        allow=True,
        basis="legal_representative",
        review=rfc3339(date),
    )
    await maria.ask(allowed)
    await maria.ask(replace(WATCH, id=maria.new_id()))
    assert "Maria" in await noticed(ann, "watch.started")
    await eva.ask(replace(WATCH, id=eva.new_id()))
    assert "Maria and Eva" in await noticed(ann, "watch.started")


async def test_at_its_date_it_is_over_on_both_sides_although_nobody_says_a_word(tmp_path: Path) -> None:
    maria, eva = token(tmp_path, companion="clara"), token(tmp_path, "Eva", companion="clara")
    chosen = settings(tmp_path, companion="clara", own=unpaced(tmp_path / "own"))
    async with serving(chosen) as url, connected(url) as ann, caring(url, maria) as carer:
        await ann.hello(user="ann")
        await ann.talk("The roses are in bloom.")
        async with caring(url, eva) as other:
            for ahead_ms in (
                2_500,
                10_000,
                40_000,
            ):  # as far as this machine needs to have both there before it
                date = now_ms() + ahead_ms
                with suppress(Refusal):
                    await both_look_on(ann, carer, other, date)
                    break
            else:
                pytest.fail("on this machine three commands take longer than any date is ahead")
            while now_ms() < date:
                await carer.next(WatchingEnded)
            await other.next(WatchingEnded)
        assert await noticed(ann, "watch.ended")
        assert not [
            each for each in ann.events if isinstance(each, Notice) and each.code == "watch.started"
        ], "of two who have to go at once nobody is said to be there still"


async def test_a_no_ends_it_at_once_also_while_the_store_takes_none(tmp_path: Path) -> None:
    maria = token(tmp_path, companion="clara")
    chosen = settings(tmp_path, companion="clara", own=unpaced(tmp_path / "own"))
    async with serving(chosen) as url, connected(url) as ann, caring(url, maria) as carer:
        await ann.hello(user="ann")
        await ann.talk("The roses are in bloom.")
        await allow(carer, "watching")
        await carer.ask(WATCH)
        await noticed(ann, "watch.started")
        async with locked(tmp_path / "fireside.db"):
            await ann.send(ConsentSet(id="no", scopes=("watching",), allow=False))
            await carer.next(WatchingEnded)


class Nowhere:
    """No talks, and a record of who left one."""

    def __init__(self) -> None:
        self.left: list[str] = []

    def watch(self, user: str, companion: str, conversation: str, onlooker: Onlooker) -> str | None:
        """There is none: who asks for it is only remembered."""
        self.left.append(f"{onlooker.name} asked for {user} {companion} {conversation}")
        return None

    def unwatch(self, user: str, onlooker: Onlooker) -> None:
        """Somebody left."""
        self.left.append(f"{onlooker.name} left {user}")


def test_it_ends_the_moment_consent_runs_out_and_when_it_is_stopped() -> None:
    clock = [0]
    grant = Grant(id="g", name="Maria", role="caregiver", user="ann", companion="", basis=None)
    nowhere = Nowhere()
    looking = Looking(Seat("t", grant, "clara"), nowhere, 10, lambda: clock[0])
    closed = ConversationClosed(seq=1, conversation="c", reason="asked")
    assert looking.show(closed)
    clock[0] = 10
    assert not looking.show(closed)
    clock[0] = 0
    looking.stop()
    looking.stop()
    assert not looking.show(closed)
    assert nowhere.left == ["Maria left ann"]


async def test_the_safeguarding_contact_and_the_person_do_not_look_on(tmp_path: Path) -> None:
    okafor = token(tmp_path, "Ms Okafor", role="safeguarding")
    async with serving(settings(tmp_path, companion="clara")) as url, caring(url, okafor) as safe:
        assert await code_of(safe, WATCH) == "auth.forbidden"
