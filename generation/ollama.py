"""Ollama's own chat API: one JSON object a line, the last one ``done``.

Its own API rather than its OpenAI-compatible one, because only here the length of the context can be set
and a model be kept in memory between two turns. Source: Ollama's API document and its pages on thinking and
tools.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from companions.ports import FinishReason, Piece, Prompt, PromptMessage, ToolCall, Usage
from generation.dialect import Answer, ErrorDetail, Habits, arguments_of, error_in_stream
from generation.lines import Lines
from generation.openai import tool_of

Json = dict[str, Any]  # Any: JSON of an outside format
REASONS: dict[str, FinishReason] = {"length": "length"}
OPTIONAL = {b"think": "think", b"support tools": "tools"}


class Function(msgspec.Struct, frozen=True, gc=False):
    """A tool called; the arguments are an object, kept as the model wrote it."""

    name: str = ""
    arguments: msgspec.Raw = msgspec.Raw(b"{}")


class Call(msgspec.Struct, frozen=True, gc=False):
    """A call, which newer servers give an id."""

    function: Function = Function()
    id: str = ""


class Message(msgspec.Struct, frozen=True, gc=False):
    """What one line adds to the answer."""

    content: str | None = None
    thinking: str | None = None
    tool_calls: list[Call] | None = None


class Line(msgspec.Struct, frozen=True, gc=False):
    """One line. What is not named here is skipped."""

    message: Message | None = None
    done: bool = False
    done_reason: str | None = None
    prompt_eval_count: int | None = None
    eval_count: int | None = None
    error: ErrorDetail | str | None = None


LINE = msgspec.json.Decoder(Line)


class ChatReader(Answer):
    """Reads the lines of one chat answer."""

    def __init__(self, habits: Habits) -> None:
        super().__init__(Lines(), habits)

    def _take(self, line: bytes, pieces: list[Piece]) -> None:
        said = LINE.decode(line)
        if said.error is not None:
            raise error_in_stream(said.error)
        if said.message is not None:
            self._message(said.message, pieces)
        if said.done:
            self._reason = REASONS.get(said.done_reason or "", "stop")
            if said.eval_count is not None:
                self._usage = Usage(
                    prompt_tokens=said.prompt_eval_count or 0, completion_tokens=said.eval_count
                )
            self._close(pieces)

    def _message(self, message: Message, pieces: list[Piece]) -> None:
        self._reasoning(message.thinking)
        if message.content:
            self._text(message.content, pieces)
        for call in message.tool_calls or ():
            self._call(
                ToolCall(
                    id=call.id or f"call_{len(self._calls)}",
                    name=call.function.name,
                    arguments=bytes(call.function.arguments).decode(),
                )
            )


class Ollama:
    """The request side. ``context`` is the model's window in tokens, ``keep`` how long it stays in memory."""

    kind = "ollama"
    path = "/api/chat"

    def __init__(
        self, name: str, habits: Habits, *, key: str = "", context: int | None = None, keep: str | None = None
    ) -> None:
        self.name = name
        self._habits = habits
        self._key = key
        self._context = context
        self._keep = keep

    def headers(self) -> Mapping[str, str]:
        """A key is needed behind a proxy only."""
        return {"authorization": f"Bearer {self._key}"} if self._key else {}

    def reader(self, prompt: Prompt) -> ChatReader:
        """A fresh reader."""
        del prompt
        return ChatReader(self._habits)

    def body(self, prompt: Prompt) -> bytes:
        """The request, as JSON. A model known to reason is asked to do it in a field of its own."""
        options: Json = {"temperature": prompt.temperature, "num_predict": self.most_tokens(prompt)}
        if self._context is not None:
            options["num_ctx"] = self._context
        if prompt.stop:
            options["stop"] = list(prompt.stop)
        body: Json = {"model": self.name, "messages": messages_of(prompt), "stream": True, "options": options}
        if self._keep is not None:
            body["keep_alive"] = self._keep
        if prompt.tools:
            body["tools"] = [tool_of(tool) for tool in prompt.tools]
        if prompt.schema is not None:
            body["format"] = prompt.schema
        if self._habits.opened:
            body["think"] = True
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
    """The prompt as chat messages, the system text first; an answer to a tool names the tool."""
    names = {call.id: call.name for message in prompt.messages for call in message.calls}
    system: list[Json] = [{"role": "system", "content": prompt.system}] if prompt.system else []
    return system + [message_of(message, names) for message in prompt.messages]


def message_of(message: PromptMessage, names: Mapping[str, str]) -> Json:
    """One turn."""
    turn: Json = {"role": message.role, "content": message.text}
    if message.role == "tool":
        turn["tool_name"] = names.get(message.call or "", "")
    if message.calls:
        turn["tool_calls"] = [
            {"function": {"name": call.name, "arguments": arguments_of(call)}} for call in message.calls
        ]
    return turn
