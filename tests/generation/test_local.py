"""A GGUF file in this process: real words, a real stop, and plain words when it can not be run."""

import importlib.util
import os
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import anyio
import httpx
import pytest

from companions.ports import Finished, LanguageModel, Piece, Prompt, PromptMessage, Text
from generation.choose import ModelSettings, language_model
from generation.deadlines import Deadlines
from generation.local import LocalModelError, LocalServer, LocalSettings, serving
from tests.generation.stage import end_of, text_of, usage_of

GGUF = os.environ.get("FIRESIDE_TEST_GGUF", "")
needs_model = pytest.mark.skipif(
    not GGUF or importlib.util.find_spec("xllamacpp") is None,
    reason="needs xllamacpp, and FIRESIDE_TEST_GGUF to name a GGUF file",
)
TELL = Prompt(
    system="You are a friendly companion.",
    messages=(PromptMessage(role="user", text="Tell me a very long story about a lighthouse."),),
    max_tokens=1_500,
)
PATIENT = Deadlines(first_token=120.0, gap=60.0, total=300.0)


@pytest.fixture
async def server() -> AsyncGenerator[LocalServer]:
    async with serving(Path(GGUF), LocalSettings(slots=2, context_tokens=2048)) as running:
        yield running


@pytest.fixture
async def model(server: LocalServer) -> AsyncGenerator[LanguageModel]:
    settings = ModelSettings(
        model=f"openai:local@{server.url}", api_key=server.key, deadlines=PATIENT, reasoning="tags"
    )
    async with language_model(settings) as running:
        yield running


async def busy_slots(server: LocalServer) -> int:
    async with httpx.AsyncClient(
        headers={"authorization": f"Bearer {server.key}"}, trust_env=False
    ) as client:
        slots = (await client.get(f"{server.url.removesuffix('/v1')}/slots")).json()
    return sum(bool(slot["is_processing"]) for slot in slots)


@pytest.mark.model
@needs_model
async def test_a_real_model_streams_and_counts(model: LanguageModel) -> None:
    pieces: list[Piece] = []
    begun = time.perf_counter()
    first = 0.0
    async with model.stream(TELL) as stream:
        async for piece in stream:
            first = first or time.perf_counter()
            pieces.append(piece)
            if len(pieces) == 100:
                break
    rate = 99 / (time.perf_counter() - first)
    print(f"first token after {first - begun:.2f} s, {rate:.0f} tokens/s")  # asked for with -s
    assert all(isinstance(piece, Text) for piece in pieces)
    assert len(text_of(pieces).split()) > 40


@pytest.mark.model
@needs_model
async def test_a_short_answer_ends_with_its_count(model: LanguageModel) -> None:
    async with model.stream(
        Prompt(system="", messages=(PromptMessage(role="user", text="Say hello."),), max_tokens=8)
    ) as stream:
        pieces = [piece async for piece in stream]
    usage = usage_of(pieces)
    assert usage is not None
    assert 0 < usage.completion_tokens <= 8
    assert usage.prompt_tokens > 5
    assert end_of(pieces) in ("stop", "length")


@pytest.mark.model
@needs_model
async def test_an_answer_by_a_schema_is_json(model: LanguageModel) -> None:
    schema = {
        "type": "object",
        "properties": {"mood": {"enum": ["good", "bad"]}},
        "required": ["mood"],
        "additionalProperties": False,
    }
    messages = (PromptMessage(role="user", text="I feel wonderful."),)
    async with model.stream(Prompt(system="", messages=messages, max_tokens=40, schema=schema)) as stream:
        pieces = [piece async for piece in stream]
    assert text_of(pieces).replace(" ", "").replace("\n", "") in ('{"mood":"good"}', '{"mood":"bad"}')


@pytest.mark.model
@needs_model
async def test_stop_stops_the_real_work(server: LocalServer, model: LanguageModel) -> None:
    async with model.stream(TELL) as stream:
        for _ in range(20):
            assert not isinstance(await anext(stream), Finished)
        assert await busy_slots(server) == 1
    left = time.perf_counter()
    with anyio.fail_after(10):
        while await busy_slots(server):  # noqa: ASYNC110  # llama.cpp can only be asked
            await anyio.sleep(0.005)
    print(f"slot idle {time.perf_counter() - left:.3f} s after leaving")  # asked for with -s
    before = time.process_time()
    await anyio.sleep(1)
    assert time.process_time() - before < 0.5  # llama.cpp runs in this process: its threads rest


@pytest.mark.model
@needs_model
async def test_the_local_kind_runs_from_its_name(tmp_path: Path) -> None:
    file = tmp_path / "small chat.gguf"
    file.symlink_to(GGUF)
    settings = ModelSettings(
        model=f"local:{file}", deadlines=PATIENT, local=LocalSettings(slots=1, context_tokens=1024, threads=1)
    )
    async with language_model(settings) as model:
        assert (model.kind, model.name, model.connected) == ("local", "small chat", True)
        async with model.stream(TELL) as stream:
            assert isinstance(await anext(stream), Text)


async def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(LocalModelError, match="can not be read"):
        async with language_model(ModelSettings(model=f"local:{tmp_path}/none.gguf")):
            pass


async def test_a_file_that_is_no_model_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "text.gguf").write_text("hello")
    with pytest.raises(LocalModelError, match="is not a GGUF file"):
        async with language_model(ModelSettings(model=f"local:{tmp_path}/text.gguf")):
            pass


@pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is not None, reason="xllamacpp is installed here")
async def test_without_llama_the_package_to_install_is_named(tmp_path: Path) -> None:
    (tmp_path / "m.gguf").write_bytes(b"GGUF0000")
    with pytest.raises(LocalModelError, match=r"pip install 'fireside\[local\]'"):
        async with language_model(ModelSettings(model=f"local:{tmp_path}/m.gguf")):
            pass
