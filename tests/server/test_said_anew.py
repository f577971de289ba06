"""Another answer: what stood behind the old one is hidden while it is made, and gone with it, wherever it is held."""

import json
from pathlib import Path

from loadtest.client import Talker
from loadtest.model_script import Call, Script
from protocol.conversation_frames import ConversationCreate
from protocol.memory_frames import MemoryChanged
from protocol.talk_frames import ResponseDone, ResponseRegenerate, ResponseStarted
from server.app import STORE_FILE
from server.finding import NOTHING
from storage.connection import inline, transacted
from storage.fulltext import index_pending
from tests.server.scenes import Scene, played
from tests.server.test_memory import YES, asked, facts

CANARY = "Zanzibar"
ORDER = f"Please remember that my brother is called {CANARY}."
SEARCH = Script(text="", calls=(Call(name="search_memory", arguments=json.dumps({"query": CANARY})),))


async def anew(talker: Talker, message: str) -> ResponseDone:
    """Another answer to a message, heard to its end."""
    await talker.ask(ResponseRegenerate(id=talker.new_id(), message=message))
    return await talker.answer()


async def kept(talker: Talker) -> None:
    """Say something that is kept at once, and hear the answer."""
    await talker.say(ORDER)
    await talker.next(MemoryChanged)
    await talker.answer()


def requests(scene: Scene, first: int) -> str:
    return " ".join(request.body.decode() for request in scene.model.requests[first:])


async def test_a_fact_said_behind_the_answer_is_in_no_prompt_from_then_on(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted(companion="extremis") as talker:
        first = await talker.talk("Good morning.")
        await kept(talker)
        await talker.talk("Who is at the door?")
        assert f"called {CANARY}" in asked(scene.model)  # as what it is: kept, and still so
        before = len(scene.model.requests)
        await anew(talker, first.message)
        assert await facts(talker) == {}
        await talker.talk("And who is at the window?")
        await anew(talker, first.message)
        assert len(scene.model.requests) == before + 3
        assert CANARY not in requests(scene, before)


async def test_it_is_in_no_prompt_of_another_talk_either_when_the_answer_has_landed(tmp_path: Path) -> None:
    async with (
        played(tmp_path, YES) as scene,
        scene.greeted(companion="extremis") as one,
        scene.greeted(companion="extremis") as two,
    ):
        first = await one.talk("Good morning.")
        await two.talk("Good morning to you, too.")
        await kept(one)
        await two.next(MemoryChanged)
        await two.talk("Who is at the door?")
        assert CANARY in asked(scene.model)
        await anew(one, first.message)
        await two.next(MemoryChanged)
        await two.talk("And who is at the window?")
        assert CANARY not in asked(scene.model)


async def test_what_was_said_before_the_answer_as_well_stays_known(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted(companion="extremis") as talker:
        await kept(talker)
        first = await talker.talk("Good morning.")
        await talker.talk(ORDER)
        await anew(talker, first.message)
        await talker.ask(ConversationCreate(id=talker.new_id()))
        await talker.talk("Who is at the door?")
        assert CANARY in asked(scene.model)


async def test_when_no_other_answer_comes_it_is_known_as_before(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted(companion="extremis") as talker:
        first = await talker.talk("Good morning.")
        await kept(talker)
        scene.model.play(Script(fault="stall_first"), YES)
        await talker.ask(ResponseRegenerate(id=talker.new_id(), message=first.message))
        await talker.next(ResponseStarted)
        await talker.cancel()
        assert (await talker.answer()).answer is None
        await talker.talk("Who is at the door?")
        assert f"called {CANARY}" in asked(scene.model)


async def test_the_models_search_finds_nothing_of_what_is_hidden(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted(companion="coach") as talker:
        first = await talker.talk("Good morning.")
        await talker.talk(f"I like to run in {CANARY}.")
        await talker.talk("It rained all day.")
        with inline(scene.data / STORE_FILE) as store:
            transacted(store.db, index_pending)
        scene.model.play(SEARCH, YES)
        await talker.talk("Where do I like to run?")
        assert f"I like to run in {CANARY}." in tool(scene)
        scene.model.play(SEARCH, YES)
        await anew(talker, first.message)
        assert tool(scene) == NOTHING


def tool(scene: Scene) -> str:
    """What the model's search gave it last."""
    return str(scene.model.requests[-1].json()["messages"][-1]["content"])
