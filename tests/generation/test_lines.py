"""Lines and events are the same wherever the bytes are cut, and what is kept of them is bounded."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.lines import MOST_LINE_BYTES, Events, Lines, LineTooLongError


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    chunks: list[bytes] = []
    for size in sizes:
        chunks.append(data[:size])
        data = data[size:]
    return [*chunks, data]


def lines_of(chunks: list[bytes]) -> list[bytes]:
    lines = Lines()
    return [line for chunk in chunks for line in lines.feed(chunk)] + lines.end()


def events_of(chunks: list[bytes]) -> list[bytes]:
    events = Events()
    return [event for chunk in chunks for event in events.feed(chunk)] + events.end()


def fed(splitter: Lines | Events, chunk: bytes) -> None:
    for _ in range(1_000):
        splitter.feed(chunk)


ENDS = st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b"a", b"bc"]), max_size=30).map(b"".join)
SIZES = st.lists(st.integers(0, 9), max_size=60)
STREAM_PARTS = [
    b"data",
    b":",
    b" ",
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"{}",
    b"event: x",
    b"\xf0\x9f\x8c\xbb",
    b"id",
]
STREAMS = st.lists(st.sampled_from(STREAM_PARTS), max_size=30).map(b"".join)


@given(st.binary(max_size=80), SIZES)
def test_lines_do_not_depend_on_the_chunks(data: bytes, sizes: list[int]) -> None:
    assert lines_of(cut(data, sizes)) == lines_of([data])


@given(ENDS, SIZES)
def test_lines_are_those_that_python_splits(data: bytes, sizes: list[int]) -> None:
    assert lines_of(cut(data, sizes)) == data.splitlines()


@given(STREAMS, SIZES)
def test_events_do_not_depend_on_the_chunks(data: bytes, sizes: list[int]) -> None:
    assert events_of(cut(data, sizes)) == events_of([data])


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\ndata: b\n\n", [b"a", b"b"]),
        (b"data:a\r\n\r\ndata: b\r\rdata:  c\n\n", [b"a", b"b", b" c"]),
        (b": ping\n\ndata: a\n: ping\n\n", [b"a"]),
        (b"event: x\nid: 7\nretry: 10\ndata: a\n\n", [b"a"]),
        (b"data: one\ndata: two\ndata\ndata: four\n\n", [b"one\ntwo\n\nfour"]),
        (b"data: a", [b"a"]),
        (b"data: a\n", [b"a"]),
        (b"\xef\xbb\xbfdata: a\n\n", [b"a"]),
        (b"error: {}\n\n", [b"{}"]),
        (b"database: a\n\nhello\n\n\n\n", []),
        (b"data\n\n", [b""]),
        (b"", []),
    ],
)
def test_events_are_parsed_as_the_standard_says(stream: bytes, events: list[bytes]) -> None:
    assert events_of([stream]) == events


@pytest.mark.parametrize("splitter", [Lines, Events])
def test_a_line_without_end_is_refused_and_forgotten(splitter: type[Lines | Events]) -> None:
    reader = splitter()
    tracemalloc.start()
    try:
        with pytest.raises(LineTooLongError):
            fed(reader, b"x" * 10_000)
        assert tracemalloc.get_traced_memory()[1] < 4 * MOST_LINE_BYTES
    finally:
        tracemalloc.stop()


def test_an_event_of_many_lines_is_bounded_too() -> None:
    events = Events()
    with pytest.raises(LineTooLongError):
        fed(events, b"data: " + b"x" * 1_000 + b"\n")


def test_the_longest_line_is_taken() -> None:
    assert lines_of([b"x" * MOST_LINE_BYTES, b"\n"]) == [b"x" * MOST_LINE_BYTES]
