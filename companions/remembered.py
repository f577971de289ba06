"""What is remembered of a person, as it comes from the store, and the part of it a policy lets through.

``Permitted`` is what the prompt builder takes. It is made by ``permit`` alone, which drops what the companion's
policy does not name: other memory cannot reach a prompt, because no value with it in can be passed.
"""

from collections.abc import Sequence
from typing import Annotated, Literal, TypeAlias

import msgspec

from companions.fact_changes import FactOrigin
from companions.policy_memory import Memory
from memory.check_ins import Habits, Measure
from memory.recall import Remembered as Index
from memory.recall import Stated
from memory.slopes import Trend
from memory.statements_kinds import Statement

Style: TypeAlias = Literal["direct", "gentle", "socratic", "validating"]
Length: TypeAlias = Literal["brief", "standard", "extended"]
Score: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=10)]


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """What a person told about themselves once (wellness document, static context)."""

    name: str | None = None
    preferred_name: str | None = None
    age: int | None = None
    pronouns: str | None = None
    primary_goals: tuple[str, ...] = ()
    secondary_goals: tuple[str, ...] = ()
    communication_style: Style | None = None
    session_length: Length | None = None
    topics_to_avoid: tuple[str, ...] = ()
    coping_strategies: tuple[str, ...] = ()
    crisis_contact: str | None = None
    therapist: str | None = None
    country: str | None = None


class CheckIn(msgspec.Struct, frozen=True, kw_only=True):
    """The last check-in, and what was named in those of late (wellness document, dynamic context).

    ``on`` is a date, YYYY-MM-DD; empty where the clock was wrong.
    """

    on: str
    mood: int | None = None
    sleep: int | None = None
    anxiety: int | None = None
    stressors: tuple[str, ...] = ()
    wins: tuple[str, ...] = ()


class Lately(msgspec.Struct, frozen=True, kw_only=True):
    """How the person has been, and how they talk (wellness document, dynamic context): made before a talk, and kept.

    ``days_since`` is since the talk before; None where there was none, or a clock cannot be believed.
    """

    trends: tuple[tuple[Measure, Trend], ...] = ()
    habits: Habits = Habits()
    days_since: int | None = None


class Caregiver(msgspec.Struct, frozen=True, kw_only=True):
    """What a caregiver gave (dementia storage design, users.caregiver_context)."""

    preferred_name: str | None = None
    known_topics: tuple[str, ...] = ()
    avoid_topics: tuple[str, ...] = ()
    routine: tuple[str, ...] = ()


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """Health context of this session, given by the client: used, never stored, never logged (D23).

    The most telling first; the wellness document's key metrics are sleep, heart rate variability, mindfulness.
    """

    lines: tuple[str, ...]


class FactLine(msgspec.Struct, frozen=True, kw_only=True):
    """A fact as it is told to a model. ``on`` is the date it was last said, YYYY-MM-DD.

    ``origin`` is where it comes from. ``faded``: neither said nor used for longer than the policy's time, so that
    others come first (guarantee 19). ``rests_on`` are the messages with the last of which it goes; none for what
    stays without any.
    """

    id: str
    category: str
    text: str
    confidence: float = 0.5
    pinned: bool = False
    on: str = ""
    origin: FactOrigin = "extracted"
    faded: bool = False
    statement: Statement | None = None  # what it states; None for words that are kept as they were said
    rests_on: tuple[str, ...] = ()


class PastTalk(msgspec.Struct, frozen=True, kw_only=True):
    """The summary of a closed conversation. ``on`` is a date, ``part`` the part of the day."""

    id: str
    on: str
    part: str
    text: str


class Remembered(msgspec.Struct, frozen=True, kw_only=True):
    """Everything loaded for a session. What is not loaded is empty; ``told_before`` is oldest first."""

    profile: Profile = Profile()
    caregiver: Caregiver = Caregiver()
    check_in: CheckIn | None = None
    lately: Lately | None = None
    facts: tuple[FactLine, ...] = ()
    summaries: tuple[PastTalk, ...] = ()  # by close order, the latest last
    key_facts: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    stated: tuple[Stated, ...] = ()  # of earlier conversations
    index: Index = msgspec.field(default_factory=Index)  # a cache: it follows what was stated
    told_before: tuple[str, ...] = ()
    calmed_before: tuple[str, ...] = ()  # stories after which there was less distress; never for a prompt

    def without(self, messages: Sequence[str]) -> "Remembered":
        """The same without the facts that rest on ``messages`` alone."""
        gone = set(messages)
        left = tuple([each for each in self.facts if not each.rests_on or not gone.issuperset(each.rests_on)])
        return self if len(left) == len(self.facts) else msgspec.structs.replace(self, facts=left)


class Permitted(msgspec.Struct, frozen=True, kw_only=True):
    """What this companion's model may be given. Made by ``permit``."""

    profile: Profile | None = None
    caregiver: Caregiver | None = None
    check_in: CheckIn | None = None
    lately: Lately | None = None
    health: Health | None = None
    facts: tuple[FactLine, ...] = ()
    summaries: tuple[PastTalk, ...] = ()
    key_facts: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    stated: tuple[Stated, ...] = ()  # in earlier conversations
    stated_here: tuple[Stated, ...] = ()
    anchors: tuple[str, ...] = ()
    stranger: bool = False  # nothing that may be used is known from before this conversation


def permit(
    memory: Memory,
    remembered: Remembered,
    *,
    health: Health | None,
    stated_here: tuple[Stated, ...],
    anchors: tuple[str, ...],
) -> Permitted:
    """The part of ``remembered``, and of the open conversation, that ``memory`` names.

    Facts, summaries and check-ins live across conversations: a companion that may only use its own conversation
    has none of them.
    """

    def across(reach: str) -> bool:
        return reach == "across"

    known = Permitted(
        profile=remembered.profile if across(memory.profile) else None,
        caregiver=remembered.caregiver if across(memory.caregiver) else None,
        check_in=remembered.check_in if across(memory.check_in) else None,
        lately=remembered.lately if across(memory.check_in) else None,
        facts=remembered.facts if across(memory.facts) else (),
        summaries=remembered.summaries if across(memory.summaries) else (),
        key_facts=remembered.key_facts if across(memory.key_facts) else (),
        topics=remembered.topics if across(memory.key_facts) else (),
        stated=remembered.stated if across(memory.recall) else (),
    )
    return msgspec.structs.replace(
        known,
        health=health if memory.health != "never" else None,
        stated_here=stated_here if memory.recall != "never" else (),
        anchors=anchors if memory.anchors != "never" else (),
        stranger=known in _STRANGERS,
    )


# Nothing known, whether or not a kind of memory is allowed.
_STRANGERS = [
    Permitted(profile=profile, caregiver=caregiver)
    for profile in (None, Profile())
    for caregiver in (None, Caregiver())
]
