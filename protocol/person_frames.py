"""What a person tells about themselves: profile, check-ins, health.

The fields are those of the wellness companion's user context (static context, dynamic context, health data).
"""

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from protocol.frames import Command
from protocol.times import Time
from protocol.values import Line, Lines, OneToTen, Value

CommunicationStyle: TypeAlias = Literal["direct", "gentle", "socratic", "validating"]
SessionLength: TypeAlias = Literal["brief", "standard", "extended"]
Trend: TypeAlias = Literal["improving", "stable", "declining", "insufficient_data"]
SleepQuality: TypeAlias = Literal["poor", "fair", "good", "excellent"]
MinutesADay: TypeAlias = Annotated[int, Meta(ge=0, le=1_440)]
MinutesAWeek: TypeAlias = Annotated[int, Meta(ge=0, le=10_080)]
Steps: TypeAlias = Annotated[int, Meta(ge=0, le=200_000)]


class Profile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Who the person is and how they want to be talked to. All of it is optional."""

    name: Line | None = None
    preferred_name: Line | None = None
    age: Annotated[int, Meta(ge=1, le=130)] | None = None
    pronouns: Line | None = None
    primary_goals: Lines = ()
    secondary_goals: Lines = ()
    communication_style: CommunicationStyle = "gentle"
    session_length: SessionLength = "standard"
    topics_to_avoid: Lines = ()
    coping_strategies: Lines = ()
    crisis_contact: Line | None = None
    therapist: Line | None = None
    country: Annotated[str, Meta(pattern="^[A-Z]{2}$", description="ISO 3166-1 alpha-2")] | None = None


class ProfileGet(Command, frozen=True, kw_only=True, tag="profile.get"):
    """What the person has told about themselves."""


class ProfileSet(Command, frozen=True, kw_only=True, tag="profile.set"):
    """The whole profile anew: what is left out is gone."""

    profile: Profile


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


class ProfileAnswer(Command, frozen=True, kw_only=True, tag="profile.answer"):
    """The answer to one question of the beginning; without a ``value`` it is left out, and not asked again.

    A line, several lines, or a number, as the question's ``kind`` says; of a choice one of its words.
    """

    field: ProfileField
    value: Line | Lines | int | UnsetType = UNSET


class ProfileAsk(Value, frozen=True, kw_only=True):
    """What the companion would like to know next, in its own words."""

    field: ProfileField
    say: str
    kind: Literal["line", "lines", "number", "choice"]
    choices: tuple[str, ...] = ()


class ProfileNow(Value, frozen=True, kw_only=True):
    """The profile as it is kept, and what is asked next.

    ``missing`` is neither known nor was left out, in the order it is asked. ``say`` comes before the first question,
    and when there is none left; a companion that asks nothing says nothing.
    """

    profile: Profile
    missing: tuple[ProfileField, ...] = ()
    ask: ProfileAsk | None = None
    say: str | None = None


class MoodCheckIn(Command, frozen=True, kw_only=True, tag="mood.check_in"):
    """How it goes today, 1 (worst) to 10 (best) for mood and sleep, 1 (none) to 10 (most) for anxiety.

    Any may be left out, not all. Only check-ins make trends.
    """

    mood: OneToTen | UnsetType = UNSET
    sleep: OneToTen | UnsetType = UNSET
    anxiety: OneToTen | UnsetType = UNSET
    stressors: Lines = ()
    wins: Lines = ()

    def __post_init__(self) -> None:
        nothing = self.mood is UNSET and self.sleep is UNSET and self.anxiety is UNSET
        if nothing and not self.stressors and not self.wins:
            raise ValueError("Expected `mood`, `sleep`, `anxiety`, `stressors` or `wins`")


class Sleep(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One night."""

    minutes: MinutesADay
    quality: SleepQuality | None = None
    bedtime: Time | None = None
    wake_time: Time | None = None


class Health(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the person's devices measured, as far as they allow it to be used."""

    last_night: Sleep | None = None
    average_sleep_minutes: MinutesADay | None = None
    sleep_quality_trend: Trend | None = None
    steps_today: Steps | None = None
    average_steps: Steps | None = None
    exercise_minutes_this_week: MinutesAWeek | None = None
    mindful_minutes_today: MinutesADay | None = None
    mindful_minutes_this_week: MinutesAWeek | None = None
    resting_heart_rate: Annotated[int, Meta(ge=20, le=250, description="beats a minute")] | None = None
    heart_rate_variability_ms: Annotated[float, Meta(ge=0, le=1_000)] | None = None


class HealthShare(Command, frozen=True, kw_only=True, tag="health.share"):
    """Health data for this session only: never stored, never logged. Null withdraws it."""

    health: Health | None
