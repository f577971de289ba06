"""The state of a session, and what the rules of a turn are asked for.

A session is idle, or it answers a message, or it waits for an answer to land; messages that came meanwhile wait
in a queue of their own. ``Rules`` is the seam to planning: a companion's policy and readers behind four
questions.
"""

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import msgspec

from companions.changes import AnyChange, CommandId, JobKind, NarrativeUse
from companions.contacts import Contacts
from companions.events import Effect, Minted, Report, Style, TellDone, TellMessage, TellSafety
from companions.fact_changes import MemoryUse
from companions.ports import Prompt, ToolCall
from companions.remembered import Health, Remembered
from companions.speech import Judge, Manner, Speech
from companions.talk import Talk
from memory.messages import Message, Source, Status
from memory.reading import Reading

PARENTS = "parent"  # the session type of talks with parents, where a policy has them


class Who(msgspec.Struct, frozen=True, kw_only=True):
    """Whose session it is. ``space`` is the id space of commands: this session's and those it continues."""

    session: str
    space: str
    user: str
    companion: str


class Debounce(msgspec.Struct, frozen=True, kw_only=True):
    """When what was said is handed to the extractor in mid-talk; seconds of quiet, messages, seconds at most."""

    quiet: float
    messages: int
    most: float


class Folding(msgspec.Struct, frozen=True, kw_only=True):
    """When the older part of a talk is summed up: beyond ``over`` messages, and again after ``every`` more.

    The last ``keep`` stay uncovered.
    """

    over: int
    keep: int
    every: int


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The durations of a conversation, in seconds, and what happens at its end."""

    silence: float
    landing: float = 2.0  # the first word waits so long for the commit of the message; 0: for none
    late_reason: str = "storage.busy"  # why an ack goes out before the commit
    patience: float | None = None
    hold: float = 1.5  # D18
    checkpoint: float = 2.0  # D4: how often the open answer is written down
    words_per_second: float | None = None
    sentence_pause: float = 0.0
    jobs: tuple[JobKind, ...] = ("summary",)
    debounce: Debounce | None = None
    folding: Folding | None = None
    parent_mode: bool = False  # a session of the type PARENTS is apart from the student's memory
    regenerate: bool = False
    answers_after_crash: bool = False
    message_limit: int = 20

    def with_parents(self, session_type: str) -> bool:
        """Whether a talk of that type is one with parents (D27)."""
        return self.parent_mode and session_type == PARENTS

    def jobs_after(self, *, parents: bool) -> tuple[JobKind, ...]:
        """What is made of a talk that has ended; of one with parents nothing that is known of the student."""
        return tuple(job for job in self.jobs if job == "summary") if parents else self.jobs


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    """A message of the person that has no answer yet.

    ``told``: its ack was sent. ``hides_from``: another answer is wanted, and what stands from that position to
    ``hides_to`` is deleted when it lands; what is said meanwhile stands behind it, and stays.
    """

    message: Message
    reading: Reading
    ids: Minted
    command: CommandId | None = None  # the one that said it, while its ack is owed
    told: bool = False
    style: Style | None = None
    hides_from: int | None = None
    hides_to: int | None = None
    asked: CommandId | None = None  # the one that wants another answer: kept with the answer, for repeats
    begun: str = ""  # what a crash left of its answer: it was shown, and the answer goes on from there

    def hides(self, talk: Talk) -> tuple[str, ...]:
        """The messages of ``talk`` that are hidden while it is answered, and go when the answer lands."""
        if self.hides_from is None:
            return ()
        first, last = self.hides_from, self.hides_to or talk.last_position
        return tuple([each.id for each in talk.messages if first <= each.position <= last])


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How a message is answered.

    Without a ``prompt`` the model does not speak and ``own_words`` are the answer. With one, they stand in when
    the model fails. ``closing`` is a sentence that ends an answer the guard had to cut.
    """

    prompt: Prompt | None
    own_words: str
    own_source: Source
    closing: str
    manner: Manner
    judge: Judge
    going_on: str = ""  # how a model is told to go on from {shown}
    intent: str | None = None
    narrative: NarrativeUse | None = None  # told or seeded, when the model speaks
    own_narrative: NarrativeUse | None = None  # told when the companion's own words are the answer
    anchors: tuple[str, ...] = ()
    say: str | None = None  # a plain word to the person about this turn
    report: Report | None = None
    memories: tuple[MemoryUse, ...] = ()  # what of memory is before the model, and what was left out


class Alarm(msgspec.Struct, frozen=True, kw_only=True):
    """What a crisis calls for before anything else (D24, D25)."""

    tell: TellSafety | None
    level: int
    category: str
    recipients: tuple[str, ...] | None  # None: no alert is raised; empty: there is nobody to tell it


class Idle(msgspec.Struct, frozen=True, tag="idle"):
    """Nobody waits for an answer."""


class Responding(msgspec.Struct, frozen=True, kw_only=True, tag="responding"):
    """An answer is open. ``sent`` is with the client; ``ready`` may be shown and waits for its turn."""

    waiting: Waiting
    plan: Plan
    response: str
    speech: Speech = Speech()
    ready: tuple[str, ...] = ()
    sent: str = ""
    n: int = 0
    attempts: int = 1  # how often the model was asked, tools apart
    calls: tuple[ToolCall, ...] = ()
    source: Source = "model"
    over: Status | None = None  # no more words come; when ``ready`` is shown the answer ends like this
    pacing: bool = False  # the pause after a sentence runs
    holding: bool = False  # the hold timer runs
    began_ms: int = 0
    took_ms: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Landing(msgspec.Struct, frozen=True, kw_only=True, tag="landing"):
    """An answer is being written down; its end is told when it has landed."""

    done: TellDone
    created: TellMessage | None


Phase: TypeAlias = Idle | Responding | Landing


class State(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a session knows."""

    who: Who
    talk: Talk | None = None
    phase: Phase = Idle()
    queue: tuple[Waiting, ...] = ()
    remembered: Remembered = Remembered()
    contacts: Contacts = Contacts()  # who is told when an alert is raised
    health: Health | None = None  # of this session; never stored, never logged
    session_type: str = "freeform"
    title: str | None = None  # given to the next conversation by the person
    reserved: str | None = None  # the id that conversation was promised
    unhanded: int = 0  # messages of the person that the extractor was not given yet
    late: frozenset[str] = frozenset()  # messages, responses and closes told before they had landed
    leaving: bool = False  # no answer is begun any more: who takes the talk up again answers what waits

    @property
    def hidden(self) -> frozenset[str]:
        """Messages of the open talk that no answer draws on: another has their place, or is being made for it."""
        if self.talk is None:
            return frozenset()
        waiting = self.phase.waiting if isinstance(self.phase, Responding) else None
        return frozenset((*self.talk.replaced, *(waiting.hides(self.talk) if waiting is not None else ())))


Step: TypeAlias = tuple[State, Sequence[Effect]]


class Rules(Protocol):
    """A companion as the conversation sees it."""

    @property
    def settings(self) -> Settings:
        """The durations of a conversation."""
        ...

    def read(self, state: State, text: str, vector: Sequence[float] | None = None) -> Reading:
        """Read a message of the person, by its vector too where there is one."""
        ...

    def alarm(self, state: State, message: str, reading: Reading) -> Alarm | None:
        """What a crisis in ``reading`` calls for at once."""
        ...

    def ordered(self, state: State, waiting: Waiting) -> tuple[AnyChange, ...]:
        """What a message orders to be remembered or forgotten: lands with it."""
        ...

    def plan(self, state: State, waiting: Waiting) -> Plan:
        """How a message is answered."""
        ...

    def rest(self, state: State) -> None:
        """Nobody waits: prepare what the next plan would have to work out, and change nothing."""
        ...

    def anchors(self, text: str) -> tuple[str, ...]:
        """Things named in an answer."""
        ...
