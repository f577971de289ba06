"""Vectors from a server: of length one, in order, always of one dimension, or an error in time."""

import math
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import anyio
import pytest

from companions.ports import Embedder, ModelError
from generation.embedding import embedder
from generation.naming import BadModelNameError, OllamaModel, OpenAIModel, parse_embedder
from loadtest.model_script import Fault, Script
from loadtest.model_server import ModelServer, model_server
from tests import clock
from tests.generation.stage import address

KINDS = ["openai", "ollama"]
TEXTS = ["Where is my daughter?", "where is my daughter", "The soup was good."]


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return clock.virtual_time()


@asynccontextmanager
async def asking(
    kind: str, *scripts: Script, key: str = "", seconds: float = 5.0
) -> AsyncGenerator[tuple[Embedder, ModelServer]]:
    async with model_server(*scripts) as server:
        model = parse_embedder(address(kind, server))
        async with embedder(model, api_key=key, seconds=seconds) as found:
            yield found, server


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("kind", KINDS)
async def test_vectors_come_in_order_and_have_length_one(kind: str) -> None:
    async with asking(kind) as (found, _):
        port: Embedder = found
        assert port.dimension == 0
        vectors = await found.embed(TEXTS)
    assert found.dimension == 384
    assert [round(math.hypot(*vector), 9) for vector in vectors] == [1.0, 1.0, 1.0]
    assert cosine(vectors[0], vectors[1]) > 0.99
    assert cosine(vectors[0], vectors[2]) < 0.5


@pytest.mark.parametrize("kind", KINDS)
async def test_a_key_goes_along_and_the_model_is_named(kind: str) -> None:
    async with asking(kind, key="sesame") as (found, server):
        await found.embed(["Good morning."])
        assert server.requests[0].headers["authorization"] == "Bearer sesame"
        assert server.requests[0].json()["model"] == "test-model"
        assert server.requests[0].json()["input"] == ["Good morning."]


async def test_nothing_is_asked_for_no_text() -> None:
    async with asking("ollama") as (found, server):
        assert await found.embed([]) == []
        assert server.requests == []


@pytest.mark.parametrize("kind", KINDS)
async def test_another_dimension_later_is_refused_and_the_first_one_still_counts(kind: str) -> None:
    async with asking(kind, Script(dimension=384), Script(dimension=768), Script(dimension=384)) as (
        found,
        _,
    ):
        await found.embed(["one"])
        with pytest.raises(ModelError, match="dimension") as error:
            await found.embed(["two"])
        assert error.value.fault == "broken"
        assert len((await found.embed(["three"]))[0]) == 384


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("refuse", "unreachable"),
        ("not_http", "unreachable"),
        ("redirect", "refused"),
        ("cut", "broken"),
        ("reset", "broken"),
        ("garbage", "broken"),
        ("half_json", "broken"),
        ("empty", "broken"),
        ("stall_before_headers", "first_token"),
        ("stall_first", "first_token"),
        ("stall", "first_token"),
    ],
)
async def test_whatever_goes_wrong_is_an_error_in_time(kind: str, fault: Fault, expected: str) -> None:
    async with asking(kind, Script(fault=fault), seconds=0.3) as (found, _):
        with anyio.fail_after(5), pytest.raises(ModelError) as error:
            await found.embed(["My name is Ann."])
    assert error.value.fault == expected
    assert "Ann" not in str(error.value)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("status", "expected"),
    [(401, "unauthorized"), (404, "unknown_model"), (429, "rate_limited"), (503, "overloaded")],
)
async def test_a_status_is_translated(kind: str, status: int, expected: str) -> None:
    async with asking(kind, Script(status=status)) as (found, _):
        with pytest.raises(ModelError) as error:
            await found.embed(["My name is Ann."])
    assert error.value.fault == expected
    assert "Ann" not in str(error.value)


async def test_who_leaves_closes_the_request() -> None:
    async with asking("ollama", Script(fault="stall_first")) as (found, server):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(found.embed, ["one"])
            await server.asked()
            tasks.cancel_scope.cancel()
        with anyio.fail_after(5):
            await server.requests[0].ended.wait()
        assert server.requests[0].closed_early


def test_an_embedder_is_named_as_a_model_is() -> None:
    assert parse_embedder("ollama:all-minilm") == OllamaModel("all-minilm")
    named = parse_embedder("openai:bge@http://127.0.0.1:1/v1")
    assert named == OpenAIModel("bge", "http://127.0.0.1:1/v1")


@pytest.mark.parametrize("text", ["builtin", "local:/a.gguf", "anthropic:claude", "minilm", "openai:bge"])
def test_what_names_no_embedder_is_refused(text: str) -> None:
    with pytest.raises(BadModelNameError):
        parse_embedder(text)
