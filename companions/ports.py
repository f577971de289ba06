"""What the core asks of the outside: a language model, an embedder.

An adapter implements a port and lives in another room; the core knows only these shapes.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal, Protocol, TypeAlias

import msgspec

PromptRole: TypeAlias = Literal["user", "assistant", "tool"]
FinishReason: TypeAlias = Literal["stop", "length", "tool_calls", "refused"]
ModelFault: TypeAlias = Literal[
    "unreachable",  # no connection, or it broke before the first token
    "refused",  # the server understood and will not (4xx other than those below)
    "unauthorized",  # 401, 403
    "rate_limited",  # 429
    "overloaded",  # 5xx, circuit open, no free slot in time
    "first_token",  # nothing within the deadline for the first token
    "stalled",  # a gap between tokens longer than its deadline, or the total was exceeded
    "broken",  # the stream is not what its protocol promises, or ended in the middle
    "unknown_model",  # the server does not have that model
]


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A function the model may call; ``parameters`` is its JSON Schema."""

    name: str
    description: str
    parameters: dict[str, Any]  # a JSON Schema is open by definition


class ToolCall(msgspec.Struct, frozen=True, kw_only=True, tag="tool_call"):
    """The model asks for a tool; ``arguments`` is the JSON text as the model wrote it, complete."""

    id: str
    name: str
    arguments: str


class ToolAnswer(msgspec.Struct, frozen=True):
    """What a tool gives to the model, and the ids of the person's messages that are in it."""

    text: str
    found: tuple[str, ...] = ()


class PromptMessage(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of the prompt; a ``tool`` turn answers the call named by ``call``."""

    role: PromptRole
    text: str
    calls: tuple[ToolCall, ...] = ()
    call: str | None = None


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a model is given for one answer.

    ``own_words`` is what the companion says by itself for this turn, from its own texts: the builtin model
    streams it, and it is the fall-back when a model fails. ``schema`` asks for constrained decoding where the
    backend has it. ``user`` keys the fair queue and is never sent; ``background`` is a job, which gives way
    to people in it.
    """

    system: str
    messages: tuple[PromptMessage, ...]
    max_tokens: int
    temperature: float = 0.7
    stop: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()
    schema: dict[str, Any] | None = None  # a JSON Schema is open by definition
    own_words: str = ""
    user: str = ""
    background: bool = False


class Text(msgspec.Struct, frozen=True, tag="text"):
    """Words for the person. Reasoning has been cut from them by the adapter."""

    text: str


class Usage(msgspec.Struct, frozen=True, tag="usage"):
    """Tokens as the server counted them."""

    prompt_tokens: int
    completion_tokens: int


class Finished(msgspec.Struct, frozen=True, tag="finished"):
    """The model is done; no piece follows."""

    reason: FinishReason


Piece: TypeAlias = Text | ToolCall | Usage | Finished


class ModelError(Exception):
    """The model failed. ``fault`` says how; the message holds no word of the prompt or of the answer."""

    def __init__(self, fault: ModelFault, message: str) -> None:
        super().__init__(message)
        self.fault: ModelFault = fault


class GaveWay(ModelError):
    """A job let a person have the model; it comes back later and has not failed."""

    def __init__(self) -> None:
        super().__init__("overloaded", "people need the model")


class LanguageModel(Protocol):
    """A stream of pieces from a prompt. Leaving the context closes the upstream request at once.

    Entering or iterating raises ``ModelError``. A stream ends with ``Finished``.
    """

    kind: str
    name: str
    connected: bool  # False for ``builtin``: no language model answers

    def stream(self, prompt: Prompt) -> AbstractAsyncContextManager[AsyncIterator[Piece]]:
        """The pieces of one answer."""
        ...


class Embedder(Protocol):
    """Vectors of unit length, one for each text, all of ``dimension``."""

    name: str
    dimension: int

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """The vectors of ``texts``, in order; raises ``ModelError``."""
        ...
