"""The model's search, in every dialect: what it finds is quoted data, and no call of its takes more than it may."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from actors.streaming import MOST_CALLS, MOST_TOOL_ROUNDS
from loadtest.client import Talker, connected
from loadtest.model_script import Call, Script
from loadtest.model_server import ModelServer, model_server
from protocol.conversation_frames import ConversationClose
from server.app import STORE_FILE
from server.finding import NOTHING, UNAVAILABLE
from storage.connection import inline, transacted
from storage.fulltext import index_pending
from tests.generation.stage import KINDS, address
from tests.server.serving import serving, settings

ANSWER = Script(text="Here you are.")
FOUND = "Squats are my favourite exercise."


def call(arguments: str, name: str = "search_memory", times: int = 1) -> Script:
    return Script(
        text="", calls=tuple(Call(name=name, arguments=arguments, id=f"call_{n}") for n in range(times))
    )


NOT_OFFERED = (
    '{"query": "squats", "user": "ann"}',
    '{"query": "squats", "conversation": "cnv_1"}',
    '{"query": ["squats"]}',
    '{"words": "squats"}',
    '{"query": "  "}',
    '{"query": "squats", "limit": 0}',
    '"squats"',
)
SEARCH = call('{"query": "squats"}')


@asynccontextmanager
async def coached(
    folder: Path, kind: str, companion: str = "coach"
) -> AsyncGenerator[tuple[ModelServer, Talker]]:
    """Sam, who told of squats in an earlier talk, which is indexed; and the model, which has not been asked since."""
    async with model_server(ANSWER) as model:
        chosen = settings(folder, model=address(kind, model), companion=companion)
        async with serving(chosen) as url, connected(url) as talker:
            await talker.hello(user="sam")
            await talker.talk(FOUND)
            await talker.talk("It rained all day.")
            await talker.ask(ConversationClose(id=talker.new_id()))
        with inline(folder / STORE_FILE) as store:
            transacted(store.db, index_pending)
        model.requests.clear()
        async with serving(chosen) as url, connected(url) as talker:
            await talker.hello(user="sam")
            yield model, talker


def results(model: ModelServer) -> list[str]:
    """What the tools gave, as the last request has it."""
    found: list[str] = []
    for message in model.requests[-1].json()["messages"]:
        if message["role"] == "tool":
            found.append(message["content"])
        elif isinstance(message["content"], list):
            blocks: list[dict[str, Any]] = message["content"]  # Any: JSON of an outside format
            found += [block["content"] for block in blocks if block["type"] == "tool_result"]
    return found


@pytest.mark.parametrize("kind", KINDS)
async def test_what_it_finds_is_quoted_and_the_model_goes_on(tmp_path: Path, kind: str) -> None:
    async with coached(tmp_path, kind) as (model, talker):
        model.play(SEARCH, ANSWER)
        done = await talker.talk("What did I say I like?")
        assert done.text == "Here you are."
        (told,) = results(model)
        assert told.splitlines()[0] == f'- "{FOUND}"'
        assert all(line.startswith('- "') and line.endswith('"') for line in told.splitlines())
        assert "search_memory" in json.dumps(model.requests[0].json()["tools"])


@pytest.mark.parametrize("kind", KINDS)
async def test_one_that_calls_for_ever_is_asked_for_its_answer_without_tools(
    tmp_path: Path, kind: str
) -> None:
    async with coached(tmp_path, kind) as (model, talker):
        model.play(SEARCH)
        with anyio.fail_after(60):
            done = await talker.talk("What did I say I like?")
        assert done.text
        assert done.source == "fallback"
        turns = [request.json() for request in model.requests][: MOST_TOOL_ROUNDS + 1]
        *_, last = turns
        assert len(turns) == MOST_TOOL_ROUNDS + 1
        if kind == "anthropic":  # which wants to know what the calls in the talk called
            assert last["tool_choice"] == {"type": "none"}
        else:
            assert "tools" not in last


@pytest.mark.parametrize("kind", KINDS)
async def test_arguments_that_were_not_offered_find_nothing_and_end_nothing(
    tmp_path: Path, kind: str
) -> None:
    async with coached(tmp_path, kind) as (model, talker):
        for arguments in NOT_OFFERED:
            model.play(call(arguments), ANSWER)
            done = await talker.talk("What did I say I like?")
            assert done.text == "Here you are."
            assert results(model) == [UNAVAILABLE], arguments


@pytest.mark.parametrize("kind", ["openai", "anthropic"])  # Ollama's server gives objects alone
async def test_broken_json_is_not_sent_back_as_it_was(tmp_path: Path, kind: str) -> None:
    async with coached(tmp_path, kind) as (model, talker):
        model.play(call('{"query": "squ'), ANSWER)
        assert (await talker.talk("What did I say I like?")).text == "Here you are."
        assert results(model) == [UNAVAILABLE]
        assert b'"squ' not in model.requests[-1].body


async def test_a_limit_lessens_and_never_widens(tmp_path: Path) -> None:
    async with coached(tmp_path, "openai") as (model, talker):
        model.play(call('{"query": "squats rained", "limit": 1}'), ANSWER)
        await talker.talk("What did I say?")
        assert len(results(model)[0].splitlines()) == 1
        model.play(call('{"query": "squats rained here", "limit": 50}'), ANSWER)
        await talker.talk("And besides?")
        assert len(results(model)[-1].splitlines()) <= 3


async def test_of_many_calls_at_once_few_are_run(tmp_path: Path) -> None:
    async with coached(tmp_path, "openai") as (model, talker):
        model.play(call('{"query": "squats"}', times=MOST_CALLS + 3), ANSWER)
        await talker.talk("What did I say I like?")
        told = results(model)
        assert len(told) == MOST_CALLS + 3
        assert sum(FOUND in each for each in told) == MOST_CALLS


async def test_the_question_itself_is_not_what_is_found(tmp_path: Path) -> None:
    async with coached(tmp_path, "openai") as (model, talker):
        model.play(call('{"query": "zebra stripes"}'), ANSWER)
        await talker.talk("Did I ever tell you of zebra stripes?")
        assert results(model) == [NOTHING]


@pytest.mark.parametrize("companion", ["serenity", "clara", "extremis", "maestro"])
async def test_companions_without_the_tool_are_not_offered_it_and_a_call_of_it_finds_nothing(
    tmp_path: Path, companion: str
) -> None:
    async with model_server(SEARCH, ANSWER) as model:
        chosen = settings(tmp_path, model=address("openai", model), companion=companion)
        async with serving(chosen) as url, connected(url) as talker:
            await talker.hello(user="sam")
            await talker.talk("What did I say I like?")
        assert all(b"search_memory" not in request.body for request in model.requests[:1])
        assert all(each == "This tool is not available." for each in results(model))


async def test_what_was_said_beside_a_call_stays_in_the_turn(tmp_path: Path) -> None:
    async with coached(tmp_path, "openai") as (model, talker):
        model.play(Script(text="One moment.", calls=SEARCH.calls), ANSWER)
        done = await talker.talk("What did I say I like?")
        assert done.text.startswith("One moment.")
        turn = next(each for each in model.requests[-1].json()["messages"] if each.get("tool_calls"))
        assert turn["content"] == "One moment."
