"""What every frame is: one flat object with a ``type``.

A ``Command`` is what a client sends; unknown fields in it are refused. An ``Event`` is what the server
sends; it only ever gains fields, and a field that says nothing (``eos`` where no sentence ends) is left
out. Anything else is a new version of the subprotocol.
"""

from typing import Final, Literal, TypeAlias, get_origin

import msgspec

from protocol.ids import CommandId, Seq

Wire: TypeAlias = Literal["json", "msgpack"]

SUBPROTOCOLS: Final[dict[str, Wire]] = {"fireside.v1.json": "json", "fireside.v1.msgpack": "msgpack"}


class Command(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    tag_field="type",
):
    """A client asks for something; exactly one ``ack`` or ``error`` with ``re`` = ``id`` answers it."""

    id: CommandId


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="type"):
    """The server tells something."""


class Numbered(Event, frozen=True, kw_only=True):
    """An event that a resumed session is told again: it has its number in the session."""

    seq: Seq


Kind: TypeAlias = type[Command] | type[Event]


def frame_type(kind: Kind) -> str:
    """The dotted name of a kind of frame: ``message.send``."""
    kind = get_origin(kind) or kind  # an ack of a certain result
    tag = kind.__struct_config__.tag
    assert isinstance(tag, str)
    return tag
