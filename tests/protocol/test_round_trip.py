import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.catalogue import COMMANDS, EVENTS
from protocol.codec import decode_command, decode_event, encode, result_of
from protocol.frames import Event, Wire
from protocol.results import RESULTS, Ack, CommandAck
from protocol.talk_frames import MessageAck
from protocol.values import Value
from tests.protocol.made_frames import made

WIRES: list[Wire] = ["json", "msgpack"]


def sent(frame: Event, wire: Wire) -> str | bytes:
    data = encode(frame, wire)
    return data.decode() if wire == "json" else data


@pytest.mark.parametrize("name", COMMANDS)
@settings(max_examples=20)
@given(data=st.data())
def test_a_command_arrives_as_it_was_sent(name: str, data: st.DataObject) -> None:
    command = data.draw(made(COMMANDS[name]))
    assert decode_command(encode(command, "json").decode(), "json") == command
    assert decode_command(encode(command, "msgpack"), "msgpack") == command


@pytest.mark.parametrize("name", EVENTS)
@settings(max_examples=20)
@given(data=st.data())
def test_an_event_arrives_as_it_was_sent(name: str, data: st.DataObject) -> None:
    event = data.draw(made(EVENTS[name]))
    for wire in WIRES:
        assert decode_event(sent(event, wire), wire) == event


@pytest.mark.parametrize("kind", list(dict.fromkeys(RESULTS.values())))
@settings(max_examples=20)
@given(data=st.data())
def test_a_result_arrives_as_it_was_sent(kind: type[Value], data: st.DataObject) -> None:
    result = data.draw(made(kind))
    for wire in WIRES:
        ack = decode_event(sent(CommandAck(re="c1", result=result), wire), wire)
        assert isinstance(ack, Ack)
        assert result_of(ack, kind) == result


@settings(max_examples=20)
@given(data=st.data())
def test_a_messages_ack_arrives_as_it_was_sent(data: st.DataObject) -> None:
    ack = data.draw(made(MessageAck))
    for wire in WIRES:
        read = decode_event(sent(ack, wire), wire)
        assert isinstance(read, Ack)
        assert (read.re, read.message, read.durable, read.reason) == (
            ack.re,
            ack.message,
            ack.durable,
            ack.reason,
        )
