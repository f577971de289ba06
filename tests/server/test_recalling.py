"""What was said comes back where it matters: by search, by a model's tool, and by what a request needs."""

from contextlib import AsyncExitStack
from pathlib import Path

import anyio

from loadtest.client import Talker, connected
from loadtest.model_script import Call, Script
from loadtest.model_server import model_server
from protocol.conversation_frames import ConversationClose
from protocol.memory_frames import MemorySearch, MemoryWhy
from server.settings import Settings
from tests.server.serving import serving, settings


def coached(folder: Path, url: str) -> Settings:
    return settings(folder, model=f"openai:m@{url}/v1", companion="coach")


async def test_an_allergy_of_an_earlier_conversation_is_in_the_prompt_when_a_snack_is_asked_for(
    tmp_path: Path,
) -> None:
    async with (
        model_server(Script(text="Noted.")) as model,
        serving(coached(tmp_path, model.url)) as url,
        connected(url) as talker,
    ):
        await talker.hello(user="sam")
        await talker.talk("By the way, I'm allergic to peanuts.")
        await talker.talk("I ran five kilometres yesterday.")
        await talker.ask(ConversationClose(id=talker.new_id()))
        await talker.talk("What could I have as a high-protein snack?")
        prompt = model.requests[-1].body.decode()
        assert "allergic to peanuts" in prompt
        assert "five kilometres" not in prompt


async def test_another_person_is_not_told(tmp_path: Path) -> None:
    async with (
        model_server(Script(text="Noted.")) as model,
        serving(coached(tmp_path, model.url)) as url,
        connected(url) as sam,
        connected(url) as kim,
    ):
        await sam.hello(user="sam")
        await sam.talk("I'm allergic to peanuts.")
        await kim.hello(user="kim")
        await kim.talk("What could I have as a high-protein snack?")
        assert "peanuts" not in model.requests[-1].body.decode()


async def found(talker: Talker, query: str) -> list[str]:
    """What a search finds, once it finds anything: the index follows what is said."""
    with anyio.fail_after(60):
        while True:
            ack = await talker.ask(MemorySearch(id=talker.new_id(), query=query))
            assert isinstance(ack.result, dict)
            if ack.result["messages"]:
                return [message["text"] for message in ack.result["messages"]]
            await anyio.sleep(0.1)


async def test_search_finds_what_was_said_once_it_is_indexed(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann")
        await talker.talk("My sister keeps bees behind the orchard.")
        await talker.talk("It rained all day.")
        await talker.ask(ConversationClose(id=talker.new_id()))
        texts = await found(talker, "bees")
        assert texts[0] == "My sister keeps bees behind the orchard."


async def test_the_models_search_reaches_the_sessions_person_alone(tmp_path: Path) -> None:
    asks, asks_for_sam = (
        Script(text="", calls=(Call(name="search_memory", arguments=arguments),))
        for arguments in ('{"query": "squats"}', '{"query": "squats", "user": "sam"}')
    )
    async with (
        model_server(Script(text="Good.")) as model,
        serving(coached(tmp_path, model.url)) as url,
        connected(url) as sam,
        AsyncExitStack() as others,
    ):
        await sam.hello(user="sam")
        await sam.talk("Squats are my favourite exercise of all.")
        await sam.ask(ConversationClose(id=sam.new_id()))
        await found(sam, "squats")
        kim = await others.enter_async_context(connected(url))
        await kim.hello(user="kim")
        searched: list[list[dict[str, object]]] = []
        for talker, script in ((kim, asks), (kim, asks_for_sam), (sam, asks)):
            model.play(script, Script(text="Here you are."))
            done = await talker.talk("What did I say I like?")
            why = await talker.ask(MemoryWhy(id=talker.new_id(), response=done.response))
            assert isinstance(why.result, dict)
            searched.append([each for each in why.result["used"] if each["reason"] == "search_memory"])
        results = [request.body.decode() for request in model.requests if b'"role":"tool"' in request.body]
        assert len(results) == 3
        assert ["Squats are my favourite" in each for each in results] == [False, False, True]
        assert "was not used as offered" in results[1]
        *hers, his = searched
        assert hers == [[], []]
        assert his[0]["kind"] == "message"
        assert his[0]["sources"] == [his[0]["item"]]
