"""What those who care for a person are allowed to see, and what they bring in.

The person decides for themselves; a caregiver on the basis that their grant names. Who has no grant for a person
is refused with ``auth.forbidden``, and whatever no live consent covers with ``policy.refused``.
"""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from protocol.alert_frames import FOR_ALERTED
from protocol.frames import Command, Numbered
from protocol.ids import ConversationId, Id, NoteId
from protocol.times import Time
from protocol.trend_frames import CareTrends
from protocol.values import Cursor, Limit, Line, Lines, Role, Value

Basis: TypeAlias = Literal["self", "parent", "legal_representative", "best_interest"]
Scope: TypeAlias = Literal["notes", "summaries", "trends", "transcripts", "watching"]
Scopes: TypeAlias = Annotated[tuple[Scope, ...], Meta(min_length=1, max_length=5)]


class ConsentSet(Command, frozen=True, kw_only=True, tag="consent.set"):
    """Allow something to be seen by those who care for the person, or take it back (``allow`` false).

    ``basis`` is ``self`` for the person. A consent is looked at again on ``review``, at most a year from now, and is
    none from then on; left out, it is a year. The person's own no to ``transcripts`` and ``watching`` stops both,
    whatever others granted. On a basis that one has not, or that does not reach so far: ``policy.refused``.
    """

    scopes: Scopes
    allow: bool
    basis: Basis = "self"
    review: Time | UnsetType = UNSET


class ConsentList(Command, frozen=True, kw_only=True, tag="consent.list"):
    """What stands: every consent that was not withdrawn, and in plain words what is shared with whom."""


class ConsentEntry(Value, frozen=True, kw_only=True):
    """One decision that stands. ``live``: it holds now. ``review`` is null for a no, which holds until taken back."""

    consent: Id
    scope: Scope
    basis: Basis
    by: str
    allowed: bool
    live: bool
    since: Time
    review: Time | None = None


class CareContext(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a caregiver tells a companion about the person, so that it can be good company."""

    preferred_name: Line | None = None
    known_topics: Lines = ()
    avoid_topics: Lines = ()
    routine: Lines = ()


class CareContextGet(Command, frozen=True, kw_only=True, tag="care.context.get"):
    """What caregivers have told the companion. For caregivers."""


class CareContextSet(Command, frozen=True, kw_only=True, tag="care.context.set"):
    """The whole of it anew: what is left out is gone. For caregivers; talks that are open go on with it."""

    context: CareContext


class CareNotes(Command, frozen=True, kw_only=True, tag="care.notes"):
    """The notes on a student's lessons, the latest first; ``unread``: only those that one has not read yet oneself.

    For caregivers, with the parent's live consent to ``notes``; otherwise ``policy.refused``.
    """

    cursor: Cursor | UnsetType = UNSET
    limit: Limit = 20
    unread: bool = False


class CareNotesRead(Command, frozen=True, kw_only=True, tag="care.notes.read"):
    """A note was read, by whoever says so."""

    note: NoteId


class LessonEvaluation(Value, frozen=True, kw_only=True):
    """How a lesson is judged: 1 to 5 each, null where it cannot be told."""

    engagement: int | None = None
    understanding: int | None = None
    strengths: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()


class LearnedEntry(Value, frozen=True, kw_only=True):
    """Something a student showed to have learned in a lesson, which began at ``at``.

    ``learned`` is null where it could only be told in the student's own words. ``before``: in how many earlier
    lessons the same topic came up, 0 where it is new; ``since`` is when the first of them began.
    """

    topic: str
    at: Time
    learned: str | None = None
    before: int = 0
    since: Time | None = None


class NoteEntry(Value, frozen=True, kw_only=True):
    """A note on a lesson, brief and practical, without a sentence of the student's; ``learned``: what they learned."""

    note: NoteId
    companion: str
    subject: str
    minutes: int
    at: Time
    read: bool
    summary: str
    highlights: tuple[str, ...] = ()
    concerns: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    evaluation: LessonEvaluation | None = None
    learned: tuple[LearnedEntry, ...] = ()


class CareEmotions(Command, frozen=True, kw_only=True, tag="care.emotions"):
    """What was felt, message by message, the latest first. For caregivers, with live consent to ``trends``."""

    since: Time | UnsetType = UNSET
    until: Time | UnsetType = UNSET
    cursor: Cursor | UnsetType = UNSET
    limit: Limit = 50


class CareRepetition(Command, frozen=True, kw_only=True, tag="care.repetition"):
    """How often each kind of question came in the last ``days``, and what came again and again in one talk.

    For caregivers, with live consent to ``trends``.
    """

    days: Annotated[int, Meta(ge=1, le=366)] | UnsetType = UNSET


class CareSummaries(Command, frozen=True, kw_only=True, tag="care.summaries"):
    """What talks came to, the latest first. For caregivers, with live consent to ``summaries``."""

    cursor: Cursor | UnsetType = UNSET
    limit: Limit = 20


class CareHistory(Command, frozen=True, kw_only=True, tag="care.history"):
    """A talk word for word, its end first. For caregivers, with live consent to ``transcripts``."""

    conversation: ConversationId
    cursor: Cursor | UnsetType = UNSET
    limit: Limit = 50


class WatchingEnded(Numbered, frozen=True, kw_only=True, tag="watch.ended"):
    """There is nothing more to look on at: the talk is over, or consent is."""


class EmotionEntry(Value, frozen=True, kw_only=True):
    """What was read in one message: ``intensity`` as the companion's set has it, ``distress`` from 0 to 1."""

    at: Time
    emotion: str
    intensity: int
    distress: float
    trajectory: str


class ChronicEntry(Value, frozen=True, kw_only=True):
    """A question that came again and again in one talk, and how often it had come before when it came last."""

    question_type: str
    object: str
    repeats: int
    at: Time


class TalkSummaryEntry(Value, frozen=True, kw_only=True):
    """What a talk came to; ``at`` is when it began."""

    conversation: ConversationId
    at: Time
    text: str


class TranscriptEntry(Value, frozen=True, kw_only=True):
    """One message, as it was said."""

    role: Role
    text: str
    at: Time


FOR_CAREGIVERS: Final = (
    CareContextGet,
    CareContextSet,
    CareNotes,
    CareNotesRead,
    CareEmotions,
    CareRepetition,
    CareSummaries,
    CareHistory,
    CareTrends,
    *FOR_ALERTED,
)
"""What nobody may ask but who holds a grant."""
