"""What every change is made of, so that changes can be told apart by room: talks here, memory there."""

import msgspec


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
