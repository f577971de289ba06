"""What arrives in a session's inbox besides the events of its rules."""

from collections.abc import Callable
from typing import TypeAlias

import anyio
import msgspec

from actors.client import Client, Onlooker
from companions.events import Event
from companions.unsaying import Unsaid
from protocol.catalogue import AnyCommand
from protocol.frames import Event as Frame

Welcoming: TypeAlias = Callable[[bool, int, str | None], Frame]
"""Makes the welcome from: resumed, the number of the last event, the open conversation."""


class Attach(msgspec.Struct, frozen=True):
    """A client is here. ``missed_after`` is the last event it has, when its session can be resumed."""

    client: Client
    welcome: Welcoming
    missed_after: int | None


class Detach(msgspec.Struct, frozen=True):
    """The client's connection is over; the session goes on until silence ends it."""

    client: Client


class Asked(msgspec.Struct, frozen=True):
    """The client sent a command."""

    command: AnyCommand


class Refresh(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered of the person has changed: read it again.

    ``edited``: the person changed it themselves; else an open talk keeps the facts it began with (D9). The client is
    told of ``items``, unless that is None.
    """

    edited: bool = False
    items: tuple[str, ...] | None = None


class SummedUp(msgspec.Struct, frozen=True):
    """A summary of ``conversation`` up to the position ``covers`` has landed; ``tell`` makes the client's event."""

    conversation: str
    revision: int
    text: str
    covers: int
    tell: Callable[[int], Frame] | None


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody begins to look on at the open talk, or does so no longer."""

    onlooker: Onlooker
    begins: bool


class Announce(msgspec.Struct, frozen=True):
    """Tell the client something that is not of the open talk; ``make`` gets the event's number."""

    make: Callable[[int], Frame]


class Replaced(msgspec.Struct, frozen=True):
    """Another session takes the conversation over."""


class Unsay(msgspec.Struct, frozen=True):
    """Messages of a conversation are about to be removed: let go of an answer to them; ``done`` when it is."""

    unsaid: Unsaid
    done: anyio.Event


class Forgotten(msgspec.Struct, frozen=True):
    """They were removed: nothing that is held may still know them. ``late``: nobody else was told of it yet."""

    unsaid: Unsaid
    late: bool = False


class Drain(msgspec.Struct, frozen=True):
    """The server stops: no new message is taken; the open answer may finish."""

    reconnect_after_ms: int


class Cut(msgspec.Struct, frozen=True):
    """The grace of a drain is over: cut the open answer where it is."""


class Linger(msgspec.Struct, frozen=True):
    """Nobody came back to a session without a talk."""


class Disclose(msgspec.Struct, frozen=True):
    """It is time to say again that this is no human being."""


Mail: TypeAlias = (
    Attach
    | Detach
    | Asked
    | Refresh
    | SummedUp
    | Announce
    | Watch
    | Replaced
    | Unsay
    | Forgotten
    | Drain
    | Cut
    | Linger
    | Disclose
    | Event
)
