"""What the actors ask of the rest of the server, as functions and ports."""

from collections.abc import Awaitable, Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Protocol

import msgspec

from actors.mail import Mail
from actors.reading import Aside, on_a_thread
from actors.runtime import Address
from actors.writer import Write
from companions.changes import AnyChange, CommandDone, CommandId, MessageSaid, Refused, Repeated
from companions.companion import Companion
from companions.contacts import Contacts
from companions.events import Minted, Report
from companions.owed import Owed
from companions.ports import LanguageModel, ToolAnswer, ToolCall
from companions.remembered import Remembered
from companions.state import Rules, Who
from companions.talk import Talk
from companions.unsaying import Unsaid
from memory.messages import Message
from protocol.catalogue import AnyCommand
from protocol.values import Value


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation read back: what the session holds of it, and what a client is shown first."""

    talk: Talk
    messages: tuple[Message, ...]
    unanswered: tuple[Message, ...]
    closed: bool


class CommandRefused(Exception):
    """A command cannot be done: ``code`` is one of the wire's error codes; ``current`` is what stands instead."""

    def __init__(self, code: str, message: str | None = None, *, current: Value | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.message = message
        self.current = current


class Waits(msgspec.Struct, frozen=True):
    """What a command came to has not landed yet: the store refuses, or is not there."""

    change: MessageSaid | CommandDone


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """What a command comes to: its result, and the changes that must land before it is told."""

    result: Value
    changes: tuple[AnyChange, ...] = ()
    unsaid: Unsaid | None = None  # what the changes remove
    after: Callable[[], Awaitable[Value]] | None = None  # makes the result, once all of it is gone


class Desk(Protocol):
    """Questions to the store, and commands on what is stored. Every one of them names its user."""

    async def load(self, who: Who, conversation: str, *, read: bool = True) -> Opening | None:
        """A conversation of that user with that companion; ``"last"`` is the one they were in.

        Without ``read`` it can be shown, not gone on with: what its messages ask and state is left out, for which
        every one of them is read.
        """
        ...

    async def remember(self, who: Who, open_talk: str | None = None) -> Remembered:
        """What is remembered of the user and may matter to this companion, outside of the open talk."""
        ...

    async def retained(self, command: CommandId) -> Repeated | Refused | Waits | None:
        """What came of a command with that id before."""
        ...

    async def answer(self, who: Who, command: AnyCommand, at: int) -> Done:
        """Do a command that is not about the open talk; raises ``CommandRefused``."""
        ...

    async def run_tool(
        self, who: Who, call: ToolCall, talk: str | None = None, hidden: AbstractSet[str] = frozenset()
    ) -> ToolAnswer:
        """What a tool that the policy allows gives to the model; nothing of the messages that are ``hidden``.

        Who, and the open talk, are the session's own.
        """
        ...


async def no_contacts(_who: Who) -> Contacts:
    """Where nobody is named."""
    return Contacts()


async def nothing_owed(_who: Who) -> Owed | None:
    """Where nobody decides for anybody else."""
    return None


async def at_once() -> None:
    """Nothing is waited for."""


async def no_vector(_text: str) -> tuple[float, ...] | None:
    """Where there is no embedder."""
    return None


async def nothing_held(_who: Who, _unsaid: Unsaid, _by: Address[Mail]) -> None:
    """Where there are no other sessions, and no files to clean."""


@dataclass(frozen=True, kw_only=True)
class Services:
    """What every session is handed. Sessions share it; it holds no state of theirs."""

    writer: Address[Write]
    model: LanguageModel
    desk: Desk
    now_ms: Callable[[], int]
    mint: Callable[[int], Minted]  # fresh ids for an exchange, with so many job ids
    new_ref: Callable[[], str]
    hand_over: Callable[[str], None]  # nudge summarizer and extractor; never waits
    take_over: Callable[[str, Address[Mail]], Awaitable[None]]  # end another session's hold on a conversation
    holds: Callable[[str, str | None], None]  # the session of that id has this conversation now, or none
    alert: Callable[[Who, str, str, int, tuple[str, ...]], None]
    report: Callable[[Who, Report], None]
    measure: "Measures"
    contacts: Callable[[Who], Awaitable[Contacts]] = no_contacts  # who is there to be told of an alert (D25)
    unsay: Callable[[Who, Unsaid, Address[Mail]], Awaitable[None]] = (
        nothing_held  # other sessions let go of it
    )
    unsaid: Callable[[Who, Unsaid, Address[Mail]], Awaitable[None]] = (
        nothing_held  # it was removed: forget it
    )
    memory_changed: Callable[[Who, tuple[str, ...]], None] = lambda _who, _items: None  # by the person
    vector: Callable[[str], Awaitable[tuple[float, ...] | None]] = no_vector  # of a message, in time (D32)
    aside: Aside = on_a_thread  # where a message is read that is not short (D32)
    owed: Callable[[Who], Awaitable[Owed | None]] = nothing_owed  # what the person is still to be told
    decided: Callable[[Who], None] = lambda _who: None  # the person has decided who may see what
    trouble: Callable[[], str | None] = lambda: None  # why the store takes nothing now, as an error code
    warmed: Callable[[], Awaitable[object]] = (
        at_once  # what messages are read by is there, soon after a start
    )
    restored: bool = False  # a damaged store was restored from a backup at this start


class Measures(Protocol):
    """What is counted. No text, no name."""

    def said(self) -> None:
        """A message was taken."""
        ...

    def first_delta(self, seconds: float) -> None:
        """From the message to the first word shown."""
        ...

    def answered(self, companion: str, source: str, status: str) -> None:
        """An answer is over."""
        ...

    def tokens(self, companion: str, prompt: int, completion: int) -> None:
        """Tokens as the model server counted them."""
        ...


@dataclass(frozen=True, kw_only=True)
class Cast:
    """A companion and its rules of a turn."""

    companion: Companion
    rules: Rules
