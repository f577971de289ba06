"""What frames are made of: the kinds of text, numbers and lists that more than one frame carries."""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from protocol.ids import NO_NUL, ConversationId, MessageId, Position, ResponseId
from protocol.times import Time

Text: TypeAlias = Annotated[str, Meta(pattern=NO_NUL)]
Line: TypeAlias = Annotated[str, Meta(min_length=1, max_length=200, pattern=NO_NUL)]
Note: TypeAlias = Annotated[str, Meta(min_length=1, max_length=2_000, pattern=NO_NUL)]
Lines: TypeAlias = Annotated[tuple[Line, ...], Meta(max_length=20)]
Name: TypeAlias = Annotated[str, Meta(min_length=1, max_length=64, pattern=NO_NUL)]
Cursor: TypeAlias = Annotated[str, Meta(min_length=1, max_length=500, pattern=NO_NUL)]
Limit: TypeAlias = Annotated[int, Meta(ge=1, le=200)]
OneToTen: TypeAlias = Annotated[int, Meta(ge=1, le=10)]

Role: TypeAlias = Literal["user", "assistant"]
Status: TypeAlias = Literal["completed", "cancelled", "interrupted", "failed"]
Source: TypeAlias = Literal["model", "fallback", "safety"]
CrisisCategory: TypeAlias = Literal["self_harm", "harm_others", "abuse", "medical"]
Severity: TypeAlias = Literal[1, 2, 3]
CloseReason: TypeAlias = Literal["asked", "silence", "replaced", "drained"]

JsonObject: TypeAlias = dict[str, Any]  # open by contract: the client's own data, given back as it was sent


class Value(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A part of a server's frame. A field at its default is left out; unknown fields are ignored."""


class StoredMessage(Value, frozen=True, kw_only=True):
    """A message as it is kept. A removed one leaves its position, an empty text, the status ``removed``.

    ``response`` names the response that an answer was, for ``memory.why`` and ``response.feedback``.
    """

    message: MessageId
    role: Role
    text: str
    position: Position
    at: Time
    status: Status | Literal["removed"]
    context: JsonObject | None = None
    response: ResponseId | None = None


class OpenResponse(Value, frozen=True, kw_only=True):
    """The answer that is streaming now: what was shown of it, and the number of its next delta."""

    response: ResponseId
    message: MessageId
    text: str
    n: int


class Resource(Value, frozen=True, kw_only=True):
    """Somebody who helps in a crisis, and when they can be reached."""

    name: str
    contact: str
    hours: str | None = None


class FoundMessage(Value, frozen=True, kw_only=True):
    """A message that a search found; a higher ``score`` is a better match within the same answer."""

    message: MessageId
    conversation: ConversationId
    text: str
    score: float
