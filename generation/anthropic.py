"""Anthropic's messages API: named events that open, fill and close blocks.

Its own rules: the system text is a field, roles alternate and the first turn is the person's, and an answer
by a schema is a tool that must be called. Source: Anthropic's reference for messages and its page on
streaming.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from companions.ports import FinishReason, ModelError, Piece, Prompt, PromptMessage, ToolCall, Usage
from generation.dialect import (
    MOST_ARGUMENT_CHARACTERS,
    Answer,
    ErrorDetail,
    Habits,
    arguments_of,
    error_in_stream,
)
from generation.lines import Events

Json = dict[str, Any]  # Any: JSON of an outside format
VERSION = "2023-06-01"
ANSWER_TOOL = "answer"
BEFORE_THE_FIRST = "…"  # stands for what the person said before the first turn we show
REASONS: dict[str, FinishReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "refused",
}
OPTIONAL = {b"temperature": "temperature", b"stop_sequences": "stop_sequences"}


class Spent(msgspec.Struct, frozen=True, gc=False):
    """Tokens as the server counted them, those read from its cache apart."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None

    def prompt(self) -> int:
        """All tokens of the prompt."""
        cached = (self.cache_creation_input_tokens or 0) + (self.cache_read_input_tokens or 0)
        return (self.input_tokens or 0) + cached


class Opened(msgspec.Struct, frozen=True, gc=False):
    """The message at its start."""

    usage: Spent | None = None


class Block(msgspec.Struct, frozen=True, gc=False):
    """A block at its start: text, thinking, a tool."""

    type: str = ""
    id: str = ""
    name: str = ""
    text: str | None = None


class Delta(msgspec.Struct, frozen=True, gc=False):
    """What is added to a block, or to the message at its end."""

    type: str = ""
    text: str | None = None
    partial_json: str | None = None
    stop_reason: str | None = None


class Event(msgspec.Struct, frozen=True, gc=False):
    """The data of one event. What is not named here is skipped, unknown events too."""

    type: str = ""
    message: Opened | None = None
    content_block: Block | None = None
    delta: Delta | None = None
    usage: Spent | None = None
    error: ErrorDetail | str | None = None


EVENT = msgspec.json.Decoder(Event)


class MessageReader(Answer):
    """Reads the events of one message. With ``by_schema`` the input of the answer's tool is the answer."""

    def __init__(self, habits: Habits, *, by_schema: bool) -> None:
        super().__init__(Events(), habits)
        self._by_schema = by_schema
        self._prompt_tokens = 0
        self._tool: Block | None = None
        self._arguments: list[str] = []
        self._argument_characters = 0

    def _take(self, line: bytes, pieces: list[Piece]) -> None:
        event = EVENT.decode(line)
        match event.type:
            case "content_block_delta" if event.delta is not None:
                self._delta(event.delta, pieces)
            case "content_block_start" if event.content_block is not None:
                self._start(event.content_block, pieces)
            case "content_block_stop":
                self._stop()
            case "message_start" if event.message is not None and event.message.usage is not None:
                self._prompt_tokens = event.message.usage.prompt()
            case "message_delta":
                self._ending(event)
            case "message_stop":
                self._reason = self._reason or "stop"
                self._close(pieces)
            case "error":
                raise error_in_stream(event.error or "")
            case _:
                pass  # pings, and what later versions add

    def _start(self, block: Block, pieces: list[Piece]) -> None:
        if block.type == "tool_use":
            self._tool = block
            self._arguments, self._argument_characters = [], 0
        elif block.type == "text" and block.text:
            self._text(block.text, pieces)

    def _delta(self, delta: Delta, pieces: list[Piece]) -> None:
        match delta.type:
            case "text_delta":
                self._text(delta.text or "", pieces)
            case "thinking_delta" | "signature_delta":
                self._reasoning(delta.type)
            case "input_json_delta" if self._answers_by_tool():
                self._text(delta.partial_json or "", pieces)
            case "input_json_delta":
                self._argument(delta.partial_json or "")
            case _:
                pass

    def _argument(self, part: str) -> None:
        self.tokens += 1
        self._arguments.append(part)
        self._argument_characters += len(part)
        if self._argument_characters > MOST_ARGUMENT_CHARACTERS:
            raise ModelError("broken", "the model wrote arguments for a tool without end")

    def _answers_by_tool(self) -> bool:
        return self._by_schema and self._tool is not None and self._tool.name == ANSWER_TOOL

    def _stop(self) -> None:
        if self._tool is not None and not self._answers_by_tool():
            arguments = "".join(self._arguments) or "{}"
            self._call(ToolCall(id=self._tool.id, name=self._tool.name, arguments=arguments))
        self._tool = None

    def _ending(self, event: Event) -> None:
        if event.delta is not None and event.delta.stop_reason:
            reason = REASONS.get(event.delta.stop_reason, "stop")
            self._reason = "stop" if self._by_schema and reason == "tool_calls" else reason
        if event.usage is not None and event.usage.output_tokens is not None:
            self._usage = Usage(
                prompt_tokens=event.usage.prompt() or self._prompt_tokens,
                completion_tokens=event.usage.output_tokens,
            )


class Anthropic:
    """The request side."""

    kind = "anthropic"
    path = "/v1/messages"

    def __init__(self, name: str, habits: Habits, *, key: str = "") -> None:
        self.name = name
        self._habits = habits
        self._key = key

    def headers(self) -> Mapping[str, str]:
        """The version of the API, and the key."""
        return {"anthropic-version": VERSION, **({"x-api-key": self._key} if self._key else {})}

    def reader(self, prompt: Prompt) -> MessageReader:
        """A fresh reader."""
        return MessageReader(self._habits, by_schema=prompt.schema is not None)

    def body(self, prompt: Prompt) -> bytes:
        """The request, as JSON."""
        body: Json = {
            "model": self.name,
            "max_tokens": self.most_tokens(prompt),
            "messages": turns_of(prompt.messages),
            "stream": True,
            "temperature": min(1.0, prompt.temperature),
        }
        if prompt.system:
            body["system"] = prompt.system
        if stops := [stop for stop in prompt.stop if stop.strip()]:
            body["stop_sequences"] = stops
        tools = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in prompt.tools
        ]
        if prompt.schema is not None:
            tools = [{"name": ANSWER_TOOL, "description": "Give the answer.", "input_schema": prompt.schema}]
            body["tool_choice"] = {"type": "tool", "name": ANSWER_TOOL}
        elif not tools and (called := {call.name for message in prompt.messages for call in message.calls}):
            # A talk with calls in it must say what they called, also where the model may call no more.
            tools = [{"name": name, "input_schema": {"type": "object"}} for name in sorted(called)]
            body["tool_choice"] = {"type": "none"}
        if tools:
            body["tools"] = tools
        return msgspec.json.encode(
            {key: value for key, value in body.items() if key not in self._habits.without}
        )

    def most_tokens(self, prompt: Prompt) -> int:
        """The tokens asked for, reasoning included."""
        return self._habits.most_tokens(prompt)

    def learn(self, status: int, body: bytes) -> bool:
        """Drops the options that a refusal names."""
        return self._habits.drop(status, body, OPTIONAL)


def turns_of(messages: tuple[PromptMessage, ...]) -> list[Json]:
    """Alternating turns, the person's first: neighbours of one role are put together, empty ones left out."""
    turns: list[Json] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = blocks_of(message)
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"].extend(blocks)
        elif blocks:
            turns.append({"role": role, "content": blocks})
    if turns and turns[0]["role"] == "assistant":
        turns.insert(0, {"role": "user", "content": [{"type": "text", "text": BEFORE_THE_FIRST}]})
    return turns


def blocks_of(message: PromptMessage) -> list[Json]:
    """One message as blocks of content."""
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.call or "", "content": message.text}]
    blocks: list[Json] = [{"type": "text", "text": message.text}] if message.text.strip() else []
    calls = (
        {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments_of(call)}
        for call in message.calls
    )
    return [*blocks, *calls]
