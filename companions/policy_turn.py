"""How a turn is shaped: feelings, repetition, stories, pace, the model's settings."""

from typing import Annotated, Literal, TypeAlias

import msgspec

from companions.policy_memory import Count, Positive, Share, Tool
from companions.tables import Table
from memory.emotion import LABELS
from memory.intent import Intent

EmotionSet: TypeAlias = Literal["wellness", "dementia", "none"]
NarrativeLength: TypeAlias = Literal["short", "medium", "long"]
NarrativeCategory: TypeAlias = Literal[
    "calming_story", "grounding", "memory_loop", "companionship", "reassurance", "gentle_joy"
]
NarrativeRole: TypeAlias = Literal["none", "seed", "primary"]
AnswerLength: TypeAlias = Literal["standard", "brief", "short"]

NARRATIVE_CATEGORIES: tuple[NarrativeCategory, ...] = (
    "calming_story",
    "grounding",
    "memory_loop",
    "companionship",
    "reassurance",
    "gentle_joy",
)
ANSWER_LENGTHS: tuple[AnswerLength, ...] = ("standard", "brief", "short")
WARMTH_LEVELS = 4


def emotions(kinds: EmotionSet) -> tuple[str, ...]:
    """The labels of a set; ``none`` has no label."""
    return () if kinds == "none" else LABELS[kinds]


class Emotion(Table, frozen=True, kw_only=True):
    """Which feelings are read in a message (wellness: 12 kinds; dementia: 7), and what guides the tone."""

    set: EmotionSet = "none"
    tone_from_last: Count = 0  # the last so many readings guide the tone; 0: none (dementia: 3)


class Stories(Table, frozen=True, kw_only=True):
    """Which stories serve what a person wants. An intent that is not listed gets none."""

    by_intent: dict[Intent, tuple[NarrativeCategory, ...]] = {}  # noqa: RUF012  # msgspec copies an empty default
    fallback: tuple[NarrativeCategory, ...] = ()  # told when the model is away and no intent says better


class Strategy(Table, frozen=True, kw_only=True):
    """How a question is answered from so many earlier matches on (dementia storage design, 4.4, 6.2)."""

    repeats: Count
    warmth: Annotated[int, msgspec.Meta(ge=0, lt=WARMTH_LEVELS)]
    length: AnswerLength = "standard"
    max_tokens: Positive | None = None  # of the answer; None: the model's usual
    narrative: NarrativeRole = "none"  # seed: colours the answer; primary: the answer is told from it
    category: NarrativeCategory | None = None  # from which pool; None: by intent
    prefer: NarrativeLength | None = None
    keep_what_calmed: bool = False  # a story that calmed may return in other words


class Repetition(Table, frozen=True, kw_only=True):
    """Repeated questions. Without a strategy they are not looked for."""

    similarity: Share = 0.6  # fingerprints more alike than this are the same question
    across_days: Positive = 7  # how far back caregivers' counts look
    chronic_from: Positive = 5  # repeats in a session from which caregivers are shown the pattern
    strategy: tuple[Strategy, ...] = ()

    def at(self, repeats: int) -> Strategy | None:
        """The strategy for a message with so many earlier matches."""
        fitting = [each for each in self.strategy if each.repeats <= repeats]
        return max(fitting, key=lambda each: each.repeats) if fitting else None


class Pacing(Table, frozen=True, kw_only=True):
    """How fast words appear. ``None``: as they come."""

    words_per_second: Annotated[float, msgspec.Meta(ge=0.5, le=50)] | None = None
    sentence_pause_ms: Annotated[int, msgspec.Meta(ge=0, le=5_000)] = 0


class Model(Table, frozen=True, kw_only=True):
    """What is asked of the language model."""

    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] = 0.7
    max_tokens: Positive = 1_000  # of one answer
    patience_seconds: Annotated[float, msgspec.Meta(gt=0, le=120)] | None = (
        None  # then a story is told instead
    )
    local_only: bool = False  # a model beyond loopback is refused at start
    tools: tuple[Tool, ...] = ()
