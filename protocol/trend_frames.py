"""What weeks and months show: to the person of their own check-ins, to caregivers of what was felt and asked.

Every figure comes with what it rests on; where that is too little it is null, or left out. Middles are medians, and
``low`` and ``high`` the limits at 95%.
"""

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from protocol.frames import Command
from protocol.ids import Id
from protocol.times import Time
from protocol.values import Limit, Value

Direction: TypeAlias = Literal["rising", "steady", "falling"]
Day: TypeAlias = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
Days: TypeAlias = Annotated[int, Meta(ge=1, le=366)]


class MoodTrends(Command, frozen=True, kw_only=True, tag="mood.trends"):
    """The person's own check-ins, the last ``limit``, and what they show."""

    limit: Limit = 60


class CareTrends(Command, frozen=True, kw_only=True, tag="care.trends"):
    """What the last ``days`` (90) up to the last talk show. For caregivers, with live consent to ``trends``."""

    days: Days | UnsetType = UNSET


class Middle(Value, frozen=True, kw_only=True):
    """A median, or a share, and the limits it lies between."""

    middle: float
    low: float
    high: float


class Trend(Value, frozen=True, kw_only=True):
    """Where something goes: ``per_week`` in its own unit, over ``span`` days of which ``days`` have ``entries``."""

    direction: Direction
    per_week: float
    entries: int
    days: int
    span: int


class CheckInEntry(Value, frozen=True, kw_only=True):
    """One check-in, 1 to 10 each, null where it was left out. ``sure``: the clock was right; else ``at`` is not."""

    check_in: Id
    at: Time
    mood: int | None = None
    sleep: int | None = None
    anxiety: int | None = None
    stressors: tuple[str, ...] = ()
    wins: tuple[str, ...] = ()
    sure: bool = True


class CheckInTrends(Value, frozen=True, kw_only=True):
    """Where each measure goes; null where there is too little to say."""

    mood: Trend | None = None
    sleep: Trend | None = None
    anxiety: Trend | None = None


class TalkHabits(Value, frozen=True, kw_only=True):
    """How often they talked so far, how long usually, and in which parts of the day (the most frequent first)."""

    talks: int
    minutes: int | None = None
    parts: tuple[Literal["morning", "afternoon", "evening", "night"], ...] = ()


class MoodTrendsNow(Value, frozen=True, kw_only=True):
    """Check-ins, oldest first, and where the last four weeks of them go; a measure with too little has no trend."""

    check_ins: tuple[CheckInEntry, ...]
    trends: CheckInTrends
    habits: TalkHabits


class Baseline(Value, frozen=True, kw_only=True):
    """How much distress (0 to 1) is usual, of the medians of the last ``sessions`` talks.

    ``unusual``: that of the latest talk lies far above; null where there are too few to tell.
    """

    usual: Middle
    sessions: int
    latest: float
    unusual: bool | None


class DayParts(Value, frozen=True, kw_only=True):
    """Distress in the morning (6 to 12) and in the evening (18 to 23); ``later`` is by how much evenings lie higher.

    Whether they differ is told only by limits of which both are above 0, or both below.
    """

    mornings: float
    evenings: float
    morning_days: int
    evening_days: int
    later: Middle


class Week(Value, frozen=True, kw_only=True):
    """Seven days up to ``until``; ``distress`` is null where too little was said."""

    until: Day
    distress: float | None
    days: int
    messages: int


class AskedOften(Value, frozen=True, kw_only=True):
    """A kind of question: how often in all, and in each week (the oldest first)."""

    kind: str
    count: int
    weeks: tuple[int, ...]
    direction: Trend | None = None


class Effect(Value, frozen=True, kw_only=True):
    """How distress changed from the message that a story answered to the next; below 0 is calmer.

    ``eased``: the share of ``uses`` after which it was lower. ``otherwise``: the median change where no story was told
    and distress was about as high, ``otherwise_uses`` times; null where that is too seldom.
    """

    name: str
    title: str
    uses: int
    change: Middle
    eased: Middle
    verdict: Literal["calms", "no_clear_change", "unsettles"]
    otherwise: float | None
    otherwise_uses: int


class CareTrendsNow(Value, frozen=True, kw_only=True):
    """What ``messages`` in ``sessions`` talks show. ``say`` tells it in plain sentences.

    ``set_aside``: messages that came while the clock was wrong; they are in no figure by the hour. ``too_few``: stories
    told too seldom to say anything.
    """

    days: int
    until: Day | None
    messages: int
    sessions: int
    set_aside: int
    say: tuple[str, ...]
    baseline: Baseline | None = None
    parts: DayParts | None = None
    weeks: tuple[Week, ...] = ()
    direction: Trend | None = None
    questions: tuple[AskedOften, ...] = ()
    categories: tuple[Effect, ...] = ()
    stories: tuple[Effect, ...] = ()
    too_few: int = 0
