"""The person's hold on what is remembered of them, through the real server and in the bytes a model is sent."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest

from loadtest.client import Refusal, Talker
from loadtest.model_script import Script
from loadtest.model_server import ModelServer
from protocol.conversation_frames import ConversationClose
from protocol.frames import Command
from protocol.memory_frames import (
    MemoryAdd,
    MemoryChanged,
    MemoryEdit,
    MemoryForget,
    MemoryList,
    MemoryPin,
    MemorySettings,
    MemoryUndo,
    MemoryWhy,
)
from server.app import STORE_FILE
from tests.server.scenes import Scene, played

YES = Script(text="I see.")


def asked(model: ModelServer) -> str:
    """What the model was given for the last answer, as it travelled; jobs ask it too, in other words."""
    talks = [request.body.decode() for request in model.requests if b"<guidance>" in request.body]
    return talks[-1]


async def result(talker: Talker, command: Command) -> dict[str, Any]:  # Any: results as plain JSON
    ack = await talker.ask(command)
    assert isinstance(ack.result, dict)
    return ack.result


async def refusal(talker: Talker, command: Command) -> Refusal:
    with pytest.raises(Refusal) as error:
        await talker.ask(command)
    return error.value


async def facts(talker: Talker, status: str | None = "active") -> dict[str, dict[str, Any]]:  # Any: as above
    kept = await result(talker, MemoryList(id=talker.new_id()))
    return {each["text"]: each for each in kept["facts"] if status in (None, each["status"])}


async def all_jobs_done(scene: Scene) -> None:
    """Until every job of the server has ended."""
    with anyio.fail_after(60):
        while True:
            with closing(sqlite3.connect(scene.data / STORE_FILE)) as db:
                (left,) = db.execute("SELECT COUNT(*) FROM jobs WHERE state <> 'done'").fetchone()
            if not left:
                return
            await anyio.sleep(0.05)


async def close(talker: Talker) -> None:
    """End the talk, and wait until what was found in it is kept."""
    await talker.ask(ConversationClose(id=talker.new_id()))
    if not any(isinstance(event, MemoryChanged) for event in talker.events):
        await talker.next(MemoryChanged, seconds=30)
    talker.events.clear()


async def test_over_three_sessions_the_prompt_shows_only_what_holds(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene:
        async with scene.greeted() as talker:
            await talker.talk("I live in Lisbon and I work as a nurse at the Santa Maria hospital.")
            await close(talker)
        async with scene.greeted() as talker:
            await talker.talk("I moved to Berlin last week.")
            assert "residence: Lisbon" in asked(scene.model)
            await close(talker)
        async with scene.greeted() as talker:
            await talker.talk("I quit my job as a nurse. I work as a gardener now.")
            assert "residence: Berlin" in asked(scene.model)
            await close(talker)
        async with scene.greeted() as talker:
            await talker.talk("What do you know about me?")
            prompt = asked(scene.model)
            assert "Berlin" in prompt
            assert "gardener" in prompt
            assert "residence: Lisbon" not in prompt
            assert "nurse" not in prompt.split("Recent conversations")[0]
            kept = await facts(talker, None)
            assert (kept["Lisbon"]["status"], kept["Berlin"]["status"]) == ("superseded", "active")
            assert kept["Lisbon"]["valid_to"]


async def test_german_stays_german_and_says_so(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        await talker.talk("Ich wohne in Leipzig und ich mag den Herbst.")
        await close(talker)
        kept = await facts(talker)
        assert kept["Leipzig"]["language"] == "de"
        added = await result(talker, MemoryAdd(id=talker.new_id(), text="J'aime la pluie"))
        assert added["fact"]["language"] == "fr"
        edited = await result(
            talker, MemoryEdit(id=talker.new_id(), item=kept["Leipzig"]["fact"], text="Dresden")
        )
        assert edited["fact"]["language"] == "de"


async def test_what_is_added_is_in_the_next_prompt_and_what_is_forgotten_is_not(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        await talker.talk("Hello.")
        added = await result(talker, MemoryAdd(id=talker.new_id(), text="I take my tea black"))
        await talker.next(MemoryChanged)
        await talker.talk("And now?")
        assert "I take my tea black" in asked(scene.model)
        forget = MemoryForget(id=talker.new_id(), item=added["fact"]["fact"])
        assert await result(talker, forget) == {"items": [added["fact"]["fact"]], "preview": False}
        await talker.next(MemoryChanged)
        await talker.talk("And now?")
        assert "I take my tea black" not in asked(scene.model)
        undone = await result(talker, MemoryUndo(id=talker.new_id()))
        assert undone["items"] == [added["fact"]["fact"]]
        assert "I take my tea black" in await facts(talker)


async def test_a_preview_changes_nothing(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        added = await result(talker, MemoryAdd(id=talker.new_id(), text="I like jazz", category="preference"))
        item = added["fact"]["fact"]
        for wanted in ({"item": item}, {"category": "preference"}):
            preview = MemoryForget(id=talker.new_id(), preview=True, **wanted)
            assert await result(talker, preview) == {"items": [item], "preview": True}
        assert "I like jazz" in await facts(talker)


async def test_the_second_of_two_devices_is_told_what_stands_now(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as one, scene.greeted() as two:
        item = (await result(one, MemoryAdd(id=one.new_id(), text="I live in Lisbon")))["fact"]["fact"]
        await result(one, MemoryEdit(id=one.new_id(), item=item, text="I live in Sintra"))
        error = await refusal(two, MemoryEdit(id=two.new_id(), item=item, text="I live in Porto"))
        assert (error.code, error.error.current["text"]) == ("state.conflict", "I live in Sintra")
        assert any(isinstance(event, MemoryChanged) for event in two.events)


async def test_the_same_command_again_gets_its_first_answer(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        add = MemoryAdd(id=talker.new_id(), text="I like jazz")
        first = await result(talker, add)
        assert await result(talker, add) == first
        again = await result(talker, MemoryAdd(id=talker.new_id(), text="I LIKE jazz"))
        assert again["fact"]["fact"] == first["fact"]["fact"]
        assert len(await facts(talker)) == 1


async def test_an_answer_says_which_facts_it_used(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        item = (await result(talker, MemoryAdd(id=talker.new_id(), text="I like jazz")))["fact"]["fact"]
        await talker.next(MemoryChanged)
        done = await talker.talk("What should I listen to?")
        why = await result(talker, MemoryWhy(id=talker.new_id(), response=done.response))
        assert [(each["kind"], each["item"]) for each in why["used"]] == [("fact", item)]
        kept = await facts(talker)
        assert (kept["I like jazz"]["uses"], "used_at" in kept["I like jazz"]) == (1, True)
        assert (await refusal(talker, MemoryWhy(id=talker.new_id(), response="rsp_none"))).code == (
            "response.unknown"
        )


async def test_switched_off_nothing_is_kept_and_nothing_used(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        await result(talker, MemoryAdd(id=talker.new_id(), text="I like jazz"))
        off = await result(talker, MemorySettings(id=talker.new_id(), enabled=False))
        assert (off["enabled"], off["count"]) == (False, 1)
        await talker.talk("Remember that I live in Lisbon.")
        assert "jazz" not in asked(scene.model)
        refused = await refusal(talker, MemoryAdd(id=talker.new_id(), text="I like tea"))
        assert refused.code == "policy.refused"
        on = await result(talker, MemorySettings(id=talker.new_id(), enabled=True))
        assert on["enabled"] is True
        assert list(await facts(talker)) == ["I like jazz"]


@pytest.mark.parametrize("companion", ["serenity", "coach", "extremis", "maestro"])
async def test_what_was_said_while_remembering_was_off_is_in_no_later_talk(
    tmp_path: Path, companion: str
) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted(companion=companion) as talker:
        await talker.talk("I decided to keep bees on the roof.")
        await result(talker, MemorySettings(id=talker.new_id(), enabled=False))
        await talker.talk("I am allergic to zanzibarquince and I quarrelled with my sister.")
        await result(talker, MemorySettings(id=talker.new_id(), enabled=True))
        await talker.ask(ConversationClose(id=talker.new_id()))
        await all_jobs_done(scene)
        await talker.talk("What may I eat, and what shall I do about my sister and the roof?")
        later = [request.body.decode() for request in scene.model.requests if b"the roof?" in request.body]
        assert later
        assert "zanzibarquince" not in "".join(later)
        assert "quarrelled" not in "".join(later)
        jobs = [
            request.body.decode() for request in scene.model.requests if b"<guidance>" not in request.body
        ]
        assert "zanzibarquince" not in "".join(jobs)


async def test_a_pin_holds_and_an_unknown_item_is_said_to_be_unknown(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        item = (await result(talker, MemoryAdd(id=talker.new_id(), text="I like jazz")))["fact"]["fact"]
        pinned = await result(talker, MemoryPin(id=talker.new_id(), item=item))
        assert pinned["fact"]["pinned"] is True
        for command in (
            MemoryPin(id=talker.new_id(), item="fct_none"),
            MemoryEdit(id=talker.new_id(), item="sum_none", text="x"),
            MemoryForget(id=talker.new_id(), item="fct_none"),
        ):
            assert (await refusal(talker, command)).code == "memory.unknown"


async def test_a_summary_is_seen_put_right_and_forgotten(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        await talker.talk("I live in Lisbon, and I keep waking at four.")
        await close(talker)
        kept = await result(talker, MemoryList(id=talker.new_id()))
        while not kept["summaries"]:
            kept = await result(talker, MemoryList(id=talker.new_id()))
        item = kept["summaries"][0]["summary"]
        edited = await result(talker, MemoryEdit(id=talker.new_id(), item=item, text="Slept badly."))
        assert edited["summary"]["text"] == "Slept badly."
        await result(talker, MemoryForget(id=talker.new_id(), item=item))
        assert (await result(talker, MemoryList(id=talker.new_id())))["summaries"] == []
        await result(talker, MemoryUndo(id=talker.new_id()))
        back = await result(talker, MemoryList(id=talker.new_id()))
        assert back["summaries"][0]["text"] == "Slept badly."


async def test_a_companion_that_keeps_nothing_says_so(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted(companion="clara") as talker:
        for command in (
            MemoryList(id=talker.new_id()),
            MemoryAdd(id=talker.new_id(), text="I like jazz"),
            MemorySettings(id=talker.new_id(), enabled=False),
            MemoryUndo(id=talker.new_id()),
        ):
            assert (await refusal(talker, command)).code == "policy.refused"
