"""Streams that Hypothesis makes: nothing but ``ModelError`` comes out of them, and nothing piles up."""

import asyncio
import tracemalloc
from collections.abc import Callable

import anyio
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companions.ports import Finished, LanguageModel, ModelError, Piece
from generation.anthropic import MessageReader
from generation.choose import ModelSettings, language_model
from generation.dialect import Habits, Reader
from generation.lines import MOST_LINE_BYTES
from generation.ollama import ChatReader as OllamaReader
from generation.openai import ChatReader as OpenAIReader
from loadtest.model_dialects import form_of
from loadtest.model_play import answer
from loadtest.model_script import Call, Script, Thinking
from tests import clock
from tests.generation.stage import KINDS, PROMPT, text_of

PATHS = {"openai": "/v1/chat/completions", "ollama": "/api/chat", "anthropic": "/v1/messages"}
READERS: dict[str, Callable[[], Reader]] = {
    "openai": lambda: OpenAIReader(Habits()),
    "ollama": lambda: OllamaReader(Habits()),
    "anthropic": lambda: MessageReader(Habits(), by_schema=False),
}
CALL = Call(name="weather", arguments='{"city":"Lisbon"}')


def stream_of(kind: str, script: Script) -> bytes:
    """A good answer's body, without HTTP around it."""
    question = {"model": "m", "stream_options": {"include_usage": True}}
    form = form_of(PATHS[kind], question, unknown_fields=False)
    assert form is not None
    return b"".join([*form.begin(), *answer(script, form, question), *form.end(script, (5, 7))])


def read(reader: Reader, chunks: list[bytes]) -> list[Piece]:
    pieces: list[Piece] = []
    for chunk in chunks:
        pieces += reader.feed(chunk)
    if not (pieces and isinstance(pieces[-1], Finished)):
        pieces += reader.end()
    return pieces


def outcome(reader: Reader, chunks: list[bytes]) -> list[Piece] | str:
    try:
        return read(reader, chunks)
    except ModelError as error:
        return error.fault


def cut(data: bytes, borders: list[int]) -> list[bytes]:
    places = sorted({border % (len(data) + 1) for border in borders})
    return [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]


BORDERS = st.lists(st.integers(0, 100_000), max_size=40)
DAMAGE = st.lists(st.tuples(st.integers(0, 100_000), st.binary(max_size=6), st.integers(0, 40)), max_size=5)
NAMES = [
    "choices",
    "delta",
    "content",
    "message",
    "type",
    "error",
    "usage",
    "index",
    "tool_calls",
    "function",
    "arguments",
    "name",
    "done",
    "finish_reason",
    "content_block",
    "text",
    "partial_json",
    "stop_reason",
    "reasoning",
    "thinking",
    "id",
    "done_reason",
    "eval_count",
]
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from([*NAMES, "tool_use", "[DONE]"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)
FORMS: list[Thinking] = ["none", "field", "tags", "nested", "harmony"]


@pytest.mark.parametrize("kind", KINDS)
@given(borders=BORDERS, thinking=st.sampled_from(FORMS), text=st.text(max_size=30))
def test_the_pieces_are_the_same_wherever_the_bytes_are_cut(
    kind: str, borders: list[int], thinking: Thinking, text: str
) -> None:
    text = "".join(letter for letter in text if letter not in "<[◁" and not 0xD800 <= ord(letter) < 0xE000)
    stream = stream_of(kind, Script(text=f"I said {text}.", thinking=thinking, calls=(CALL,)))
    pieces = read(READERS[kind](), cut(stream, borders))
    assert text_of(pieces) == f"I said {text}."
    assert pieces == read(READERS[kind](), [stream])


@pytest.mark.parametrize("kind", KINDS)
@given(borders=BORDERS, damage=DAMAGE, thinking=st.sampled_from(FORMS))
def test_a_damaged_stream_gives_pieces_or_a_fault(
    kind: str, borders: list[int], damage: list[tuple[int, bytes, int]], thinking: Thinking
) -> None:
    stream = stream_of(kind, Script(thinking=thinking, calls=(CALL,)))
    for place, inserted, removed in damage:
        at = place % len(stream)
        stream = stream[:at] + inserted + stream[at + removed :]
    assert isinstance(outcome(READERS[kind](), cut(stream, borders)), list | str)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fault", ["half an object", "a line without end", "an error of the server"])
def test_what_comes_before_a_fault_is_kept_also_where_both_are_one_chunk(kind: str, fault: str) -> None:
    form = form_of(PATHS[kind], {}, unknown_fields=False)
    assert form is not None
    said = form.say("It is good")
    broken = {
        "half an object": said.rstrip(b"\n")[:-9] + b"\n\n",
        "a line without end": b"x" * (MOST_LINE_BYTES + 1),
        "an error of the server": form.error(),
    }
    reader = READERS[kind]()
    assert text_of(reader.feed(said + broken[fault])) == "It is good"
    with pytest.raises(ModelError):
        reader.check()


@pytest.mark.parametrize("kind", KINDS)
@given(chunks=st.lists(st.binary(max_size=60), max_size=20))
def test_bytes_of_any_kind_give_pieces_or_a_fault(kind: str, chunks: list[bytes]) -> None:
    assert isinstance(outcome(READERS[kind](), chunks), list | str)


@pytest.mark.parametrize("kind", KINDS)
@given(value=ANY_JSON)
def test_json_of_any_shape_gives_pieces_or_a_fault(kind: str, value: object) -> None:
    line = msgspec.json.encode(value)
    data = line + b"\n" if kind == "ollama" else b"data: " + line + b"\n\n"
    assert isinstance(outcome(READERS[kind](), [data]), list | str)


ENDLESS = {
    "openai": [
        b": ping\n\n",
        b'data: {"choices":[]}\n\n',
        b'data: {"choices":[{"delta":{"reasoning":"hm"}}]}\n\n',
    ],
    "ollama": [b"\n", b'{"done":false}\n', b'{"message":{"thinking":"hm"}}\n'],
    "anthropic": [
        b'event: ping\ndata: {"type":"ping"}\n\n',
        b'data: {"type":"later"}\n\n',
        b'data: {"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"hm"}}\n\n',
    ],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("which", [0, 1, 2])
def test_an_endless_stream_keeps_memory_flat(kind: str, which: int) -> None:
    reader = READERS[kind]()
    chunk = ENDLESS[kind][which] * 100
    reader.feed(chunk)
    tracemalloc.start()
    try:
        for _ in range(100):
            assert reader.feed(chunk) == []
        assert tracemalloc.get_traced_memory()[0] < 20_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_arguments_without_end_are_refused(kind: str) -> None:
    reader = READERS[kind]()
    part = b"x" * 1_000
    if kind == "openai":
        line = b'data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"%b"}}]}}]}\n\n' % part
    else:
        reader.feed(b'data: {"type":"content_block_start","content_block":{"type":"tool_use"}}\n\n')
        delta = b'{"type":"input_json_delta","partial_json":"%b"}' % part
        line = b'data: {"type":"content_block_delta","delta":%b}\n\n' % delta
    assert outcome(reader, [line] * 1_000) == "broken"


async def all_of(model: LanguageModel) -> list[Piece]:
    async with model.stream(PROMPT) as stream:
        return [piece async for piece in stream]


@settings(max_examples=40, deadline=None)
@given(
    head=st.sampled_from(
        [
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n",
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
            b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n",
            b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n",
            b"HTTP/1.1 500 \r\ntransfer-encoding: chunked\r\n\r\n",
            b"HTTP/1.1 429 Slow\r\nretry-after: never\r\n\r\n",
            b"",
        ]
    ),
    body=st.lists(
        st.binary(max_size=60) | st.sampled_from([b"5\r\ndata:\r\n", b"0\r\n\r\n", b"data: {}\n\n"]),
        max_size=6,
    ),
)
def test_answers_of_any_bytes_end_in_time_with_a_fault(head: bytes, body: list[bytes]) -> None:
    async def answers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.writelines([head, *body])
        writer.close()

    async def main() -> float:
        server = await asyncio.start_server(answers, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, language_model(ModelSettings(model=f"openai:m@http://127.0.0.1:{port}")) as model:
            start = anyio.current_time()
            with pytest.raises(ModelError):
                await all_of(model)
            return anyio.current_time() - start

    assert clock.run(main) <= 21
