"""What every change is made of, so that changes can be told apart by room: talks here, memory there."""

from typing import Final

import msgspec

NOTHING: Final = msgspec.Raw(b"null")
"""No JSON. A change is read back from a file, and JSON ``| None`` cannot be: it would be taken for None alone."""


class Change(msgspec.Struct, frozen=True, kw_only=True, tag_field="change"):
    """One thing to be written; ``user`` and ``companion`` own what it touches (guarantee: isolation)."""

    user: str
    companion: str
    at: int


class CommandId(msgspec.Struct, frozen=True, kw_only=True):
    """The client's own id of a command: unique in ``space`` (a session and those it continues)."""

    space: str
    id: str
    digest: str  # of the command's content, to tell a repeat from a reuse
