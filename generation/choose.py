"""Which language model answers, and why.

What is configured is used; else an Ollama on this machine that has a chat model; else ``builtin``. The
reason is kept in words, for whoever asks the server what it chose.
"""

import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Literal, assert_never

import anyio
import msgspec

from companions.ports import LanguageModel
from generation.anthropic import Anthropic
from generation.builtin import Builtin
from generation.deadlines import Deadlines
from generation.dialect import Dialect, Habits
from generation.gate import Gate
from generation.local import LocalSettings, serving
from generation.naming import (
    OLLAMA_URL,
    AnthropicModel,
    BuiltinModel,
    LocalModel,
    Model,
    OllamaModel,
    OpenAIModel,
    parse_model,
)
from generation.nearby import nearby_ollama
from generation.ollama import Ollama
from generation.openai import OpenAI
from generation.patience import Breaker, Retries
from generation.reasoning import opened_by_template
from generation.remote import RemoteModel
from generation.upstream import upstream

SHARES_A_MACHINE = frozenset({"ollama", "local"})  # where a job at the same time would slow a person's answer
SLOTS = {"ollama": 8, "openai": 256, "anthropic": 64}  # what a usual server of the kind takes at once


class ModelSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an operator says about the model.

    ``model`` as in ``generation.naming``, None to choose. ``reasoning``: whether answers begin inside
    reasoning (``opened``), never do (``tags``), or as the model's name suggests; ``reasoning_tokens`` is
    what a model that reasons may write beyond its answer. ``most_at_once`` None takes a figure by kind.
    ``context_tokens`` and ``keep_alive`` are for Ollama: the window to open, and how long a model stays in
    memory after a turn. Durations are seconds.
    """

    model: str | None = None
    api_key: str = ""
    reasoning: Literal["auto", "opened", "tags"] = "auto"
    reasoning_tokens: int = 2_048
    most_at_once: int | None = None
    most_waiting: int = 1_000
    breaker_failures: int = 5
    breaker_rest: float = 10.0
    builtin_pace: float = 0.02
    deadlines: Deadlines = Deadlines()
    retries: Retries = Retries()
    local: LocalSettings = LocalSettings()
    context_tokens: int | None = None
    keep_alive: str | None = "30m"
    ollama_url: str = OLLAMA_URL

    def __repr__(self) -> str:
        return f"ModelSettings(model={self.model!r}, api_key={'set' if self.api_key else 'not set'})"


class Chosen(msgspec.Struct, frozen=True):
    """The model that answers; ``why`` is a part of a sentence for the operator."""

    model: Model
    why: str


async def choose(settings: ModelSettings) -> Chosen:
    """The model to use. Raises ``BadModelNameError``; looks for an Ollama only when nothing is configured."""
    if settings.model:
        return Chosen(parse_model(settings.model), "it is configured")
    found = await nearby_ollama(settings.ollama_url)
    return Chosen(found.model or BuiltinModel(), f"no model is configured, and {found.why}")


@asynccontextmanager
async def language_model(
    settings: ModelSettings, chosen: Chosen | None = None
) -> AsyncGenerator[LanguageModel]:
    """The chosen model, ready to stream; its connections are closed at the end.

    Raises ``BadModelNameError`` and ``LocalModelError``. That a server does not answer shows in the first
    answer.
    """
    model = (chosen or await choose(settings)).model
    match model:
        case BuiltinModel():
            yield Builtin(pace=settings.builtin_pace)
        case LocalModel():
            async with serving(model.file, settings.local) as server:
                habits = _habits(settings, model.file.stem)
                dialect = OpenAI(model.file.stem, habits, key=server.key, kind="local")
                async with _remote(settings, server.url, dialect) as remote:
                    yield remote
        case OllamaModel() | OpenAIModel() | AnthropicModel():
            async with _remote(settings, model.url, _dialect(settings, model)) as remote:
                yield remote
        case _:
            assert_never(model)


def _dialect(settings: ModelSettings, model: OllamaModel | OpenAIModel | AnthropicModel) -> Dialect:
    habits = _habits(settings, model.name)
    key = settings.api_key
    match model:
        case OllamaModel():
            context, keep = settings.context_tokens, settings.keep_alive
            return Ollama(model.name, habits, key=key, context=context, keep=keep)
        case OpenAIModel():
            return OpenAI(model.name, habits, key=key)
        case AnthropicModel():
            return Anthropic(model.name, habits, key=key)
        case _:
            assert_never(model)


def _habits(settings: ModelSettings, name: str) -> Habits:
    auto = settings.reasoning == "auto"
    opened = opened_by_template(name) if auto else settings.reasoning == "opened"
    return Habits(opened=opened, learns=auto, reasoning_tokens=settings.reasoning_tokens)


@asynccontextmanager
async def _remote(settings: ModelSettings, url: str, dialect: Dialect) -> AsyncGenerator[RemoteModel]:
    slots = settings.most_at_once or SLOTS.get(dialect.kind, settings.local.slots)
    async with upstream(url, most_connections=slots + 1) as server:
        yield RemoteModel(
            dialect,
            server,
            Gate(slots, most_waiting=settings.most_waiting, apart=dialect.kind in SHARES_A_MACHINE),
            Breaker(failures=settings.breaker_failures, rest=settings.breaker_rest, now=anyio.current_time),
            deadlines=settings.deadlines,
            retries=settings.retries,
            chance=random.random,
        )
