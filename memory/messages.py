"""What was said: the one form in which every room hands a message to another."""

from typing import Literal, TypeAlias

import msgspec

Role: TypeAlias = Literal["user", "assistant"]
Status: TypeAlias = Literal["completed", "cancelled", "interrupted", "failed"]
Source: TypeAlias = Literal["model", "fallback", "safety"]


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """A stored message. ``position`` orders it in its conversation and is never reused.

    ``at`` is milliseconds since 1970 in UTC, for information only. ``answers`` is the message that an answer
    belongs to. ``context`` is the client's own JSON about where the message came from, kept as it was sent.
    """

    id: str
    role: Role
    text: str
    position: int
    at: int
    status: Status = "completed"
    source: Source | None = None
    answers: str | None = None
    response: str | None = None
    intent: str | None = None
    narrative: str | None = None
    context: msgspec.Raw | None = None
