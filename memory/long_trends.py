"""What months of talks show to those who care for a person: how much distress is usual, when, and what eases it.

The figures are those of the dementia companion's storage design, section 7.3: a baseline over the last 30 sessions,
mornings (6 to 12) against evenings (18 to 23), weeks, the five most frequent kinds of question, and how distress
changes in the message after a story. Where the design takes averages, medians stand here: one bad hour does not move
them. Each figure says on how much it rests; where that is too little there is none. None of it is for a prompt.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypeAlias

import msgspec

from memory.clocks import Placed
from memory.intervals import LEAST_FOR_A_MEDIAN, Interval, of_median, share, shift
from memory.slopes import Rule, Trend, by_day, median, trend

SESSIONS = 30
LEAST_FOR_UNUSUAL = 10  # sessions before the latest, to know what is usual
MORNING, EVENING = range(6, 12), range(18, 23)
LEAST_DAYS = 5  # with a morning, and with an evening
WEEKS = 8
LEAST_WEEK_DAYS = 2  # of a week that has a figure
MOST_TYPES = 5
LEAST_WEEKS_ASKED = 5
DISTRESS = Rule(least_days=10, least_span=14, least_change=0.05, risk=0.05)
QUESTIONS = Rule(least_days=LEAST_WEEKS_ASKED, least_span=LEAST_WEEKS_ASKED, least_change=2, risk=0.1)

Verdict: TypeAlias = Literal["calms", "no_clear_change", "unsettles"]


class Felt(msgspec.Struct, frozen=True, kw_only=True):
    """One message of the person, in the order they were stored. ``distress`` is 0 to 1.

    ``private``: of abuse or self-harm; it is in no figure (D25), and ends what is before it.
    """

    message: str
    session: str
    placed: Placed
    distress: float
    private: bool = False


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One question and its kind."""

    kind: str
    placed: Placed


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """A story that was the answer to ``message``, or coloured it."""

    message: str
    story: str
    category: str


class Baseline(msgspec.Struct, frozen=True, kw_only=True):
    """How much distress is usual: of the medians of the last sessions. ``unusual``: the latest lies far above."""

    usual: Interval
    sessions: int
    latest: float
    unusual: bool | None  # None: too few sessions to tell


class DayParts(msgspec.Struct, frozen=True, kw_only=True):
    """Mornings and evenings, each day counted once; ``later`` is by how much evenings lie higher."""

    mornings: float
    evenings: float
    morning_days: int
    evening_days: int
    later: Interval


class Week(msgspec.Struct, frozen=True, kw_only=True):
    """Seven days that end ``ago`` weeks before the last day with a talk; None where too little was said."""

    ago: int
    distress: float | None
    days: int
    messages: int


class AskedOften(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of question: how often in each week, the oldest first, and where that goes."""

    kind: str
    count: int
    weeks: tuple[int, ...]
    direction: Trend | None


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """How distress changed from the message a story answered to the next one; below 0 is calmer.

    ``eased`` is the share of uses after which it was lower. ``otherwise`` is the median change where no story was
    told and distress was about as high (``otherwise_uses`` times): high distress often goes down by itself.
    """

    name: str
    uses: int
    change: Interval
    eased: Interval
    verdict: Verdict
    otherwise: float | None
    otherwise_uses: int


class LongTrends(msgspec.Struct, frozen=True, kw_only=True):
    """All of it. ``set_aside``: messages whose time cannot be believed; no figure by the hour has them."""

    messages: int
    sessions: int
    set_aside: int
    last_day: int  # of a message; other days are counted back from it
    baseline: Baseline | None
    parts: DayParts | None
    weeks: tuple[Week, ...]
    direction: Trend | None
    questions: tuple[AskedOften, ...]
    categories: tuple[Effect, ...]
    stories: tuple[Effect, ...]
    too_few: int  # stories that were told too seldom to say anything


def long_trends(felt: Sequence[Felt], asked: Sequence[Asked], told: Sequence[Told]) -> LongTrends:
    """What ``felt`` shows (in the order it was stored), with the questions and the stories among it."""
    shown = [each for each in felt if not each.private]
    last = max((each.placed.day for each in shown), default=0)
    pairs = followed(felt)
    by_story = _uses(pairs, ((each.message, each.story) for each in told))
    by_category = _uses(pairs, ((each.message, each.category) for each in told))
    answered = {each.message for each in told}
    plain = [pair for message, pair in pairs.items() if message not in answered]
    stories = effects(by_story, plain)
    return LongTrends(
        messages=len(shown),
        sessions=len({each.session for each in shown}),
        set_aside=sum(each.placed.hour is None for each in shown),
        last_day=last,
        baseline=baseline(shown),
        parts=day_parts(shown),
        weeks=weeks(shown, last),
        direction=trend([(each.placed.day, each.distress) for each in shown], DISTRESS),
        questions=asked_often(asked, max([last, *(each.placed.day for each in asked)])),
        categories=effects(by_category, plain),
        stories=stories,
        too_few=len(by_story) - len(stories),
    )


def baseline(felt: Sequence[Felt]) -> Baseline | None:
    """Of the last sessions. Beyond the upper fence (J. W. Tukey, *Exploratory Data Analysis*, 1977) is unusual."""
    sessions: dict[str, list[float]] = defaultdict(list)
    for each in felt:
        sessions[each.session].append(each.distress)
    medians = [median(values) for values in sessions.values()][-SESSIONS:]
    usual = of_median(medians)
    if usual is None:
        return None
    *before, latest = medians
    unusual = latest > _upper_fence(before) if len(before) >= LEAST_FOR_UNUSUAL else None
    return Baseline(usual=usual, sessions=len(medians), latest=latest, unusual=unusual)


def _upper_fence(values: Sequence[float]) -> float:
    ranked = sorted(values)
    half = (len(ranked) + 1) // 2
    low, high = median(ranked[:half]), median(ranked[-half:])
    return high + 1.5 * (high - low)


def day_parts(felt: Sequence[Felt]) -> DayParts | None:
    """Mornings against evenings, where both were met on enough days."""
    mornings = by_day(_in_hours(felt, MORNING))
    evenings = by_day(_in_hours(felt, EVENING))
    if min(len(mornings), len(evenings)) < LEAST_DAYS:
        return None
    return DayParts(
        mornings=median(mornings.values()),
        evenings=median(evenings.values()),
        morning_days=len(mornings),
        evening_days=len(evenings),
        later=shift(list(mornings.values()), list(evenings.values())),
    )


def _in_hours(felt: Iterable[Felt], hours: range) -> list[tuple[int, float]]:
    return [(each.placed.day, each.distress) for each in felt if each.placed.hour in hours]


def weeks(felt: Sequence[Felt], last: int) -> tuple[Week, ...]:
    """The last weeks that end with the day ``last``, the oldest first."""
    found: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for each in felt:
        found[(last - each.placed.day) // 7].append((each.placed.day, each.distress))
    oldest = min(max(found, default=-1), WEEKS - 1)
    return tuple(_week(ago, found[ago]) for ago in range(oldest, -1, -1))


def _week(ago: int, entries: Sequence[tuple[int, float]]) -> Week:
    days = by_day(entries)
    enough = len(days) >= LEAST_WEEK_DAYS
    return Week(
        ago=ago, distress=median(days.values()) if enough else None, days=len(days), messages=len(entries)
    )


def asked_often(asked: Sequence[Asked], last: int) -> tuple[AskedOften, ...]:
    """The most frequent kinds of question, week by week up to the day ``last``; what is of no kind is none."""
    kinds = Counter(each.kind for each in asked if each.kind != "general")
    oldest = min(max(((last - each.placed.day) // 7 for each in asked), default=0), WEEKS - 1)
    return tuple(_often(kind, count, asked, last, oldest) for kind, count in kinds.most_common(MOST_TYPES))


def _often(kind: str, count: int, asked: Sequence[Asked], last: int, oldest: int) -> AskedOften:
    ago = Counter((last - each.placed.day) // 7 for each in asked if each.kind == kind)
    counts = tuple(ago[week] for week in range(oldest, -1, -1))
    direction = trend([(week, float(value)) for week, value in enumerate(counts)], QUESTIONS)
    return AskedOften(kind=kind, count=count, weeks=counts, direction=direction)


def followed(felt: Sequence[Felt]) -> dict[str, tuple[float, float]]:
    """For each message that another followed in its session: the distress of it, and of that one.

    What is next to something private is not counted: neither side of it is told.
    """
    latest: dict[str, Felt] = {}
    pairs: dict[str, tuple[float, float]] = {}
    for each in felt:
        before = latest.get(each.session)
        if before is not None and not before.private and not each.private:
            pairs[before.message] = (before.distress, each.distress)
        latest[each.session] = each
    return pairs


def calming_stories(felt: Sequence[Felt], told: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The stories of ``told`` (message, story) that calm, the most calming first."""
    found = effects(_uses(followed(felt), told), ())
    return tuple(each.name for each in found if each.verdict == "calms")


def _uses(
    pairs: Mapping[str, tuple[float, float]], told: Iterable[tuple[str, str]]
) -> dict[str, list[tuple[float, float]]]:
    """Before and after, by name."""
    uses: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for message, name in told:
        if message in pairs:
            uses[name].append(pairs[message])
    return uses


def effects(
    uses: Mapping[str, Sequence[tuple[float, float]]], plain: Sequence[tuple[float, float]]
) -> tuple[Effect, ...]:
    """What is known of each name, the calming ones first; what was told too seldom is not among them."""
    found = [_effect(name, uses[name], plain) for name in sorted(uses)]
    return tuple(sorted((each for each in found if each is not None), key=lambda each: each.change.middle))


def _effect(
    name: str, uses: Sequence[tuple[float, float]], plain: Sequence[tuple[float, float]]
) -> Effect | None:
    change = of_median([after - before for before, after in uses])
    if change is None:
        return None
    befores = [before for before, _ in uses]
    alike = [after - before for before, after in plain if min(befores) <= before <= max(befores)]
    eased = sum(after < before for before, after in uses)
    verdict: Verdict = "no_clear_change"
    if change.high < 0 or change.low > 0:
        verdict = "calms" if change.high < 0 else "unsettles"
    return Effect(
        name=name,
        uses=len(uses),
        change=change,
        eased=share(eased, len(uses)),
        verdict=verdict,
        otherwise=median(alike) if len(alike) >= LEAST_FOR_A_MEDIAN else None,
        otherwise_uses=len(alike),
    )
