import msgspec
import pytest

from protocol.catalogue import COMMANDS, EVENTS
from protocol.codec import Unknown, decode_command, decode_event, encode, result_of
from protocol.frames import Command, Event, frame_type
from protocol.results import RESULTS, Ack, CommandAck
from protocol.talk_frames import MessageAck
from tests.protocol.golden import golden_frames, golden_msgpack

FRAMES = golden_frames()
PACKED = golden_msgpack()


def type_in(data: bytes) -> str:
    found: dict[str, object] = msgspec.json.decode(data, type=dict[str, object])
    return str(found["type"])


def decoded(data: bytes) -> Command | Event:
    if type_in(data) in COMMANDS:
        return decode_command(data.decode(), "json")
    event = decode_event(data.decode(), "json")
    assert not isinstance(event, Unknown)
    return event


def packed(data: bytes, *, command: bool) -> Command | Event:
    if command:
        return decode_command(data, "msgpack")
    event = decode_event(data, "msgpack")
    assert not isinstance(event, Unknown)
    return event


@pytest.mark.parametrize("name", FRAMES)
def test_a_golden_frame_is_read_and_written_again_to_the_same_bytes(name: str) -> None:
    assert encode(decoded(FRAMES[name]), "json") == FRAMES[name]


@pytest.mark.parametrize("name", FRAMES)
def test_a_golden_frame_is_the_same_in_both_codings(name: str) -> None:
    frame = decoded(FRAMES[name])
    assert packed(PACKED[name], command=isinstance(frame, Command)) == frame
    assert encode(frame, "msgpack") == PACKED[name]


def test_every_frame_has_a_golden_one() -> None:
    assert {type_in(data) for data in FRAMES.values()} == {*COMMANDS, *EVENTS}


def test_every_result_has_a_golden_ack_that_the_server_writes_as_it_stands() -> None:
    for command, kind in RESULTS.items():
        data = FRAMES[f"ack.{frame_type(command)}"]
        ack = decode_event(data.decode(), "json")
        assert isinstance(ack, Ack)
        assert encode(CommandAck(re=ack.re, result=result_of(ack, kind)), "json") == data


def test_a_messages_ack_is_written_as_it_stands() -> None:
    for name in ("ack.message", "ack.message.waiting"):
        assert encode(msgspec.json.decode(FRAMES[name], type=MessageAck), "json") == FRAMES[name]


def test_every_command_but_the_first_three_has_a_result() -> None:
    answered_otherwise = {"hello", "ping", "message.send"}
    assert {frame_type(command) for command in RESULTS} == set(COMMANDS) - answered_otherwise
