"""What a model says later in a talk of what is kept from family reaches nobody who cares for the person (D25)."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from companions.changes import AnyChange
from loadtest.client import Talker, connected
from loadtest.model_script import Script
from loadtest.model_server import Request, model_server
from protocol.care_frames import CareHistory, CareNotes, CareSummaries, ConsentSet, WatchingEnded
from protocol.conversation_frames import ConversationClose, ConversationClosed
from protocol.memory_frames import MemoryErase, MemoryForget, MemorySettings
from protocol.talk_frames import ResponseDone
from server.reading_back import opening
from server.settings import Data
from storage.apply import apply_all
from storage.connection import InlineStore
from storage.recovery import recover
from tests.companions.library import shipped
from tests.server.caring import caring, token
from tests.server.jobs_stage import ANSWER, Jobs, asked_of, playing, until
from tests.server.serving import serving, settings
from tests.server.test_consents import result
from tests.server.test_jobs import rows
from tests.server.test_timeline import allow
from tests.server.test_watching import WATCH, noticed, words
from tests.storage.fresh import empty_store
from tests.storage.making import ANNA, answered, checkpointed, said

HURT = "My son hits me when nobody is there."
LATER = "We may talk of the garden. What the quokka does to you is not your fault."
MATHS = "maestro/mathematics"


def speaking(request: Request) -> Script:
    """The model comes back to it as soon as the garden is spoken of."""
    return Script(text=LATER) if "garden" in asked_of(request) else ANSWER


@asynccontextmanager
async def talking(folder: Path, *, data: Data | None = None) -> AsyncGenerator[str]:
    """A server with that model; its address."""
    async with model_server(ANSWER) as upstream:
        upstream.choose = speaking
        chosen = settings(folder, model=f"openai:m@{upstream.url}/v1")
        async with serving(replace(chosen, data=data or chosen.data)) as url:
            yield url


async def goes_on(ann: Talker) -> str:
    """A harm is told; the talk goes on to something else, and the model does not. The conversation's id."""
    await ann.talk("Good morning.")
    ack = await ann.say(HURT)
    await ann.answer()
    assert (await ann.talk("I go out into the garden now.")).text == LATER
    return str(ack.conversation)


async def test_no_later_answer_is_shown_to_who_looks_on_whenever_they_come(tmp_path: Path) -> None:
    maria = token(tmp_path, companion="serenity")
    async with (
        talking(tmp_path) as url,
        connected(url) as ann,
        caring(url, maria, companion="serenity") as carer,
        caring(url, maria, companion="serenity") as late,
    ):
        await ann.hello(user="ann")
        await ann.talk("The roses are in bloom.")
        await allow(carer, "watching", "transcripts")
        await carer.ask(WATCH)
        talk = await goes_on(ann)
        await late.ask(WATCH)
        assert (await ann.talk("The garden is green.")).text == LATER
        await ann.ask(ConversationClose(id=ann.new_id()))
        await carer.next(ConversationClosed)
        await late.next(ConversationClosed)
        assert words(carer.events) == ["Good morning.", ANSWER.text]
        assert words(late.events) == []
        shown = (await result(carer, CareHistory(id="h", conversation=talk)))["messages"]
        roses = ["The roses are in bloom.", ANSWER.text]
        assert [each["text"] for each in shown] == [*roses, "Good morning.", ANSWER.text]


async def test_after_a_start_it_is_known_as_well(tmp_path: Path) -> None:
    maria = token(tmp_path, companion="serenity")
    async with talking(tmp_path) as url, connected(url) as ann:
        await ann.hello(user="ann")
        await goes_on(ann)
        resume = ann.resume_point()
    async with (
        talking(tmp_path) as url,
        connected(url) as ann,
        caring(url, maria, companion="serenity") as carer,
    ):
        await ann.hello(user="ann", resume=resume)
        await allow(carer, "watching")
        await carer.ask(WATCH)
        assert (await ann.talk("The garden is green.")).text == LATER
        await ann.ask(ConversationClose(id=ann.new_id()))
        await carer.next(ConversationClosed)
        assert words(carer.events) == []


async def test_no_later_answer_is_in_what_others_are_told_of_the_talk(tmp_path: Path) -> None:
    maria = token(tmp_path, companion="maestro", basis="parent")
    note = {"summary": "They spoke of flowers."}
    jobs = Jobs({"parent_note": note, "summary": {"summary": "They spoke of flowers."}})
    async with (
        playing(tmp_path, jobs) as stage,
        caring(stage.url, maria, companion=MATHS) as parent,
        stage.greeted(companion=MATHS) as student,
    ):
        stage.model.choose = lambda request: jobs(request) if request.is_job else speaking(request)
        await parent.ask(ConsentSet(id="c", scopes=("notes", "summaries"), allow=True, basis="parent"))
        await goes_on(student)
        await student.ask(ConversationClose(id=student.new_id()))
        await until(lambda: not rows(stage, "SELECT 1 FROM jobs WHERE state != 'done'"))
        for kind in ("summary", "parent_note", "evaluation", "learnings"):
            given = "".join(jobs.of(kind))
            assert "Good morning." in given, kind
            assert "I go out into the garden now." in given, kind
            assert "quokka" not in given, kind
        (noted,) = (await result(parent, CareNotes(id="n")))["notes"]
        (summary,) = (await result(parent, CareSummaries(id="s")))["summaries"]
        assert noted["summary"] == "They spoke of flowers."
        assert "quokka" not in str(summary)


async def removed(student: Talker) -> None:
    """Something is told and taken back."""
    ack = await student.say("The blue car is mine.")
    await student.answer()
    await student.ask(MemoryForget(id="f", item=str(ack.message)))


async def unheard(student: Talker) -> None:
    """A harm is told while nothing is to be remembered."""
    await student.ask(MemorySettings(id="off", enabled=False))
    await student.talk(HURT)
    await student.ask(MemorySettings(id="on", enabled=True))


@pytest.mark.parametrize("told", [removed, unheard])
async def test_nor_is_one_behind_what_was_removed_or_was_not_to_be_remembered(
    tmp_path: Path, told: Callable[[Talker], Awaitable[None]]
) -> None:
    maria = token(tmp_path, companion="maestro", basis="parent")
    jobs = Jobs()
    async with (
        playing(tmp_path, jobs) as stage,
        caring(stage.url, maria, companion=MATHS) as parent,
        stage.greeted(companion=MATHS) as student,
    ):
        stage.model.choose = lambda request: jobs(request) if request.is_job else speaking(request)
        await parent.ask(ConsentSet(id="c", scopes=("notes", "summaries"), allow=True, basis="parent"))
        await student.talk("Good morning.")
        await told(student)
        assert (await student.talk("I go out into the garden now.")).text == LATER
        await student.ask(ConversationClose(id=student.new_id()))
        await until(lambda: not rows(stage, "SELECT 1 FROM jobs WHERE state != 'done'"))
        for kind in ("summary", "parent_note", "evaluation", "learnings"):
            given = "".join(jobs.of(kind))
            assert "I go out into the garden now." in given, kind
            assert "quokka" not in given, kind


async def test_after_a_message_was_removed_nothing_more_is_shown_of_that_talk(tmp_path: Path) -> None:
    maria = token(tmp_path, companion="serenity")
    async with (
        talking(tmp_path) as url,
        connected(url) as ann,
        caring(url, maria, companion="serenity") as carer,
    ):
        await ann.hello(user="ann")
        await ann.talk("The roses are in bloom.")
        await allow(carer, "watching", "transcripts")
        ack = await ann.say("The blue car is mine.")
        await ann.answer()
        await carer.ask(WATCH)
        await ann.talk("Good morning.")
        await carer.next(ResponseDone)
        await ann.ask(MemoryForget(id="f", item=str(ack.message)))
        await carer.next(WatchingEnded)
        assert await noticed(ann, "watch.ended")
        await carer.ask(replace(WATCH, id="w2"))
        await ann.talk("The garden is green.")
        await ann.ask(ConversationClose(id=ann.new_id()))
        await carer.next(ConversationClosed)
        assert words(carer.events) == ["Good morning.", ANSWER.text]
        shown = await result(carer, CareHistory(id="h", conversation=str(ack.conversation)))
        assert [each["text"] for each in shown["messages"]] == ["The roses are in bloom.", ANSWER.text]


async def test_who_erases_everything_is_looked_on_at_by_nobody_and_told_so(tmp_path: Path) -> None:
    maria = token(tmp_path, companion="serenity")
    calm = Data(folder=str(tmp_path), durability="process", erase_cool_down_seconds=0.0)
    async with (
        talking(tmp_path, data=calm) as url,
        connected(url) as ann,
        caring(url, maria, companion="serenity") as carer,
    ):
        await ann.hello(user="ann")
        await ann.talk("The roses are in bloom.")
        await allow(carer, "watching")
        await carer.ask(WATCH)
        await noticed(ann, "watch.started")
        asked = await result(ann, MemoryErase(id="e1"))
        assert (await result(ann, MemoryErase(id="e2", code=asked["code"])))["state"] == "done"
        await carer.next(WatchingEnded)
        assert await noticed(ann, "watch.ended")
        await ann.talk("Good morning.")
        await carer.ask(replace(WATCH, id="w2"))
        await ann.talk("Good evening.")
        await carer.next(ResponseDone)
        assert words(carer.events) == ["Good evening.", ANSWER.text], "another talk, looked on at anew"


def test_it_is_known_after_a_crash_that_left_no_reading_of_it() -> None:
    hurt: list[AnyChange] = [said("a", 1, HURT), checkpointed("a", 2, "I am so")]
    cancelled = replace(answered("a", 2, ""), answer=None, position=None, status="cancelled")
    with empty_store() as store:
        apply_all(store.db, hurt)
        assert recover(store.db, 9_000).interrupted
        assert _withheld(store)
        assert _withheld(store, read=False) is None, "no welcome waits until it is read"
    for waits in ((*hurt[:1],), (hurt[0], cancelled)):
        with empty_store() as store:
            assert _withheld(store, waits)


def _withheld(store: InlineStore, *waiting: tuple[AnyChange, ...], read: bool = True) -> bool | None:
    clara = shipped("clara")[0]
    found = opening(store.db, clara, user=ANNA, conversation="a", read=read, waiting=waiting)
    assert found is not None
    return found.talk.withheld
