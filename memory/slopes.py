"""Whether something rises or falls over days: plain statistics that a few wild values do not mislead.

The trend is found by the Mann-Kendall test and its size by the Theil-Sen slope (R. O. Gilbert, *Statistical Methods
for Environmental Pollution Monitoring*, 1987, sections 16.4 and 16.5). Neither supposes that values are spread like a
bell or come at even distances, and a day without a value is no value.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

import msgspec

Direction: TypeAlias = Literal["rising", "steady", "falling"]


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """When something is said about a direction, and what counts as one."""

    least_days: int  # different days with a value; below, nothing is said
    least_span: int  # days from the first to the last; below, nothing is said
    least_change: float  # over the whole span, in the unit of the values; below, it is steady
    risk: float = 0.1  # of calling a direction what is chance


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    """A direction and what it rests on. ``per_week`` is the Theil-Sen slope, in the unit of the values."""

    direction: Direction
    per_week: float
    entries: int
    days: int
    span: int


def median(values: Iterable[float]) -> float:
    """The middle of ``values``, of which there is at least one."""
    ranked = sorted(values)
    middle = len(ranked) // 2
    return ranked[middle] if len(ranked) % 2 else (ranked[middle - 1] + ranked[middle]) / 2


def by_day(entries: Iterable[tuple[int, float]]) -> dict[int, float]:
    """The median of each day, the days in order: one day counts once, however much was said on it."""
    found: defaultdict[int, list[float]] = defaultdict(list)
    for day, value in entries:
        found[day].append(value)
    return {day: median(found[day]) for day in sorted(found)}


def theil_sen(points: Sequence[tuple[int, float]]) -> float:
    """The median slope over all pairs of points, in units a day; 0 for fewer than two places."""
    slopes = [
        (later - earlier) / (after - before)
        for place, (before, earlier) in enumerate(points)
        for after, later in points[place + 1 :]
        if after != before
    ]
    return median(slopes) if slopes else 0.0


def mann_kendall(values: Sequence[float]) -> float:
    """How likely at least so strong a trend is by chance alone (two-sided, with ties, corrected for continuity).

    The normal approximation of Gilbert 1987, 16.4.2; with fewer than four values nothing can be told: 1.
    """
    count = len(values)
    if count < 4:
        return 1.0
    score = sum(
        (later > earlier) - (later < earlier)
        for place, earlier in enumerate(values)
        for later in values[place + 1 :]
    )
    ties: defaultdict[float, int] = defaultdict(int)
    for value in values:
        ties[value] += 1
    spread = count * (count - 1) * (2 * count + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties.values())
    if spread == 0 or score == 0:
        return 1.0
    distance = (abs(score) - 1) / math.sqrt(spread / 18)
    return math.erfc(distance / math.sqrt(2))


def trend(entries: Sequence[tuple[int, float]], rule: Rule) -> Trend | None:
    """The direction of (day, value) entries by ``rule``; None where there is too little to say."""
    days = by_day(entries)
    span = max(days) - min(days) + 1 if days else 0
    if len(days) < rule.least_days or span < rule.least_span:
        return None
    slope = theil_sen(list(days.items()))
    clear = mann_kendall(list(days.values())) <= rule.risk and abs(slope) * (span - 1) >= rule.least_change
    direction: Direction = "steady"
    if clear:
        direction = "rising" if slope > 0 else "falling"
    return Trend(direction=direction, per_week=7 * slope, entries=len(entries), days=len(days), span=span)
