"""The policy of a companion: ``companion.toml``, checked into frozen structs.

Everything in which companions differ is a value here or a text beside it; the engine knows none of them by
name. A key that is not known is refused, a number has its limits in its type, and what must fit together is
checked by ``companions.consistency``.
"""

from typing import Annotated, Literal, TypeAlias

import msgspec

from companions.changes import EndJob
from companions.policy_memory import (
    SECTIONS,
    Budget,
    Facts,
    Memory,
    Positive,
    Recall,
    Section,
    Summary,
    Window,
    Word,
)
from companions.policy_safety import Answers, Disclosure, Safety
from companions.policy_turn import Emotion, Model, Pacing, Repetition, Stories
from companions.tables import Table
from memory.reading import Keeping

Transcript: TypeAlias = Literal["all", "current"]
AfterCrash: TypeAlias = Literal["answer", "offer"]
Theme: TypeAlias = Literal["hearth", "meadow", "slate", "track", "paper"]
Style: TypeAlias = Literal["direct", "gentle", "socratic", "validating"]
ProfileField: TypeAlias = Literal[
    "name",
    "preferred_name",
    "age",
    "pronouns",
    "primary_goals",
    "secondary_goals",
    "communication_style",
    "session_length",
    "topics_to_avoid",
    "coping_strategies",
    "crisis_contact",
    "therapist",
    "country",
]
CheckInValue: TypeAlias = Literal["mood", "sleep", "anxiety"]
PersonaId: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9-]{0,31}$")]
ShownName: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=60)]


class Voice(Table, frozen=True, kw_only=True):
    """How the page reads aloud: factors of the device's usual speed and pitch."""

    rate: Annotated[float, msgspec.Meta(ge=0.5, le=1.5)] = 1.0
    pitch: Annotated[float, msgspec.Meta(ge=0.5, le=1.5)] = 1.0


class Persona(Table, frozen=True, kw_only=True):
    """One of several characters that share a policy; its text is ``personas/ID.md``.

    On the wire and in the store it is a companion of its own, ``NAME/ID``: memory belongs to a person and a
    persona.
    """

    id: PersonaId
    name: ShownName
    subject: ShownName


class SessionType(Table, frozen=True, kw_only=True):
    """A kind of session; what the model is told about it is ``sessions/KEY.md``."""

    label: ShownName
    asks: tuple[CheckInValue, ...] = ()  # what the page may ask at its beginning, 1 to 10 each
    crisis: bool = False  # a conversation in crisis may be continued as this type


class Debounce(Table, frozen=True, kw_only=True):
    """When what was said is handed to the extractor while a talk goes on, whichever is first."""

    quiet_seconds: Positive = 120  # without a word of the person
    messages: Positive = 12  # of the person
    most_seconds: Positive = 900  # after the first of them, however much is said


class Session(Table, frozen=True, kw_only=True):
    """A conversation from its beginning to its end."""

    silence_seconds: Positive = 1_800  # of silence end it (tutor: 900)
    default_type: Word = "freeform"
    types: dict[Word, SessionType]
    jobs: tuple[EndJob, ...] = ()  # handed over at its end
    debounce: Debounce | None = None  # facts are looked for in mid-talk too
    transcript: Transcript = "all"  # what the person's page shows: everything, or the current exchange
    after_crash: AfterCrash = "offer"  # an answer cut by a crash: given by itself, or offered
    regenerate: bool = False
    edit: bool = False
    parent_mode: bool = False  # parents have conversations of their own


class Welcome(Table, frozen=True, kw_only=True):
    """Getting to know a person: what is asked, in this order; the questions are in ``welcome.md``."""

    asks: tuple[ProfileField, ...] = ()


class Page(Table, frozen=True, kw_only=True):
    """How the page looks; its words are in ``words.md``."""

    theme: Theme = "hearth"
    text_px: Annotated[int, msgspec.Meta(ge=24, le=64)] = 24


class Policy(Table, frozen=True, kw_only=True):
    """``companion.toml``, whole."""

    format: Literal[1]
    name: ShownName
    purpose: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    language: Annotated[str, msgspec.Meta(pattern="^[a-z]{2,3}(-[A-Z]{2})?$")] = "en"
    languages: tuple[str, ...] = ()  # further ones, each a folder of its own with all the texts
    style: Style = "gentle"  # of speaking, unless the person's profile names another
    order: tuple[Section, ...] = SECTIONS  # of the prompt
    personas: tuple[Persona, ...] = ()
    voice: Voice = Voice()
    session: Session
    window: Window = Window()
    memory: Memory = Memory()
    recall: Recall = Recall()
    budget: Budget
    facts: Facts | None = None
    summary: Summary | None = None
    emotion: Emotion = Emotion()
    stories: Stories = Stories()
    repetition: Repetition = Repetition()
    safety: Safety
    answers: Answers = Answers()
    disclosure: Disclosure = Disclosure()
    pacing: Pacing = Pacing()
    model: Model = Model()
    page: Page = Page()
    welcome: Welcome = Welcome()

    @property
    def keeps(self) -> Keeping:
        """What is kept of what a message states: all, where it may become a fact or be recalled."""
        return "nothing" if self.facts is None and self.memory.recall == "never" else "all"
