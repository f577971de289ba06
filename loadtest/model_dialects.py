"""How OpenAI-compatible servers, Ollama and Anthropic write an answer, byte by byte.

A form turns what is said into the bytes of its dialect. Sources: OpenAI's reference for streamed chat
completions, vLLM's reasoning outputs, Ollama's API document, Anthropic's page on streaming messages.
"""

from collections.abc import Iterator
from typing import Any, Protocol

import msgspec

from loadtest.model_script import Call, Script

Json = dict[str, Any]  # Any: JSON of an outside format
encode = msgspec.json.encode
ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    500: "api_error",
    503: "api_error",
    529: "overloaded_error",
}


class Form(Protocol):
    """One dialect's way to write. ``said`` takes the thinking apart when the script says so."""

    content_type: str

    def begin(self) -> list[bytes]:
        """What comes before the first token."""
        ...

    def think(self, text: str, *, other_field: bool) -> bytes:
        """A token of reasoning in its own field."""
        ...

    def say(self, text: str) -> bytes:
        """A token of the answer."""
        ...

    def call(self, number: int, call: Call) -> list[bytes]:
        """A tool called."""
        ...

    def end(self, script: Script, counts: tuple[int, int]) -> list[bytes]:
        """The reason, the tokens of prompt and answer, the end."""
        ...

    def ping(self) -> bytes:
        """A sign of life that is no output."""
        ...

    def error(self) -> bytes:
        """An error in the middle of the stream."""
        ...

    def refusal(self, status: int, words: str) -> bytes:
        """The body that goes with a status."""
        ...


def event(data: bytes, name: bytes = b"") -> bytes:
    """One server-sent event."""
    return (b"event: " + name + b"\n" if name else b"") + b"data: " + data + b"\n\n"


def halves(text: str) -> Iterator[str]:
    """A text in two pieces, as arguments are streamed."""
    middle = len(text) // 2
    yield from (text[:middle], text[middle:])


class OpenAIForm:
    """Chat completions as server-sent events, closed by ``[DONE]``."""

    content_type = "text/event-stream; charset=utf-8"

    def __init__(self, request: Json, *, unknown_fields: bool) -> None:
        options: Json = request.get("stream_options") or {}
        self.count = bool(options.get("include_usage"))
        self.head: Json = {
            "id": "chatcmpl-7", "object": "chat.completion.chunk", "created": 1_700_000_000,
            "model": request.get("model", ""), "system_fingerprint": None,
        }  # fmt: skip
        if unknown_fields:
            self.head |= {"service_tier": "default", "obfuscation": "x8", "prompt_token_ids": None}
        before, self.after = self._chunk({"content": "\x00"}).split(b'"\\u0000"')
        self.before = before

    def _chunk(self, delta: Json, reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return event(encode({**self.head, "choices": [choice]}))

    def begin(self) -> list[bytes]:
        """As ``Form`` says."""
        return [self._chunk({"role": "assistant", "content": ""})]

    def think(self, text: str, *, other_field: bool) -> bytes:
        """As ``Form`` says."""
        return self._chunk({"reasoning" if other_field else "reasoning_content": text, "content": None})

    def say(self, text: str) -> bytes:
        """As ``Form`` says."""
        return self.before + encode(text) + self.after

    def call(self, number: int, call: Call) -> list[bytes]:
        """As ``Form`` says."""
        first = {
            "index": number,
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": ""},
        }
        rest = [{"index": number, "function": {"arguments": part}} for part in halves(call.arguments)]
        return [self._chunk({"tool_calls": [part]}) for part in (first, *rest)]

    def end(self, script: Script, counts: tuple[int, int]) -> list[bytes]:
        """As ``Form`` says."""
        reason = (
            "tool_calls" if script.calls else {"refused": "content_filter"}.get(script.finish, script.finish)
        )
        frames = [self._chunk({}, reason)]
        if self.count and script.count:
            usage = {"prompt_tokens": counts[0], "completion_tokens": counts[1], "total_tokens": sum(counts)}
            frames.append(event(encode({**self.head, "choices": [], "usage": usage})))
        return [*frames, event(b"[DONE]")]

    def ping(self) -> bytes:
        """As ``Form`` says."""
        return b": keep-alive\n\n"

    def error(self) -> bytes:
        """As ``Form`` says."""
        return event(encode({"error": {"message": "the engine died", "type": "server_error", "code": 500}}))

    def refusal(self, status: int, words: str) -> bytes:
        """As ``Form`` says."""
        return encode(
            {"error": {"message": words, "type": ERROR_TYPES.get(status, "api_error"), "code": None}}
        )


class OllamaForm:
    """Objects on lines; the last one says ``done``."""

    content_type = "application/x-ndjson"

    def __init__(self, request: Json, *, unknown_fields: bool) -> None:
        self.head: Json = {"model": request.get("model", ""), "created_at": "2025-10-26T17:15:24.097767Z"}
        if unknown_fields:
            self.head |= {"remote_model": "", "logprobs": []}

    def _line(self, message: Json, **more: object) -> bytes:
        return (
            encode({**self.head, "message": {"role": "assistant", **message}, "done": False, **more}) + b"\n"
        )

    def begin(self) -> list[bytes]:
        """As ``Form`` says."""
        return []

    def think(self, text: str, *, other_field: bool) -> bytes:  # noqa: ARG002  # it has one field
        """As ``Form`` says."""
        return self._line({"content": "", "thinking": text})

    def say(self, text: str) -> bytes:
        """As ``Form`` says."""
        return self._line({"content": text})

    def call(self, number: int, call: Call) -> list[bytes]:  # noqa: ARG002  # calls are not numbered
        """As ``Form`` says."""
        function = {"name": call.name, "arguments": msgspec.json.decode(call.arguments)}
        return [self._line({"content": "", "tool_calls": [{"function": function}]})]

    def end(self, script: Script, counts: tuple[int, int]) -> list[bytes]:
        """As ``Form`` says."""
        reason = "length" if script.finish == "length" else "stop"
        spent = {"total_duration": 5_000_000, "load_duration": 1_000_000}
        if script.count:
            spent |= {"prompt_eval_count": counts[0], "eval_count": counts[1]}
        return [self._line({"content": ""}, done=True, done_reason=reason, **spent)]

    def ping(self) -> bytes:
        """As ``Form`` says."""
        return b"\n"

    def error(self) -> bytes:
        """As ``Form`` says."""
        return encode({"error": "an error was encountered while running the model"}) + b"\n"

    def refusal(self, status: int, words: str) -> bytes:  # noqa: ARG002  # its errors are sentences
        """As ``Form`` says."""
        return encode({"error": words})


class AnthropicForm:
    """Named events: a message of blocks, each with a start, deltas and a stop."""

    content_type = "text/event-stream; charset=utf-8"

    def __init__(self, request: Json, *, unknown_fields: bool) -> None:
        self.model = request.get("model", "")
        self.more: Json = {"container": None} if unknown_fields else {}
        self.unknown = unknown_fields
        self.open: str | None = None
        self.blocks = 0

    def _event(self, type_: str, **fields: object) -> bytes:
        return event(encode({"type": type_, **fields, **self.more}), type_.encode())

    def _in_block(self, kind: str, start: Json) -> bytes:
        if self.open == kind:
            return b""
        closed = self._close()
        self.open = kind
        return closed + self._event(
            "content_block_start", index=self.blocks, content_block={"type": kind, **start}
        )

    def _close(self) -> bytes:
        if self.open is None:
            return b""
        self.open = None
        self.blocks += 1
        return self._event("content_block_stop", index=self.blocks - 1)

    def _delta(self, type_: str, field: str, text: str) -> bytes:
        return self._event("content_block_delta", index=self.blocks, delta={"type": type_, field: text})

    def begin(self) -> list[bytes]:
        """As ``Form`` says."""
        message: Json = {
            "id": "msg_7", "type": "message", "role": "assistant", "model": self.model, "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 25, "output_tokens": 1},
        }  # fmt: skip
        odd = [self._event("content_block_weather", sun=True)] if self.unknown else []
        return [self._event("message_start", message=message), self.ping(), *odd]

    def think(self, text: str, *, other_field: bool) -> bytes:  # noqa: ARG002  # it has one form
        """As ``Form`` says."""
        return self._in_block("thinking", {"thinking": "", "signature": ""}) + self._delta(
            "thinking_delta", "thinking", text
        )

    def say(self, text: str) -> bytes:
        """As ``Form`` says."""
        return self._in_block("text", {"text": ""}) + self._delta("text_delta", "text", text)

    def call(self, number: int, call: Call) -> list[bytes]:  # noqa: ARG002  # blocks are numbered together
        """As ``Form`` says."""
        start = self._close() + self._in_block("tool_use", {"id": call.id, "name": call.name, "input": {}})
        parts = ["", *halves(call.arguments)]
        return [
            start,
            *(self._delta("input_json_delta", "partial_json", part) for part in parts),
            self._close(),
        ]

    def end(self, script: Script, counts: tuple[int, int]) -> list[bytes]:
        """As ``Form`` says."""
        reasons = {"stop": "end_turn", "length": "max_tokens", "refused": "refusal"}
        reason = "tool_use" if script.calls else reasons[script.finish]
        delta = {"stop_reason": reason, "stop_sequence": None}
        usage = {"output_tokens": counts[1]}
        return [
            frame
            for frame in (
                self._close(),
                self._event("message_delta", delta=delta, usage=usage),
                self._event("message_stop"),
            )
            if frame
        ]

    def ping(self) -> bytes:
        """As ``Form`` says."""
        return self._event("ping")

    def error(self) -> bytes:
        """As ``Form`` says."""
        return self._event("error", error={"type": "overloaded_error", "message": "Overloaded"})

    def refusal(self, status: int, words: str) -> bytes:
        """As ``Form`` says."""
        error = {"type": ERROR_TYPES.get(status, "api_error"), "message": words}
        return encode({"type": "error", "error": error, "request_id": "req_7"})


def form_of(path: str, request: Json, *, unknown_fields: bool) -> Form | None:
    """The dialect that is spoken at a path."""
    match path:
        case "/v1/chat/completions":
            return OpenAIForm(request, unknown_fields=unknown_fields)
        case "/api/chat":
            return OllamaForm(request, unknown_fields=unknown_fields)
        case "/v1/messages":
            return AnthropicForm(request, unknown_fields=unknown_fields)
        case _:
            return None
