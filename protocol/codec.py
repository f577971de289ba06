"""Frames to bytes and back, in JSON and in MessagePack.

What a client sends is decoded strictly: an unknown type is one error; a wrong, missing or unknown field
another, with its path. What the server sends is decoded kindly: types and fields that are not known are
skipped.

The common way is one decode. Only when that fails is the header looked at by itself, to say whether the
type is unknown, and which command it was.
"""

from typing import Final, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from protocol.catalogue import COMMANDS, EVENTS, AnyCommand, AnyEvent
from protocol.errors import BadFrame, UnknownFrame, WrongKind
from protocol.faults import Fault, fault_of, impure, mended
from protocol.frames import Command, Event, Wire
from protocol.ids import CommandId
from protocol.results import Ack
from protocol.talk_frames import MessageSend
from protocol.values import Value

Data: TypeAlias = str | bytes
V = TypeVar("V", bound=Value)


class Unknown(msgspec.Struct, frozen=True):
    """An event of a newer server; a client goes on as if it had not come."""

    type: str


class _Id(msgspec.Struct):
    id: CommandId | UnsetType = UNSET


_to_json: Final = msgspec.json.Encoder()
_to_msgpack: Final = msgspec.msgpack.Encoder()
_json_commands: Final = msgspec.json.Decoder[AnyCommand](AnyCommand)
_msgpack_commands: Final = msgspec.msgpack.Decoder[AnyCommand](AnyCommand)
_json_events: Final = msgspec.json.Decoder[AnyEvent](AnyEvent)
_msgpack_events: Final = msgspec.msgpack.Decoder[AnyEvent](AnyEvent)
_json_header: Final = msgspec.json.Decoder(Unknown)
_msgpack_header: Final = msgspec.msgpack.Decoder(Unknown)
_json_id: Final = msgspec.json.Decoder(_Id)
_msgpack_id: Final = msgspec.msgpack.Decoder(_Id)

# RecursionError: nested too deeply. UnicodeError: bytes that are not UTF-8, a str with a lone surrogate.
_REFUSALS: Final = (msgspec.DecodeError, UnicodeError, RecursionError)


def encode(frame: Command | Event, wire: Wire) -> bytes:
    """The bytes of a frame.

    JSON too comes as bytes, to be sent as a text frame: a ``str`` would be encoded a second time on its way
    to the socket, which costs half as much again. Text with a lone surrogate raises ``UnicodeEncodeError``.
    """
    return _to_json.encode(frame) if wire == "json" else _to_msgpack.encode(frame)


def decode_command(data: Data, wire: Wire) -> AnyCommand:
    """The command a client sent. Raises ``BadFrame`` and its kinds, and nothing else."""
    _check_kind(data, wire)
    try:
        command: AnyCommand = (
            _json_commands.decode(data) if wire == "json" else _msgpack_commands.decode(_bytes(data))
        )
    except _REFUSALS as error:
        refusal = _command_refusal(error, data, wire)
    else:
        fault = _context_fault(command)
        if fault is None:
            return command
        refusal = _refusal(fault, command.id)
    raise refusal  # out here it is not chained to the decoder's error, which can hold what was sent


def decode_event(data: Data, wire: Wire) -> AnyEvent | Unknown:
    """The event the server sent, for clients in Python. Raises ``BadFrame`` when it is not one."""
    _check_kind(data, wire)
    try:
        event: AnyEvent = (
            _json_events.decode(data) if wire == "json" else _msgpack_events.decode(_bytes(data))
        )
    except _REFUSALS as error:
        header = _header(data, wire)
        if header is not None and header.type not in EVENTS:
            return header
        refusal = _refusal(fault_of(error, data, EVENTS.get(header.type) if header else None))
    else:
        return event
    raise refusal


def result_of(ack: Ack, kind: type[V]) -> V:
    """The result of a command's ack, as ``RESULTS`` names it; ``BadFrame`` when it is not of that kind."""
    try:
        return msgspec.convert(ack.result, kind)
    except msgspec.ValidationError as error:
        refusal = _refusal(fault_of(error, b"", None))
    raise refusal


def _bytes(data: Data) -> bytes:
    assert isinstance(data, bytes)
    return data


def _check_kind(data: Data, wire: Wire) -> None:
    if isinstance(data, str) != (wire == "json"):
        expected = "text frames" if wire == "json" else "binary frames"
        raise WrongKind(f"This connection speaks {wire} in {expected}.")


def _context_fault(command: AnyCommand) -> Fault | None:
    if isinstance(command, MessageSend) and command.context is not UNSET:
        return impure(command.context, "$.context")
    return None


def _refusal(fault: Fault, named: str | UnsetType = UNSET) -> BadFrame:
    return BadFrame(fault.message, path=fault.path, re=named)


def _command_refusal(error: Exception, data: Data, wire: Wire) -> BadFrame:
    readable = mended(data) if isinstance(data, str) else data
    named = _command_id(readable, wire)
    header = _header(readable, wire)
    if header is not None and header.type not in COMMANDS:
        return UnknownFrame("No frame of this type is known here.", path="$.type", re=named)
    return _refusal(fault_of(error, data, COMMANDS.get(header.type) if header else None), named)


def _header(data: Data, wire: Wire) -> Unknown | None:
    try:
        return _json_header.decode(data) if wire == "json" else _msgpack_header.decode(_bytes(data))
    except _REFUSALS:
        return None


def _command_id(data: Data, wire: Wire) -> str | UnsetType:
    try:
        found = _json_id.decode(data) if wire == "json" else _msgpack_id.decode(_bytes(data))
    except _REFUSALS:
        return UNSET
    return found.id
