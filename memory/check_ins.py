"""How a person has been lately, from their own check-ins, and the habits of their talks.

Only what they said in check-ins makes a trend (decision D23). The fields are those of the wellness companion's user
context (dynamic context); a trend there is improving or declining, here it rises or falls, since high is good for mood
and sleep and bad for anxiety.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, TypeAlias

import msgspec

from memory.clocks import Placed
from memory.slopes import Rule, Trend, median, trend

Measure: TypeAlias = Literal["mood", "sleep", "anxiety"]
PartOfDay: TypeAlias = Literal["morning", "afternoon", "evening", "night"]

MEASURES: tuple[Measure, ...] = ("mood", "sleep", "anxiety")
LAST_DAYS = 28  # up to the last check-in
CURRENT_DAYS = 14  # what weighs on somebody, or went well, is told for so long
RULE = Rule(least_days=5, least_span=7, least_change=1.0, risk=0.1)
LEAST_TALKS = 5  # to tell when somebody likes to talk
LEAST_LENGTHS = 3
LONGEST_MINUTES = 12 * 60  # of a talk whose times can be believed
OFTEN = 1 / 3  # of the talks begin in a part of the day that is liked
_BORDERS: tuple[tuple[int, PartOfDay], ...] = (
    (5, "night"),
    (12, "morning"),
    (17, "afternoon"),
    (21, "evening"),
)


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One check-in: 1 to 10 each, None where it was left out."""

    placed: Placed
    mood: int | None = None
    sleep: int | None = None
    anxiety: int | None = None
    stressors: tuple[str, ...] = ()
    wins: tuple[str, ...] = ()


class Sitting(msgspec.Struct, frozen=True, kw_only=True):
    """One talk that ended: when it began, and its minutes from the first to the last message."""

    placed: Placed
    minutes: float


class Habits(msgspec.Struct, frozen=True, kw_only=True):
    """How somebody talks: how often so far, how long usually, in which parts of the day (the most frequent first)."""

    talks: int = 0
    minutes: int | None = None
    parts: tuple[PartOfDay, ...] = ()


def part_of_day(hour: int) -> PartOfDay:
    """The part of the day an hour belongs to (wellness document, session summaries)."""
    for border, name in _BORDERS:
        if hour < border:
            return name
    return "night"


def trends(entries: Sequence[Entry]) -> dict[Measure, Trend]:
    """Where mood, sleep and anxiety go over the last four weeks with a check-in; nothing for what is too little."""
    last = max((each.placed.day for each in entries), default=0)
    recent = [each for each in entries if each.placed.day > last - LAST_DAYS]
    found: dict[Measure, Trend] = {}
    for measure in MEASURES:
        if (each := trend(_values(recent, measure), RULE)) is not None:
            found[measure] = each
    return found


def _values(entries: Sequence[Entry], measure: Measure) -> list[tuple[int, float]]:
    values = [(each.placed.day, getattr(each, measure)) for each in entries]
    return [(day, float(value)) for day, value in values if value is not None]


def stressors(entries: Sequence[Entry]) -> tuple[str, ...]:
    """What weighs on the person: as they named it last, unless that is long ago."""
    return next((each.stressors for each in _current(entries) if each.stressors), ())


def wins(entries: Sequence[Entry]) -> tuple[str, ...]:
    """What went well: as they named it last, unless that is long ago."""
    return next((each.wins for each in _current(entries) if each.wins), ())


def _current(entries: Sequence[Entry]) -> list[Entry]:
    if not entries:
        return []
    since = entries[-1].placed.day - CURRENT_DAYS
    return [each for each in reversed(entries) if each.placed.day >= since]


def habits(sittings: Sequence[Sitting], talks: int) -> Habits:
    """The habits that ``sittings`` show; ``talks`` is how many there were in all.

    A length is right also under a wrong clock, unless the clock jumped in the middle of the talk.
    """
    lengths = [each.minutes for each in sittings if 0 < each.minutes <= LONGEST_MINUTES]
    hours = [each.placed.hour for each in sittings if each.placed.hour is not None]
    return Habits(
        talks=talks,
        minutes=max(1, round(median(lengths))) if len(lengths) >= LEAST_LENGTHS else None,
        parts=_liked(hours) if len(hours) >= LEAST_TALKS else (),
    )


def _liked(hours: Sequence[int]) -> tuple[PartOfDay, ...]:
    counts: Counter[PartOfDay] = Counter(part_of_day(hour) for hour in hours)
    return tuple(part for part, count in counts.most_common() if count >= OFTEN * len(hours))
