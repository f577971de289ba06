"""A script as a row of steps: how long to wait, then bytes to write or something to do to the connection."""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from loadtest.model_dialects import Form, Json
from loadtest.model_script import BIG, Script, tokens_of

Action: TypeAlias = Literal["reset", "close", "hang", "hold", "end"]
Step: TypeAlias = tuple[float, bytes | Action]
CHUNK_END = b"\r\n"
PING_EVERY = 1.0
DRIP_EVERY = 0.5


def chunk(data: bytes) -> bytes:
    """Bytes as one chunk of an HTTP body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def last_user_text(request: Json) -> str:
    """The last message of a request, whatever its dialect."""
    messages: list[Json] = request.get("messages") or [{}]
    content: str | list[Json] = messages[-1].get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def thought(script: Script, form: Form) -> Iterator[bytes]:
    """The reasoning before the answer, in the form the script asks for."""
    words = tokens_of(script.thought, None)
    match script.thinking:
        case "none":
            return
        case "field" | "other_field":
            yield from (form.think(word, other_field=script.thinking == "other_field") for word in words)
        case "tags":
            yield from map(form.say, ["<think>", "\n", *words, "\n</think>", "\n\n"])
        case "unclosed":
            yield from map(form.say, ["<think>\n", *words])
        case "no_opening":
            yield from map(form.say, [*words, "\n</thi", "nk>\n\n"])
        case "nested":
            yield from map(form.say, ["<think>", *words, "<think>", *words, "</think>", *words, "</think>"])
        case "empty_tags":
            yield from map(form.say, ["<think>", "\n\n", "</think>", "\n\n"])
        case "harmony":
            marks = ["<|channel|>", "analysis", "<|message|>", *words, "<|end|>"]
            yield from map(
                form.say, [*marks, "<|start|>", "assistant", "<|channel|>", "final", "<|message|>"]
            )


def answer(script: Script, form: Form, request: Json) -> Iterator[bytes]:
    """The frames of the answer's tokens."""
    yield from thought(script, form)
    if script.thinking == "unclosed" or script.fault == "empty":
        return
    text = last_user_text(request) if script.fault == "echo" else script.text
    if script.fault == "role_markers":
        text += "\nUser: And then?\nAssistant: Then we rest.<|im_end|>\n<|im_start|>user\nYes."
    tokens = tokens_of(text, script.tokens)
    while True:
        yield from map(form.say, tokens)
        if script.fault != "never_end":
            break
    for number, call in enumerate(script.calls):
        yield from form.call(number, call)


def body(script: Script, form: Form, request: Json, prompt_tokens: int) -> Iterator[Step]:
    """The steps of a good status's body, the script's fault included."""
    pause = 1 / script.tokens_per_second if script.tokens_per_second else 0.0
    if script.fault == "stall_first":
        yield 0.0, "hang"
    for frame in form.begin():
        yield 0.0, chunk(frame)
    count = 0
    for frame in answer(script, form, request):
        if count == script.hold_after:
            yield 0.0, "hold"
        if count == script.fault_after:
            yield from broken(script, form, frame)
        yield (pause if count else script.first_token), chunk(frame)
        count += 1
    if script.fault == "no_end":
        yield pause, chunk(b"") + CHUNK_END
        return
    frames = form.end(script, (prompt_tokens, count))
    if script.fault == "no_newline":
        frames[-1] = frames[-1].rstrip(b"\n")
    for frame in frames:
        yield pause, chunk(frame)
    yield 0.0, b"0\r\n\r\n"


def broken(script: Script, form: Form, frame: bytes) -> Iterator[Step]:
    """What goes wrong in the middle; nothing when the script has no such fault."""
    match script.fault:
        case "stall":
            yield 0.0, "hang"
        case "pings":
            while True:
                yield PING_EVERY, chunk(form.ping())
        case "drip":
            while True:
                for at in range(len(frame) - 2):
                    yield DRIP_EVERY, chunk(frame[at : at + 1])
        case "half_utf8":
            sentence = form.say("ok 🌻").replace("🌻".encode(), b"\xf0\x9f\x8c")
            yield 0.0, chunk(sentence)
        case "long_line":
            for _ in range(BIG // 65_536):
                yield 0.0, chunk(b"x" * 65_536)
        case "cut":
            yield 0.0, "close"
        case "reset":
            yield 0.0, "reset"
        case "error_in_stream":
            yield 0.0, chunk(form.error())
            yield 0.0, b"0\r\n\r\n"
            yield 0.0, "end"
        case "garbage":
            yield 0.0, chunk(bytes(range(256)) * 8 + b"\n\n")
        case "half_json":
            yield 0.0, chunk(frame.rstrip(b"\n")[:-9] + b"\n\n")
        case _:
            return
