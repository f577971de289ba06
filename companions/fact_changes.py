"""What changes in what is remembered of a person: what a talk proposes, and what the person orders.

A proposal only proposes. Whether it is kept, what it ends and what it must wait for is decided in the
transaction in which it lands, on the facts that are there then (decision D19).
"""

from typing import Literal, TypeAlias

import msgspec

from companions.change import Change
from memory.statements_kinds import Statement

FactOrigin: TypeAlias = Literal["extracted", "said", "edited", "imported"]
FactStatus: TypeAlias = Literal["active", "proposed", "superseded", "retracted"]
UseKind: TypeAlias = Literal["fact", "summary", "message"]
NOTE = "note"
"""The attribute of what the person has kept in words of their own that state nothing we can file."""


class Keeping(msgspec.Struct, frozen=True, kw_only=True):
    """How facts are kept here: the policy's numbers (confidence, and the limit beyond which none is new)."""

    start: float = 0.5
    step: float = 0.1
    most: float = 0.95
    explicit: float = 1.0
    hard_limit: int | None = None


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """Something that may be kept, with the messages that say it.

    ``read``: code read it in the messages it names, so it is not held against their words once more.
    ``fact`` is the id it gets when it is new. ``statement`` holds subject, attribute, value and kind, and may be
    negated: then it ends what is held. ``statement.words`` are the person's own words, where they are known.
    """

    fact: str
    statement: Statement
    category: str
    evidence: tuple[str, ...]
    language: str = ""
    confidence: float | None = None  # never above the policy's start
    read: bool = False


class Denial(msgspec.Struct, frozen=True, kw_only=True):
    """The person says in ``message`` that they never said what the companion had just claimed (``claim``)."""

    message: str
    claim: str


class FactsProposed(Change, frozen=True, kw_only=True, tag="facts_proposed"):
    """What was found in a talk and the end of its job, in one transaction. A job that has ended takes no result.

    ``made_by`` is the model's name, or ``statements`` for what code read in the person's words. What a model
    proposes is held against these words once more. Without a ``job`` (the model's own tool) only ``message``,
    which is being answered, may be cited.
    """

    job: str | None
    conversation: str
    made_by: str
    keeping: Keeping
    proposals: tuple[Proposal, ...]
    denials: tuple[Denial, ...] = ()
    message: str | None = None


class FactAdded(Change, frozen=True, kw_only=True, tag="fact_added"):
    """The person wants something remembered, by a command (``source`` is its id) or in ``message``.

    In a message it lands whatever comes of it, with the message. ``expects`` is the revision of what is
    remembered that the person's device had seen; another one makes it ``state.conflict``.
    """

    fact: str
    text: str
    statement: Statement | None
    category: str
    language: str
    keeping: Keeping
    source: str
    message: str | None = None
    expects: int | None = None


class FactEdited(Change, frozen=True, kw_only=True, tag="fact_edited"):
    """The person puts a fact right. Another ``text`` is a new version, ``into``, that no extraction overwrites.

    A proposal that is edited, or enabled, is taken: it ends what it was waiting against.
    """

    fact: str
    into: str
    source: str
    text: str | None = None
    category: str | None = None
    enabled: bool | None = None
    expects: int | None = None


class FactPinned(Change, frozen=True, kw_only=True, tag="fact_pinned"):
    """Keep a fact first, and whatever else must go; or no longer."""

    fact: str
    pinned: bool
    expects: int | None = None


class FactsForgotten(Change, frozen=True, kw_only=True, tag="facts_forgotten"):
    """The person wants facts forgotten: these ones, all of a category, or what ``words`` name in ``message``."""

    facts: tuple[str, ...] = ()
    category: str | None = None
    words: str | None = None
    statements: tuple[Statement, ...] = ()  # what ``words`` state
    message: str | None = None
    expects: int | None = None


class SummaryEdited(Change, frozen=True, kw_only=True, tag="summary_edited"):
    """The person puts the text of a summary right."""

    summary: str
    text: str
    expects: int | None = None


class SummaryForgotten(Change, frozen=True, kw_only=True, tag="summary_forgotten"):
    """The person wants a summary forgotten."""

    summary: str
    expects: int | None = None


class MemoryUndone(Change, frozen=True, kw_only=True, tag="memory_undone"):
    """The person takes back their last change to what is remembered."""

    expects: int | None = None


class MemorySwitched(Change, frozen=True, kw_only=True, tag="memory_switched"):
    """Remembering is switched off, or on again. What is said while it is off is never extracted."""

    enabled: bool


class MemoryUse(msgspec.Struct, frozen=True):
    """One memory that was before the model for an answer (``used``), or was left out, and the reason."""

    kind: UseKind
    item: str
    reason: str
    used: bool = True


FactChange: TypeAlias = (
    FactsProposed
    | FactAdded
    | FactEdited
    | FactPinned
    | FactsForgotten
    | SummaryEdited
    | SummaryForgotten
    | MemoryUndone
    | MemorySwitched
)
PersonsChange: TypeAlias = (
    FactAdded | FactEdited | FactPinned | FactsForgotten | SummaryEdited | SummaryForgotten | MemoryUndone
)
