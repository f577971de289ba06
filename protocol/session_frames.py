"""Beginning and keeping a session: hello and welcome, what a returning client is shown, ping, notices."""

import msgspec
from msgspec import UNSET, UnsetType

from protocol.frames import Command, Event, Numbered
from protocol.ids import (
    AlertId,
    CommandId,
    ConversationId,
    Epoch,
    MessageId,
    ResponseId,
    Seq,
    SessionId,
    UserId,
)
from protocol.times import Time
from protocol.values import Line, Name, OpenResponse, StoredMessage, Value


class Client(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The program that speaks, for the operator's logs."""

    name: Name
    version: Name


class Resume(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The session to go on with, the last ``seq`` that was taken in, and the epoch it was told in."""

    session: SessionId
    seq: Seq
    epoch: Epoch


class Hello(Command, frozen=True, kw_only=True, tag="hello"):
    """The first frame on a connection, within 5 seconds.

    Without ``companion`` the installation's own is taken. ``conversation`` names the one to go on with,
    ``"last"`` the newest, null none: the next message begins a new one. ``resume`` asks for the events that
    were missed; it also carries over the ids of commands and the open conversation when the events are
    gone.
    """

    client: Client
    companion: Name | UnsetType = UNSET
    user: UserId | UnsetType = UNSET
    token: Line | UnsetType = UNSET
    conversation: ConversationId | UnsetType | None = UNSET
    session_type: Name | UnsetType = UNSET
    resume: Resume | UnsetType = UNSET


class Ping(Command, frozen=True, kw_only=True, tag="ping"):
    """Is anybody there? Answered by ``pong``."""


class Limits(Value, frozen=True, kw_only=True):
    """What the server takes: bytes of a frame, characters of a message, messages waiting behind an answer.

    ``heartbeat_s`` is how often the server pings; a client that heard nothing for three times as long may
    take the connection for lost.
    """

    frame_bytes: int
    message_chars: int
    queue: int
    commands_per_s: float
    heartbeat_s: float


class Model(Value, frozen=True, kw_only=True):
    """What answers; not ``connected`` when no language model does and the companion uses its own texts."""

    kind: str
    name: str
    connected: bool


class Welcome(Event, frozen=True, kw_only=True, tag="welcome"):
    """The session stands. With ``resumed`` the missed events follow, each with its own ``seq``.

    ``seq`` is that of the last event before this connection's new ones. With ``resumed`` false and a
    conversation a ``conversation.snapshot`` follows. ``name`` is what staff call the person, for those who look after
    them.
    """

    re: CommandId
    session: SessionId
    resumed: bool
    seq: Seq
    epoch: Epoch
    companion: str
    user: UserId
    role: str
    conversation: ConversationId | None
    limits: Limits
    features: tuple[str, ...]
    model: Model
    name: str | None = None


class ConversationSnapshot(Numbered, frozen=True, kw_only=True, tag="conversation.snapshot"):
    """Where the conversation stands: its last 50 messages, oldest first, and the answer that is open.

    ``unanswered`` names the messages that were acknowledged and have no answer. A companion that shows the
    current exchange only gives only that.
    """

    conversation: ConversationId | None
    messages: tuple[StoredMessage, ...]
    unanswered: tuple[MessageId, ...]
    response: OpenResponse | None


class ResponseSnapshot(Numbered, frozen=True, kw_only=True, tag="response.snapshot"):
    """The open answer as far as it was said; ``n`` is the number of the next delta."""

    response: ResponseId
    message: MessageId
    text: str
    n: int


class Pong(Event, frozen=True, kw_only=True, tag="pong"):
    """Somebody is there, and reads this time on the clock."""

    re: CommandId
    now: Time


class Notice(Numbered, frozen=True, kw_only=True, tag="notice"):
    """Something happened; ``say`` is for the person, null when it concerns the program alone."""

    code: str
    say: str | None


class ServerDraining(Numbered, frozen=True, kw_only=True, tag="server.draining"):
    """The server stops. Come back after ``reconnect_after_ms`` milliseconds; each client is given its own."""

    reconnect_after_ms: int


class AlertRaised(Numbered, frozen=True, kw_only=True, tag="alert.raised"):
    """Somebody should look after ``user``. Sent only to those to whom it is safe to tell; never the text."""

    alert: AlertId
    user: UserId
    category: str
    level: int
    say: str
