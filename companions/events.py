"""What happens to a session, and what it does about it: the values that ``step`` takes and returns.

Events are things that happened; effects are imperatives that an actor carries out. Ids and times are minted at
the edge and travel in the events, so that the rules need neither a clock nor chance.
"""

from typing import Any, Literal, TypeAlias

import msgspec

from companions.changes import AnyChange, CloseReason, CommandId, Outcome
from companions.ports import FinishReason, ModelFault, Prompt, ToolCall
from memory.messages import Message, Source, Status
from memory.reading import Reading

Style: TypeAlias = Literal["again", "shorter", "simpler"]
Timer: TypeAlias = Literal[
    "silence", "landing", "patience", "hold", "pace", "checkpoint", "quiet", "enough"
]  # quiet and enough: what was said since is handed to the extractor


class Minted(msgspec.Struct, frozen=True, kw_only=True):
    """Fresh ids for one exchange; what is not needed is thrown away."""

    conversation: str
    message: str
    response: str
    answer: str
    alert: str
    jobs: tuple[str, ...] = ()


# ---------------------------------------------------------------- events


class MessageSent(msgspec.Struct, frozen=True, kw_only=True):
    """The person sent a message."""

    command: CommandId
    text: str
    ids: Minted
    at: int
    context: msgspec.Raw | None = None
    vector: tuple[float, ...] | None = None  # of length one, where an embedder made one in time (D32)
    reading: Reading | None = None  # of a long message, which is read off the loop (D32)


class PieceCame(msgspec.Struct, frozen=True, kw_only=True):
    """Words of the model for an answer. ``attempt`` tells them from those of a stream that was stopped."""

    response: str
    attempt: int
    text: str
    at: int


class ToolAsked(msgspec.Struct, frozen=True, kw_only=True):
    """The model asked for tools; the session's actor runs them within the policy's bounds."""

    response: str
    attempt: int
    calls: tuple[ToolCall, ...]
    at: int


class ToolFound(msgspec.Struct, frozen=True, kw_only=True):
    """Tools gave the model these messages of the person: memories that are before it from now on."""

    response: str
    attempt: int
    messages: tuple[str, ...]


class ModelFinished(msgspec.Struct, frozen=True, kw_only=True):
    """The model said all it will say; ``at`` is when, and ``took_ms`` since it was asked."""

    response: str
    attempt: int
    reason: FinishReason
    at: int
    took_ms: int
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class ModelFailed(msgspec.Struct, frozen=True, kw_only=True):
    """The model broke, stalled or could not be reached."""

    response: str
    attempt: int
    fault: ModelFault
    at: int
    took_ms: int


class CancelAsked(msgspec.Struct, frozen=True, kw_only=True):
    """The person wants the answer to stop."""

    re: str
    response: str | None
    at: int


class CloseAsked(msgspec.Struct, frozen=True, kw_only=True):
    """The conversation is to end. ``re`` is None when nobody waits for an ack."""

    re: CommandId | None
    conversation: str | None
    reason: CloseReason
    ids: Minted
    at: int


class RegenerateAsked(msgspec.Struct, frozen=True, kw_only=True):
    """The person wants another answer to one of their messages."""

    command: CommandId
    message: str
    style: Style
    ids: Minted
    at: int


class TimerRang(msgspec.Struct, frozen=True, kw_only=True):
    """A timer that the rules had started is over."""

    timer: Timer
    ids: Minted
    at: int


class Saved(msgspec.Struct, frozen=True, kw_only=True):
    """A change has its outcome. ``ticket`` is what the rules gave along."""

    ticket: "Ticket"
    outcome: Outcome
    at: int


# ---------------------------------------------------------------- what travels with a change


class SaidTicket(msgspec.Struct, frozen=True):
    """The message that was said."""

    command: CommandId
    message: Message
    conversation: str


class AgainTicket(msgspec.Struct, frozen=True):
    """A message that was said before, and had not landed when it was sent again."""

    re: str
    message: str


class AnswerTicket(msgspec.Struct, frozen=True, kw_only=True):
    """What is told when an answer has landed."""

    done: "TellDone"
    created: "TellMessage | None"
    replaces: bool = False  # an earlier answer, and what followed it


class CloseTicket(msgspec.Struct, frozen=True, kw_only=True):
    """What is told when a close has landed."""

    re: str | None
    conversation: str
    reason: CloseReason


class HandedTicket(msgspec.Struct, frozen=True):
    """Work in mid-talk was queued: summarizer and extractor are to look."""

    conversation: str


class QuietTicket(msgspec.Struct, frozen=True):
    """Nobody waits for this change."""


Ticket: TypeAlias = SaidTicket | AgainTicket | AnswerTicket | CloseTicket | HandedTicket | QuietTicket

Event: TypeAlias = (
    MessageSent
    | PieceCame
    | ToolAsked
    | ToolFound
    | ModelFinished
    | ModelFailed
    | CancelAsked
    | CloseAsked
    | RegenerateAsked
    | TimerRang
    | Saved
)


# ---------------------------------------------------------------- effects


class Save(msgspec.Struct, frozen=True):
    """Write this down, with ``also`` in the same transaction; come back with ``Saved``."""

    change: AnyChange
    ticket: Ticket
    also: tuple[AnyChange, ...] = ()


class Ack(msgspec.Struct, frozen=True, kw_only=True):
    """Answer a command."""

    re: str
    message: str | None = None
    conversation: str | None = None
    durable: bool | None = None
    reason: str | None = None
    result: dict[str, Any] | None = None  # the command's own result, encoded by the wire


class Refuse(msgspec.Struct, frozen=True, kw_only=True):
    """Answer a command with an error of the wire's table."""

    re: str | None
    code: str
    say: str | None = None


class TellMessage(msgspec.Struct, frozen=True):
    """A message exists now."""

    message: Message
    conversation: str


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """Where help is: a name, how to reach it, and when."""

    name: str
    contact: str
    hours: str | None = None


class TellSafety(msgspec.Struct, frozen=True, kw_only=True):
    """Help is shown at once."""

    message: str
    category: str
    severity: int
    say: str
    resources: tuple[Resource, ...]


class TellStarted(msgspec.Struct, frozen=True, kw_only=True):
    """An answer begins."""

    response: str
    message: str
    conversation: str


class SendDelta(msgspec.Struct, frozen=True, kw_only=True):
    """More words of the open answer."""

    response: str
    n: int
    text: str
    eos: bool = False


class TellDone(msgspec.Struct, frozen=True, kw_only=True):
    """The answer is over."""

    response: str
    message: str
    conversation: str
    status: Status
    text: str
    source: Source
    durable: bool
    answer: str | None


class TellDurable(msgspec.Struct, frozen=True, kw_only=True):
    """What had been acknowledged without being durable has landed."""

    messages: tuple[str, ...] = ()
    responses: tuple[str, ...] = ()


class TellClosed(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation has ended."""

    conversation: str
    reason: CloseReason


class TellHidden(msgspec.Struct, frozen=True, kw_only=True):
    """What stands at and after ``position`` is hidden while a new answer is made."""

    conversation: str
    position: int


class TellStands(msgspec.Struct, frozen=True, kw_only=True):
    """What was hidden stands after all: how the open conversation is now."""

    conversation: str


class TellNotice(msgspec.Struct, frozen=True, kw_only=True):
    """A plain word to the person."""

    code: str
    say: str


class AskModel(msgspec.Struct, frozen=True):
    """Start the model for an answer; its words come back as events."""

    response: str
    attempt: int
    prompt: Prompt


class StopModel(msgspec.Struct, frozen=True):
    """Stop the model and close its upstream request."""

    response: str


class StartTimer(msgspec.Struct, frozen=True):
    """Ring after ``seconds``; one that runs under the same name starts anew."""

    timer: Timer
    seconds: float


class StopTimer(msgspec.Struct, frozen=True):
    """Do not ring."""

    timer: Timer


class HandOver(msgspec.Struct, frozen=True):
    """Nudge summarizer and extractor: the jobs of ``conversation`` are in the store."""

    conversation: str


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """Tell those to whom it is safe to tell (D25). The row is saved by its own effect."""

    alert: str
    category: str
    level: int
    recipients: tuple[str, ...]


class Reload(msgspec.Struct, frozen=True):
    """The state no longer matches the store: read the conversation again."""

    conversation: str


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What the planning found and left out: for metrics and logs, without text."""

    response: str
    tokens: dict[str, int]  # by tier: what was taken cost
    found: dict[str, int]  # by tier: entries there were
    items: dict[str, int]  # by tier: entries taken
    dropped: dict[str, str]  # entries left out, and why


Effect: TypeAlias = (
    Save
    | Ack
    | Refuse
    | TellMessage
    | TellSafety
    | TellStarted
    | SendDelta
    | TellDone
    | TellDurable
    | TellClosed
    | TellHidden
    | TellStands
    | TellNotice
    | AskModel
    | StopModel
    | StartTimer
    | StopTimer
    | HandOver
    | Alert
    | Reload
    | Report
)
