"""Which model answers is what the operator wrote, read strictly, or the nearest one."""

from pathlib import Path

import pytest

from generation.choose import ModelSettings, choose, language_model
from generation.http import is_local
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
from tests.generation.stage import PROMPT, end_of, text_of


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
