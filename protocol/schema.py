"""The frames described as JSON Schema, generated from the types."""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias, cast

import msgspec

from protocol.catalogue import COMMANDS, EVENTS
from protocol.frames import Command, Event, Kind, frame_type
from protocol.results import RESULTS, Ack, CommandAck
from protocol.talk_frames import MessageAck
from protocol.values import Value

Schema: TypeAlias = dict[str, Any]  # JSON Schema is an open vocabulary

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def sent_by_clients() -> list[type[Command]]:
    """Every command."""
    return list(COMMANDS.values())


def all_frames() -> list[Kind]:
    """Every frame that is sent, each ack by itself."""
    return [*sent_by_clients(), *sent_by_server()]


def sent_by_server() -> list[type[Event]]:
    """Every event, with the acks of each kind in place of the one form a client reads them by."""
    events = [event for event in EVENTS.values() if event is not Ack]
    return [*events, MessageAck, *(ack_of(result) for result in _results())]


def ack_of(result: type[Value]) -> type[Event]:
    """The ack that carries ``result``."""
    return CommandAck[result]  # type: ignore[valid-type]  # the parameter is a value here, not a type


def name_of(frame: Kind) -> str:
    """The name of a frame's schema: its class, ``AckGreeting`` for the ack that carries a greeting."""
    return _ACKS.get(frame, frame.__name__)


def message_of(frame: Kind) -> str:
    """A dotted name for each frame alone: an ack is named with what it carries, ``ack.Greeting``."""
    name = frame_type(frame)
    return f"{name}.{name_of(frame).removeprefix('Ack')}" if frame in _ACKS else name


def components(ref_template: str) -> dict[str, Schema]:
    """The schema of every frame and of every part of one, by name; each frame's title is its dotted name."""
    frames = all_frames()
    _, found = msgspec.json.schema_components(frames, ref_template=ref_template)
    described: dict[str, Schema] = {_own_name(name): _plain(schema) for name, schema in found.items()}
    titles: dict[str, Schema] = {name_of(frame): {"title": frame_type(frame)} for frame in frames}
    return {name: schema | titles.get(name, {}) for name, schema in sorted(described.items())}


def json_schema() -> Schema:
    """One document for every frame; ``$defs/FromClient`` and ``$defs/FromServer`` are its halves.

    Frames of the server may have fields that are not described: they are ignored.
    """
    halves: dict[str, Sequence[Kind]] = {"FromClient": sent_by_clients(), "FromServer": sent_by_server()}
    unions: dict[str, Schema] = {
        half: {"anyOf": [{"$ref": f"#/$defs/{name_of(frame)}"} for frame in frames]}
        for half, frames in halves.items()
    }
    return {
        "$schema": DIALECT,
        "title": "Fireside protocol, version 1",
        "anyOf": [{"$ref": f"#/$defs/{half}"} for half in unions],
        "$defs": unions | components("#/$defs/{name}"),
    }


def _results() -> list[type[Value]]:
    return list(dict.fromkeys(RESULTS.values()))


_ACKS: Final[dict[Kind, str]] = {
    MessageAck: "AckMessage",
    **{ack_of(result): f"Ack{result.__name__}" for result in _results()},
}


def _own_name(name: str) -> str:
    if name == MessageAck.__name__:
        return "AckMessage"
    return f"Ack{name[11:-1]}" if name.startswith("CommandAck_") else name


def _plain(value: Any) -> Any:  # any part of a schema
    """The same, with docstrings as Markdown: a paragraph on a line, code in single backquotes."""
    match value:
        case {"description": str(text), **rest}:
            paragraphs = (" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
            return {"description": "\n\n".join(paragraphs).replace("``", "`"), **_plain(rest)}
        case dict():
            return {key: _plain(inner) for key, inner in cast("Schema", value).items()}
        case list():
            return [_plain(part) for part in cast("list[object]", value)]
        case _:
            return value
