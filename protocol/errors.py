"""What can go wrong on the wire: every error code and every close code, as data.

An error speaks in three voices: ``message`` to the developer of a client, ``hint`` to the staff of an
installation, ``say`` to the person, or null when there is nothing they need to know. Where a companion has
words of its own for it, these replace ``say``.

Close codes 4000 to 4499 mean: come back, with jitter. 4500 to 4999: do not come back by yourself.
"""

from enum import IntEnum
from typing import Any, Final, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from protocol.frames import Event
from protocol.ids import CommandId

ErrorCode: TypeAlias = Literal[
    "hello.required",
    "hello.repeated",
    "protocol.unsupported",
    "auth.refused",
    "auth.forbidden",
    "policy.refused",
    "frame.invalid",
    "frame.unknown",
    "companion.unknown",
    "conversation.unknown",
    "conversation.closed",
    "message.unknown",
    "message.empty",
    "message.too_long",
    "response.unknown",
    "memory.unknown",
    "id.reused",
    "session.busy",
    "rate.limited",
    "state.conflict",
    "storage.full",
    "storage.read_only",
    "storage.busy",
    "storage.newer",
    "storage.damaged",
    "storage.failed",
    "server.failed",
]


class CloseCode(IntEnum):
    """The codes this server closes a connection with."""

    NORMAL = 1000
    GOING_AWAY = 1001
    WRONG_KIND = 1003  # binary on JSON, text on MessagePack
    BAD_TEXT = 1007  # a text frame that is not UTF-8
    TOO_LARGE = 1009
    DRAINING = 4001
    SLOW_READER = 4008
    PROTOCOL_UNSUPPORTED = 4500
    HELLO_REQUIRED = 4501
    AUTH_REFUSED = 4502
    TOO_MANY_INVALID = 4503
    REPLACED = 4504


_FINAL_CODES: Final = frozenset(
    {CloseCode.NORMAL, CloseCode.WRONG_KIND, CloseCode.BAD_TEXT, CloseCode.TOO_LARGE}
)


def comes_back(close_code: int) -> bool:
    """Whether a client reconnects by itself after ``close_code``; after a lost connection (1006) it does."""
    return close_code not in _FINAL_CODES and not 4500 <= close_code <= 4999


class ErrorFrame(Event, frozen=True, kw_only=True, tag="error"):
    """A command was not done, or a frame was none of ours. ``re`` is the command's id where it could be read.

    ``retryable``: the same command, with the same id, may succeed later. ``ref`` finds the server's log line.
    ``current`` is what stands instead when another changed it first. Clients treat a code they do not know by
    its ``retryable``.
    """

    re: CommandId | UnsetType = UNSET
    code: str
    message: str
    hint: str
    say: str | None
    retryable: bool
    ref: str
    current: Any = UNSET  # the current value of whatever the command wanted to change


class ErrorKind(Struct, frozen=True, kw_only=True):
    """What an error code means, and whether the connection ends with it."""

    message: str
    hint: str
    say: str | None = None
    retryable: bool = False
    close: CloseCode | None = None


_CLIENT_FAULT: Final = (
    "The program that talks to this server has a fault or is of another version; tell its maker."
)
_STILL_HERE: Final = (
    "I have that, and I am still here. My memory needs a little help from the people around us."
)

ERRORS: Final[dict[ErrorCode, ErrorKind]] = {
    "hello.required": ErrorKind(
        message="The first frame must be hello, within 5 seconds.",
        hint=_CLIENT_FAULT,
        close=CloseCode.HELLO_REQUIRED,
    ),
    "hello.repeated": ErrorKind(
        message="This session has had its hello; open another connection for another session.",
        hint=_CLIENT_FAULT,
    ),
    "protocol.unsupported": ErrorKind(
        message="No subprotocol that was offered is spoken here: fireside.v1.json, fireside.v1.msgpack.",
        hint="The program is older or newer than this server; bring both to versions that fit.",
        close=CloseCode.PROTOCOL_UNSUPPORTED,
    ),
    "auth.refused": ErrorKind(
        message="The token is missing, wrong or revoked.",
        hint="Pair this device again, or give the program a token that is still good.",
        say="This device needs to be set up again. Please ask someone to help with it.",
        close=CloseCode.AUTH_REFUSED,
    ),
    "auth.forbidden": ErrorKind(
        message="The role of this session may not do that.",
        say="I cannot do that from here. Somebody who looks after this device can help.",
        hint="If this person should be able to do it, give the device or the token another role or grant.",
    ),
    "policy.refused": ErrorKind(
        message="This companion does not do that.",
        hint="The companion's policy file does not allow it.",
    ),
    "frame.invalid": ErrorKind(message="The frame is not one of this protocol.", hint=_CLIENT_FAULT),
    "frame.unknown": ErrorKind(
        message="No frame of this type is known here; the session goes on.", hint=_CLIENT_FAULT
    ),
    "companion.unknown": ErrorKind(
        message="There is no companion of that name; hello may come again.",
        hint="`fireside companions list` shows the companions of this installation.",
    ),
    "conversation.unknown": ErrorKind(
        message="There is no such conversation.", hint="It was removed, or it belongs to somebody else."
    ),
    "conversation.closed": ErrorKind(
        message="The conversation is closed and read-only.", hint="The next message begins a new one."
    ),
    "message.unknown": ErrorKind(
        message="There is no such message.", hint="It was removed, or it belongs to somebody else."
    ),
    "message.empty": ErrorKind(
        message="The text is empty or only white space.", hint="Nothing was said, so nothing is kept."
    ),
    "message.too_long": ErrorKind(
        message="The text has more characters than limits.message_chars.",
        hint="The message was too long to be taken in one piece.",
        say="That is a lot at once. Could you tell me in smaller pieces?",
    ),
    "response.unknown": ErrorKind(
        message="There is no such response.", hint="It was removed, or it belongs to somebody else."
    ),
    "memory.unknown": ErrorKind(
        message="Nothing of that id is remembered.", hint="It was forgotten, or it belongs to somebody else."
    ),
    "id.reused": ErrorKind(
        message="This id was used for another command; choose a new one for each.", hint=_CLIENT_FAULT
    ),
    "session.busy": ErrorKind(
        message="limits.queue messages wait for their answers already; send again when one was answered.",
        hint="The person wrote faster than the companion answers; it will catch up.",
        say="One moment, I am still thinking about what you said.",
        retryable=True,
    ),
    "rate.limited": ErrorKind(
        message="More commands than limits.commands_per_s; send again a little later.",
        hint="A program sends faster than the settings allow.",
        say="One moment, please.",
        retryable=True,
    ),
    "state.conflict": ErrorKind(
        message="Another changed it first; current holds what stands now.",
        hint="Two people or windows changed the same thing; look at it again.",
    ),
    "storage.full": ErrorKind(
        message="The store is full and the waiting room for messages too.",
        hint="The disk is full: make room, and it goes on without a restart.",
        say=_STILL_HERE,
        retryable=True,
    ),
    "storage.read_only": ErrorKind(
        message="The store cannot be written to.",
        hint="The data folder or its disk is read-only; `fireside doctor` says more.",
        say=_STILL_HERE,
        retryable=True,
    ),
    "storage.busy": ErrorKind(
        message="The store gives no answer now: another program holds it, or its disk hangs.",
        hint="Something else has locked the database (a backup, a second server), or the disk takes very long.",
        say=_STILL_HERE,
        retryable=True,
    ),
    "storage.newer": ErrorKind(
        message="The store was written by a newer version of this server.",
        hint="Install the version that wrote it, or a newer one; nothing was changed.",
        say=_STILL_HERE,
    ),
    "storage.damaged": ErrorKind(
        message="The store is damaged.",
        hint="Start the server again: it sets the store aside and restores the newest good backup.",
        say=_STILL_HERE,
    ),
    "storage.failed": ErrorKind(
        message="The disk failed while something was written; nothing is promised until the store was opened anew.",
        hint="Look at the disk; the server goes on by itself once the store can be opened and checked.",
        say=_STILL_HERE,
    ),
    "server.failed": ErrorKind(
        message="The server failed at this; it is not the client's fault.",
        hint="The log line that ref names says what happened.",
        say="Something went wrong on my side. Please try that once more.",
        retryable=True,
    ),
}


def error_frame(
    code: ErrorCode,
    *,
    ref: str,
    re: str | UnsetType = UNSET,
    message: str | None = None,
    say: str | None = None,
    current: Any = UNSET,  # see ErrorFrame.current
) -> ErrorFrame:
    """The frame for ``code`` by the table, with a closer ``message`` and the companion's own ``say``."""
    kind = ERRORS[code]
    return ErrorFrame(
        re=re,
        code=code,
        message=message or kind.message,
        hint=kind.hint,
        say=say or kind.say,
        retryable=kind.retryable,
        ref=ref,
        current=current,
    )


class BadFrame(Exception):
    """The client sent something that is not a frame of this protocol.

    Its message travels back: it says what was wrong and at which ``path``, and holds nothing of what was
    sent. ``re`` is the command's id where one could be read. With a ``close`` the connection ends;
    otherwise it stays.
    """

    code: ErrorCode = "frame.invalid"
    close: CloseCode | None = None

    def __init__(self, message: str, *, path: str = "$", re: str | UnsetType = UNSET) -> None:
        super().__init__(message)
        self.path = path
        self.re: str | UnsetType = re


class UnknownFrame(BadFrame):
    """A well-formed frame of a type that is not known here."""

    code = "frame.unknown"


class WrongKind(BadFrame):
    """A binary frame on a JSON connection, or a text frame on a MessagePack one."""

    close = CloseCode.WRONG_KIND
