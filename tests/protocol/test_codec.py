import contextlib
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.catalogue import COMMANDS
from protocol.codec import Unknown, decode_command, decode_event, encode, result_of
from protocol.errors import BadFrame, CloseCode, UnknownFrame, WrongKind
from protocol.frames import Wire, frame_type
from protocol.results import Ack, Found
from protocol.session_frames import Pong
from protocol.talk_frames import MessageSend, ResponseDelta
from tests.protocol.golden import golden_frames

CANARY = "canary-7f3a"
SEND: dict[str, Any] = {"type": "message.send", "id": "c1", "text": "hello"}
WIRES: list[Wire] = ["json", "msgpack"]


def written(frame: object, wire: Wire) -> str | bytes:
    return msgspec.json.encode(frame).decode() if wire == "json" else msgspec.msgpack.encode(frame)


def refused(data: str | bytes, wire: Wire = "json") -> BadFrame:
    with pytest.raises(BadFrame) as caught:
        decode_command(data, wire)
    assert CANARY not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return caught.value


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    ("frame", "path", "says"),
    [
        ({"type": "message.send", "id": "c1"}, "$.text", "Missing field"),
        ({**SEND, "text": 7}, "$.text", "Expected `str`, got `int`"),
        ({**SEND, "text": "a\0b"}, "$.text", "NUL"),
        ({**SEND, CANARY: 1}, "$", "Unknown field (known: type, id, text, context)"),
        ({**SEND, "context": {"a": [CANARY + "\0"]}}, "$.context[...][...]", "NUL"),
        ({**SEND, "context": {CANARY + "\0": 1}}, "$.context[...]", "NUL"),
        ({**SEND, "context": CANARY}, "$.context", "Expected `object"),
        (
            {"type": "response.regenerate", "id": "c1", "message": "m", "style": CANARY},
            "$.style",
            "Not one of",
        ),
        (
            {"type": "hello", "id": "c1", "client": {"name": "a", "version": "1", CANARY: 1}},
            "$.client",
            "Unknown",
        ),
        (
            {"type": "hello", "id": "c1", "client": {"name": "a" * 65, "version": "1"}},
            "$.client.name",
            "<= 64",
        ),
        ({"type": "profile.set", "id": "c1", "profile": {"age": 0}}, "$.profile.age", ">= 1"),
        ({"type": "mood.check_in", "id": "c1", "mood": 11}, "$.mood", "<= 10"),
        ({"type": "mood.check_in", "id": "c1"}, "$", "Expected `mood`"),
        ({"type": "memory.forget", "id": "c1"}, "$", "Expected either `item` or `category`"),
        ({"type": "memory.forget", "id": "c1", "item": "a", "category": "b"}, "$", "Expected either"),
        ({"type": "response.feedback", "id": "c1", "response": "r"}, "$", "Expected `value`"),
    ],
)
def test_a_wrong_frame_is_refused_with_its_path_and_the_commands_id(
    frame: dict[str, Any], path: str, says: str, wire: Wire
) -> None:
    error = refused(written(frame, wire), wire)
    assert (error.code, error.path, error.re, error.close) == ("frame.invalid", path, "c1", None)
    assert says in str(error)
    assert path in str(error)


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    ("frame", "path"),
    [
        ({"type": "message.send", "text": "a"}, "$.id"),
        ({**SEND, "id": 7}, "$.id"),
        ({**SEND, "id": ""}, "$.id"),
        ({**SEND, "id": "a\0"}, "$.id"),
        ({**SEND, "id": "x" * 129}, "$.id"),
        ([], "$"),
        (None, "$"),
        (CANARY, "$"),
    ],
)
def test_an_id_that_is_none_is_not_given_back(frame: object, path: str, wire: Wire) -> None:
    error = refused(written(frame, wire), wire)
    assert (error.path, error.re) == (path, msgspec.UNSET)


@pytest.mark.parametrize("wire", WIRES)
def test_an_unknown_type_is_another_error_and_still_names_the_command(wire: Wire) -> None:
    error = refused(written({"type": CANARY, "id": "c9", "more": [CANARY]}, wire), wire)
    assert isinstance(error, UnknownFrame)
    assert (error.code, error.re) == ("frame.unknown", "c9")


@pytest.mark.parametrize(
    ("data", "path"),
    [
        ('{"type":"message.send","id":"c1","text":"half \\ud83d"}', "$.text"),
        ('{"type":"message.send","id":"c1","text":"\\udc00"}', "$.text"),
        ('{"type":"message.send","id":"c1","text":"a","context":{"x":["\\ud83d"]}}', "$.context"),
        ('{"type":"message.send","id":"c1","text":"a","\\ud83d":1}', "$[...]"),
    ],
)
def test_half_a_character_is_refused_where_it_stands(data: str, path: str) -> None:
    error = refused(data)
    assert (error.path, error.re) == (path, "c1")
    assert "lone surrogate" in str(error)


def test_whole_characters_outside_the_basic_plane_are_taken() -> None:
    command = decode_command('{"type":"message.send","id":"c1","text":"\\ud83d\\udc26"}', "json")
    assert command == MessageSend(id="c1", text="🐦")


@pytest.mark.parametrize(
    "data", ["", "{", "nope", '{"type":"ping","id":"c1"} {}', '{"type":"ping","id":"\\ud800']
)
def test_what_is_not_json_is_refused(data: str) -> None:
    assert str(refused(data)).startswith("Not JSON")


def test_text_that_is_not_utf_8_in_messagepack_is_refused() -> None:
    error = refused(b"\x82\xa4type\xa4ping\xa2id\xa1\xff", "msgpack")
    assert "UTF-8" in str(error)


@pytest.mark.parametrize("depth", [40, 100_000])
def test_an_endless_nest_is_refused(depth: int) -> None:
    nest = '{"a":' * depth + "1" + "}" * depth
    error = refused(f'{{"type":"message.send","id":"c1","text":"a","context":{nest}}}')
    assert str(error).startswith("Nested too deeply")


@pytest.mark.parametrize("value", [b"bytes", msgspec.msgpack.Ext(1, b"x"), 2**63, float("nan"), float("inf")])
def test_a_context_holds_only_what_json_can_carry(value: object) -> None:
    frame = {**SEND, "context": {"a": value}}
    if value == 2**63:
        assert isinstance(decode_command(msgspec.msgpack.encode(frame), "msgpack"), MessageSend)
    else:
        assert refused(msgspec.msgpack.encode(frame), "msgpack").path == "$.context[...]"


def test_a_context_is_kept_as_it_was_sent() -> None:
    context: dict[str, Any] = {"app": "mail", "nested": {"list": [1, 2.5, None, True, "x"]}, "": {}}
    for wire in WIRES:
        command = decode_command(written({**SEND, "context": context}, wire), wire)
        assert command == MessageSend(id="c1", text="hello", context=context)


def test_the_length_of_a_message_is_not_a_matter_of_the_frame() -> None:
    for text in ("", "   ", "x" * 300_000):
        command = decode_command(json.dumps({**SEND, "text": text}), "json")
        assert command == MessageSend(id="c1", text=text)


def test_the_wrong_kind_of_frame_closes_the_connection() -> None:
    for data, wire in ((b"{}", "json"), ("{}", "msgpack")):
        with pytest.raises(WrongKind) as caught:
            decode_command(data, "json" if wire == "json" else "msgpack")
        assert caught.value.close == CloseCode.WRONG_KIND


@pytest.mark.parametrize("wire", WIRES)
def test_a_client_skips_events_and_fields_it_does_not_know(wire: Wire) -> None:
    assert decode_event(written({"type": "weather.changed", "seq": 3, "sky": "blue"}, wire), wire) == Unknown(
        "weather.changed"
    )
    pong = {"type": "pong", "re": "c1", "now": "2026-01-02T03:04:05.678Z", "more": {"x": 1}}
    assert decode_event(written(pong, wire), wire) == Pong(re="c1", now="2026-01-02T03:04:05.678Z")


@pytest.mark.parametrize("wire", WIRES)
def test_a_client_is_told_what_is_wrong_with_an_event(wire: Wire) -> None:
    with pytest.raises(BadFrame) as caught:
        decode_event(
            written({"type": "response.delta", "response": "r", "n": CANARY, "text": "a"}, wire), wire
        )
    assert caught.value.path == "$.n"
    assert CANARY not in str(caught.value)


def test_a_result_of_another_kind_is_refused() -> None:
    ack = Ack(re="c1", result={"messages": [{"message": 7}]})
    with pytest.raises(BadFrame) as caught:
        result_of(ack, Found)
    assert caught.value.path == "$.messages[0].message"


def test_a_delta_says_eos_only_where_a_sentence_ends() -> None:
    inside = encode(ResponseDelta(response="r", n=0, text="one "), "json")
    assert inside == b'{"type":"response.delta","response":"r","n":0,"text":"one "}'
    assert encode(ResponseDelta(response="r", n=1, text="two.", eos=True), "json").endswith(b',"eos":true}')


@given(st.binary(max_size=200))
def test_no_bytes_break_the_reader_of_messagepack(data: bytes) -> None:
    for decode in (decode_command, decode_event):
        try:
            decode(data, "msgpack")
        except BadFrame:
            continue


@given(st.text(alphabet=st.characters(), max_size=200))
def test_no_text_breaks_the_reader_of_json(data: str) -> None:
    for decode in (decode_command, decode_event):
        try:
            decode(data, "json")
        except BadFrame:
            continue


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.data())
def test_a_frame_with_anything_in_its_fields_is_taken_or_refused_never_worse(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(COMMANDS)))
    fields = COMMANDS[name].__struct_encode_fields__
    frame = {field: data.draw(JSON_VALUES) for field in fields if data.draw(st.booleans())} | {"type": name}
    data_or_nothing = None
    with contextlib.suppress(BadFrame):
        data_or_nothing = decode_command(json.dumps(frame), "json")
    assert data_or_nothing is None or frame_type(type(data_or_nothing)) == name


@given(st.data())
def test_a_damaged_golden_frame_is_read_or_refused_never_worse(data: st.DataObject) -> None:
    frame = data.draw(st.sampled_from(sorted(golden_frames().values())))
    at = data.draw(st.integers(0, len(frame)))
    damaged = frame[:at] + data.draw(st.binary(max_size=3)) + frame[at + data.draw(st.integers(0, 3)) :]
    for decode in (decode_command, decode_event):
        try:
            decode(damaged.decode(errors="replace"), "json")
        except BadFrame:
            continue
