"""Talking: what a person says, and the answer that streams back.

For one message the order is [``safety.shown``], ``ack``, ``message.created``, ``response.started``, deltas,
``message.created`` (the answer), ``response.done``.
"""

from typing import Literal, TypeAlias

from msgspec import UNSET, UnsetType

from protocol.frames import Command, Event, Numbered
from protocol.ids import CommandId, ConversationId, MessageId, Position, ResponseId
from protocol.times import Time
from protocol.values import CrisisCategory, JsonObject, Resource, Role, Severity, Source, Status, Text

Style: TypeAlias = Literal["again", "shorter", "simpler"]
Rating: TypeAlias = Literal[-1, 0, 1]


class MessageSend(Command, frozen=True, kw_only=True, tag="message.send"):
    """The person says something.

    How long ``text`` may be is not part of the type: text of nothing but white space is ``message.empty``,
    text of more characters than ``limits.message_chars`` (200,000) is ``message.too_long``. ``context`` is
    the client's own object about where the message came from (a program, a selection, the clipboard); it is
    kept with the message and given back as it was.
    """

    text: Text
    context: JsonObject | UnsetType = UNSET


class MessageAck(Event, frozen=True, kw_only=True, tag="ack"):
    """The message has its place. With ``durable`` it survives what the installation's durability promises.

    Without, ``reason`` says why, and a ``durable`` event names the message when it has landed.
    """

    re: CommandId
    message: MessageId
    conversation: ConversationId
    durable: bool
    reason: str | UnsetType = UNSET


class MessageCreated(Numbered, frozen=True, kw_only=True, tag="message.created"):
    """A message stands in the conversation, the person's or the companion's; its sender is told too."""

    message: MessageId
    conversation: ConversationId
    position: Position
    role: Role
    text: str
    at: Time


class SafetyShown(Numbered, frozen=True, kw_only=True, tag="safety.shown"):
    """Help for what the person said, to be shown at once and to stay; it may come before the ack.

    Severity 3 is danger to life.
    """

    message: MessageId
    category: CrisisCategory
    severity: Severity
    say: str
    resources: tuple[Resource, ...]


class ResponseStarted(Numbered, frozen=True, kw_only=True, tag="response.started"):
    """An answer to ``message`` begins."""

    response: ResponseId
    message: MessageId
    conversation: ConversationId


class ResponseDelta(Event, frozen=True, kw_only=True, tag="response.delta"):
    """The next piece of the answer; ``n`` counts from 0 without gaps, ``eos`` ends a sentence.

    The deltas of a response, joined, are its text. Shown text is never taken back.
    """

    response: ResponseId
    n: int
    text: str
    eos: bool = False


class ResponseDone(Numbered, frozen=True, kw_only=True, tag="response.done"):
    """The response is over and stored; no other event about it follows.

    ``status``: completed; cancelled by the person; interrupted by a crash or a drain; failed when the model
    broke and what it had said is kept. ``source``: the model, a fall-back in the companion's own words, or
    safety. ``answer`` is the stored message, null when nothing was said.
    """

    response: ResponseId
    message: MessageId
    conversation: ConversationId
    status: Status
    text: str
    source: Source
    durable: bool
    answer: MessageId | None


class Durable(Event, frozen=True, kw_only=True, tag="durable"):
    """What was acknowledged as not durable has landed."""

    messages: tuple[MessageId, ...]
    responses: tuple[ResponseId, ...]


class ResponseCancel(Command, frozen=True, kw_only=True, tag="response.cancel"):
    """Stop the open response, if it is still the one named; without a name, whichever is open."""

    response: ResponseId | UnsetType = UNSET


class ResponseRegenerate(Command, frozen=True, kw_only=True, tag="response.regenerate"):
    """Answer ``message`` anew. What followed it is hidden, and deleted when the new answer is stored.

    If that fails, the old answer and what followed it remain.
    """

    message: MessageId
    style: Style = "again"


class ResponseFeedback(Command, frozen=True, kw_only=True, tag="response.feedback"):
    """What the person thought of an answer (-1, or 1, or 0 to take it back) or did with it; at least one."""

    response: ResponseId
    value: Rating | UnsetType = UNSET
    action: Literal["inserted", "copied"] | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.value is UNSET and self.action is UNSET:
            raise ValueError("Expected `value` or `action`")


class GreetingGet(Command, frozen=True, kw_only=True, tag="greeting.get"):
    """The companion's greeting for this person, with what it remembers of the last session where it may."""
