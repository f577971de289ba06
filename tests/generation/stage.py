"""What the tests of the models share: a model against our model server, and the sum of what it said."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import msgspec

from companions.ports import Finished, LanguageModel, Piece, Prompt, PromptMessage, Text, ToolCall, Usage
from generation.choose import ModelSettings, language_model
from generation.upstream import adapter
from loadtest.model_script import Script
from loadtest.model_server import ModelServer, model_server

KINDS = ["openai", "ollama", "anthropic"]
PROMPT = Prompt(
    system="You are kind.",
    messages=(PromptMessage(role="user", text="Good morning!"),),
    max_tokens=200,
    own_words="Good morning to you.",
    user="user_1",
)


adapter()  # or it would be loaded on a thread of its own, beside a clock that jumps


@dataclass
class Stage:
    """The model and the server it talks to."""

    model: LanguageModel
    server: ModelServer

    async def pieces(self, prompt: Prompt = PROMPT) -> list[Piece]:
        async with self.model.stream(prompt) as stream:
            return [piece async for piece in stream]


def address(kind: str, server: ModelServer) -> str:
    return f"{kind}:test-model@{server.url}" + ("/v1" if kind == "openai" else "")


@asynccontextmanager
async def stage(kind: str, *scripts: Script, settings: ModelSettings | None = None) -> AsyncGenerator[Stage]:
    async with model_server(*scripts) as server:
        settings = msgspec.structs.replace(settings or ModelSettings(), model=address(kind, server))
        async with language_model(settings) as model:
            yield Stage(model, server)


def text_of(pieces: Sequence[Piece]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, Text))


def calls_of(pieces: Sequence[Piece]) -> list[ToolCall]:
    return [piece for piece in pieces if isinstance(piece, ToolCall)]


def usage_of(pieces: Sequence[Piece]) -> Usage | None:
    return next((piece for piece in pieces if isinstance(piece, Usage)), None)


def end_of(pieces: Sequence[Piece]) -> str:
    assert isinstance(pieces[-1], Finished)
    assert sum(isinstance(piece, Finished) for piece in pieces) == 1
    return pieces[-1].reason
