"""Chat completions as OpenAI defined them and vLLM, llama.cpp, LM Studio, DeepSeek and others speak them.

Sources: OpenAI's API reference for chat completions and its streaming; vLLM's page on reasoning outputs
(``reasoning_content``, later ``reasoning``); the README of llama.cpp's server. Where servers differ the
reader takes each form, and the request learns from refusals which options a server does without.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from companions.ports import FinishReason, ModelError, Piece, Prompt, PromptMessage, Tool, ToolCall, Usage
from generation.dialect import (
    MOST_ARGUMENT_CHARACTERS,
    MOST_CALLS,
    Answer,
    ErrorDetail,
    Habits,
    arguments_of,
    error_in_stream,
)
from generation.lines import Events

Json = dict[str, Any]  # Any: JSON of an outside format
REASONS: dict[str, FinishReason] = {
    "stop": "stop",
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "refused",
}
OPTIONAL = {
    b"stream_options": "stream_options",
    b"response_format": "response_format",
    b"temperature": "temperature",
    b"max_tokens": "max_tokens",
    b"tools": "tools",
    b"tool choice": "tools",  # vLLM without a parser for tool calls
}


class Function(msgspec.Struct, frozen=True, gc=False):
    """A part of a call: the name comes once, the arguments piece by piece."""

    name: str | None = None
    arguments: str | None = None


class CallDelta(msgspec.Struct, frozen=True, gc=False):
    """A part of the call at ``index``."""

    index: int = 0
    id: str | None = None
    function: Function | None = None


class Part(msgspec.Struct, frozen=True, gc=False):
    """Content as a list (Mistral): text, or thinking whose text is elsewhere."""

    type: str = ""
    text: str | None = None


class Delta(msgspec.Struct, frozen=True, gc=False):
    """What one event adds to the answer."""

    content: str | list[Part] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: list[CallDelta] | None = None


class Choice(msgspec.Struct, frozen=True, gc=False):
    """We ask for one choice, so there is one."""

    delta: Delta | None = None
    finish_reason: str | None = None


class Count(msgspec.Struct, frozen=True, gc=False):
    """Tokens as the server counted them."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Chunk(msgspec.Struct, frozen=True, gc=False):
    """The data of one event. What is not named here is skipped."""

    choices: list[Choice] | None = None
    usage: Count | None = None
    error: ErrorDetail | str | None = None


CHUNK = msgspec.json.Decoder(Chunk)


class OpenCall:
    """A call that is still being written."""

    def __init__(self, id_: str | None) -> None:
        self.id = id_
        self.name = ""
        self.arguments: list[str] = []


class ChatReader(Answer):
    """Reads the events of one chat completion."""

    def __init__(self, habits: Habits) -> None:
        super().__init__(Events(), habits)
        self._open_calls: dict[int, OpenCall] = {}
        self._last_call: dict[int, int] = {}  # the server's index to ours
        self._argument_characters = 0

    def _take(self, line: bytes, pieces: list[Piece]) -> None:
        if line == b"[DONE]":
            self._reason = self._reason or "stop"
            self._close(pieces)
            return
        chunk = CHUNK.decode(line)
        if chunk.error is not None:
            raise error_in_stream(chunk.error)
        if chunk.usage is not None:
            self._usage = Usage(
                prompt_tokens=chunk.usage.prompt_tokens or 0,
                completion_tokens=chunk.usage.completion_tokens or 0,
            )
        if chunk.choices:
            self._choice(chunk.choices[0], pieces)

    def _choice(self, choice: Choice, pieces: list[Piece]) -> None:
        delta = choice.delta
        if delta is not None:
            if delta.content:
                self._content(delta.content, pieces)
            if delta.reasoning_content or delta.reasoning:
                self._reasoning(delta.reasoning_content or delta.reasoning)
            if delta.tool_calls:
                for part in delta.tool_calls:
                    self._call_part(part)
            if delta.refusal:
                self.tokens += 1
                self._reason = "refused"
        if choice.finish_reason and self._reason is None:
            self._reason = REASONS.get(choice.finish_reason, "stop")

    def _content(self, content: str | list[Part], pieces: list[Piece]) -> None:
        if isinstance(content, str):
            self._text(content, pieces)
            return
        for part in content:
            if part.type == "text":
                self._text(part.text or "", pieces)
            else:
                self._reasoning(part.type or "thinking")

    def _call_part(self, part: CallDelta) -> None:
        call = self._call_at(part)
        self.tokens += 1
        if part.function is not None:
            call.name = call.name or part.function.name or ""
            call.arguments.append(part.function.arguments or "")
            self._argument_characters += len(part.function.arguments or "")
            if self._argument_characters > MOST_ARGUMENT_CHARACTERS:
                raise ModelError("broken", "the model wrote arguments for a tool without end")

    def _call_at(self, part: CallDelta) -> OpenCall:
        """The call a part belongs to. Some servers give every call index 0 and a new id."""
        at = self._last_call.get(part.index)
        known = None if at is None else self._open_calls[at]
        if known is not None and (part.id is None or part.id in ("", known.id)):
            return known
        if len(self._open_calls) == MOST_CALLS:
            raise ModelError("broken", "the model called more tools than any answer needs")
        self._last_call[part.index] = at = len(self._open_calls)
        self._open_calls[at] = call = OpenCall(part.id)
        return call

    def _close(self, pieces: list[Piece]) -> None:
        for at, call in self._open_calls.items():
            arguments = "".join(call.arguments) or "{}"
            self._calls.append(ToolCall(id=call.id or f"call_{at}", name=call.name, arguments=arguments))
        self._open_calls = {}
        super()._close(pieces)


class OpenAI:
    """The request side; ``key`` may be empty."""

    path = "/chat/completions"

    def __init__(self, name: str, habits: Habits, *, key: str = "", kind: str = "openai") -> None:
        self.kind = kind
        self.name = name
        self._habits = habits
        self._key = key

    def headers(self) -> Mapping[str, str]:
        """What goes with each request, the key included."""
        return {"authorization": f"Bearer {self._key}"} if self._key else {}

    def reader(self, prompt: Prompt) -> ChatReader:
        """A fresh reader."""
        del prompt
        return ChatReader(self._habits)

    def body(self, prompt: Prompt) -> bytes:
        """The request, as JSON."""
        body: Json = {
            "model": self.name,
            "messages": messages_of(prompt),
            "stream": True,
            "stream_options": {"include_usage": True},
            "temperature": prompt.temperature,
            "max_tokens": self.most_tokens(prompt),
        }
        if prompt.stop:
            body["stop"] = list(prompt.stop)
        if prompt.tools:
            body["tools"] = [tool_of(tool) for tool in prompt.tools]
        if prompt.schema is not None:
            format_ = {"name": "answer", "strict": True, "schema": prompt.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": format_}
        if "max_tokens" in self._habits.without:  # OpenAI's reasoning models know it by its newer name only
            body["max_completion_tokens"] = self.most_tokens(prompt)
        return msgspec.json.encode(
            {key: value for key, value in body.items() if key not in self._habits.without}
        )

    def most_tokens(self, prompt: Prompt) -> int:
        """The tokens asked for, reasoning included."""
        return self._habits.most_tokens(prompt)

    def learn(self, status: int, body: bytes) -> bool:
        """Drops the options that a refusal names."""
        return self._habits.drop(status, body, OPTIONAL)


def messages_of(prompt: Prompt) -> list[Json]:
    """The prompt as chat messages, the system text first."""
    system: list[Json] = [{"role": "system", "content": prompt.system}] if prompt.system else []
    return system + [message_of(message) for message in prompt.messages]


def message_of(message: PromptMessage) -> Json:
    """One turn: an answer to a tool names its call, an answer that calls tools carries the calls."""
    if message.role == "tool":
        return {"role": "tool", "content": message.text, "tool_call_id": message.call or ""}
    if message.calls:
        return {
            "role": message.role,
            "content": message.text or None,
            "tool_calls": [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": bytes(arguments_of(call)).decode()},
                }
                for call in message.calls
            ],
        }
    return {"role": message.role, "content": message.text}


def tool_of(tool: Tool) -> Json:
    """A tool as both OpenAI and Ollama describe one."""
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
    }
