"""Which model answers is what the operator wrote, read strictly, or the nearest one."""

import asyncio
from pathlib import Path

import pytest

from generation.addresses import is_local
from generation.choose import Chosen, ModelSettings, choose, language_model
from generation.naming import (
    AnthropicModel,
    BadModelNameError,
    BuiltinModel,
    LocalModel,
    Model,
    OllamaModel,
    OpenAIModel,
    is_on_this_machine,
    parse_model,
)
from loadtest.model_script import Script
from loadtest.model_server import model_server
from tests import clock
from tests.generation.stage import PROMPT, end_of, text_of


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return clock.virtual_time()


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("builtin", BuiltinModel()),
        (" Builtin ", BuiltinModel()),
        ("ollama:qwen3:4b", OllamaModel("qwen3:4b", "http://127.0.0.1:11434")),
        ("ollama:hf.co/a/b:Q4@http://10.0.0.2:11434/", OllamaModel("hf.co/a/b:Q4", "http://10.0.0.2:11434")),
        ("openai:gpt@http://127.0.0.1:8000/v1", OpenAIModel("gpt", "http://127.0.0.1:8000/v1")),
        ("openai:a/b@https://[::1]:8000/v1/", OpenAIModel("a/b", "https://[::1]:8000/v1")),
        ("anthropic:claude-x", AnthropicModel("claude-x", "https://api.anthropic.com")),
        ("anthropic:claude-x@http://localhost:9", AnthropicModel("claude-x", "http://localhost:9")),
        ("local:/models/Chat.GGUF", LocalModel(Path("/models/Chat.GGUF"))),
    ],
)
def test_each_form_of_the_contract_is_read(text: str, model: Model) -> None:
    assert parse_model(text) == model


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "write one of builtin"),
        ("gpt-4", "names no kind of model"),
        ("builtin:x", "write just builtin"),
        ("ollama:", "names no model"),
        ("openai:gpt", "does not say where the server is"),
        ("openai:gpt@", "must begin with http"),
        ("openai:gpt@localhost:8000", "must begin with http"),
        ("openai:gpt@ftp://localhost/v1", "must begin with http"),
        ("openai:gpt@http://", "names no host"),
        ("openai:gpt@http://me:pw@host/v1", "carries a password"),
        ("openai:gpt@http://host/v1?key=1", "must end with its path"),
        ("local:/models/chat.bin", "path of a GGUF file"),
    ],
)
def test_an_error_says_what_is_wrong_and_what_to_write(text: str, says: str) -> None:
    with pytest.raises(BadModelNameError, match=says):
        parse_model(text)


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST", "127.0.0.1", "127.8.9.1", "[::1]", "[::ffff:127.0.0.1]"]
)
def test_loopback_is_local(host: str) -> None:
    assert is_local(f"http://{host}:8000/v1")


ELSEWHERE = """
    0.0.0.0 10.0.0.1 192.168.1.2 localhost.example.com 127.0.0.1.example.com example.com [::] [fe80::1]
    2130706433 0x7f.1 localhost@example.com [::ffff:10.0.0.1]
"""


@pytest.mark.parametrize("host", ["", *ELSEWHERE.split()])
def test_nothing_else_is_local(host: str) -> None:
    assert not is_local(f"http://{host}:8000/v1")


def test_what_stays_on_this_machine_is_known_from_the_choice() -> None:
    assert is_on_this_machine(parse_model("builtin"))
    assert is_on_this_machine(parse_model("local:/m.gguf"))
    assert is_on_this_machine(parse_model("ollama:x"))
    assert not is_on_this_machine(parse_model("anthropic:x"))


async def test_the_configured_model_is_chosen() -> None:
    chosen = await choose(ModelSettings(model="openai:m@http://127.0.0.1:9/v1"))
    assert chosen.model == OpenAIModel("m", "http://127.0.0.1:9/v1")
    assert chosen.why == "it is configured"


def test_the_key_is_not_shown() -> None:
    assert "sk-1" not in repr(ModelSettings(api_key="sk-1"))
    assert "sk-1" not in f"{ModelSettings(api_key='sk-1')}"


async def test_builtin_says_the_companions_own_words() -> None:
    async with language_model(ModelSettings(model="builtin", builtin_pace=0.0)) as model:
        assert not model.connected
        async with model.stream(PROMPT) as stream:
            pieces = [piece async for piece in stream]
    assert text_of(pieces) == PROMPT.own_words
    assert len(pieces) == 5
    assert end_of(pieces) == "stop"


async def chosen_with(*models: str, script: Script | None = None) -> Chosen:
    async with model_server(script or Script(), models=models) as server:
        return await choose(ModelSettings(ollama_url=server.url))


async def test_without_a_word_an_ollama_with_a_chat_model_is_taken() -> None:
    chosen = await chosen_with("nomic-embed-text:latest", "my-embedding:1", "qwen3:4b", "llama3.2:latest")
    assert isinstance(chosen.model, OllamaModel)
    assert chosen.model.name == "qwen3:4b"
    assert "has qwen3:4b" in chosen.why


async def test_a_model_that_can_only_embed_is_passed_over() -> None:
    chosen = await chosen_with("all-EMBEDS:1")
    assert chosen.model == BuiltinModel()
    assert "ollama pull" in chosen.why


async def test_without_an_ollama_builtin_answers() -> None:
    chosen = await choose(ModelSettings(ollama_url="http://127.0.0.1:1"))
    assert chosen == Chosen(
        BuiltinModel(), "no model is configured, and no Ollama answers at http://127.0.0.1:1"
    )


async def test_something_else_on_that_port_is_no_ollama() -> None:
    async def answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not (await reader.read(65_536)):
            writer.close()  # whether anybody listens was all that was asked
            return
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n<html>\xff\xff\xff")
        writer.close()

    async with await asyncio.start_server(answers, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        chosen = await choose(ModelSettings(ollama_url=f"http://127.0.0.1:{port}"))
    assert chosen.model == BuiltinModel()
    assert "no Ollama answers" in chosen.why
