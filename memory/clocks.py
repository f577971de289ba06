"""Which times can be believed, of things that were stored one after another under a clock that may jump (D6).

A device without a battery may boot in 1970 or wake up ten years ahead. Order comes from the store's counter; from
that order it can be seen, afterwards, which times cannot be: time does not run back, and nobody is away for years.
"""

from collections.abc import Sequence
from itertools import pairwise

import msgspec

DAY_MS = 24 * 3_600_000
EARLIEST_MS = (
    1_735_689_600_000  # 2025-01-01 UTC, before the first version of this program: no clock is right there
)
LONGEST_PAUSE_MS = 366 * DAY_MS  # between one thing and the next; a longer step is taken for a jump
SAME_MS = 3_600_000  # a clock that is put right by less is the same clock


class Placed(msgspec.Struct, frozen=True):
    """When something was, in the days of the place where it was stored.

    ``day`` counts days and only differences mean something; ``hour`` is 0 to 23, None where the clock was wrong: then
    the day is that of what was stored before it.
    """

    day: int
    hour: int | None


class _Run(msgspec.Struct):
    """Things stored under one and the same clock: ``first`` and ``last`` are places, ``since`` and ``until`` times."""

    first: int
    last: int
    since: int
    until: int

    @property
    def size(self) -> int:
        return self.last - self.first + 1


def believable(times: Sequence[int]) -> tuple[bool, ...]:
    """For each of ``times`` (milliseconds since 1970, in the order they were stored) whether it can be believed.

    They fall into runs, each ended by a step of more than an hour. Of all ways to pick runs that follow one another
    without a step back, and without one of more than a year ahead, the one that keeps most is believed; of equals the
    latest.
    """
    if _one_clock(times):
        return (True,) * len(times)
    good = [False] * len(times)
    for run in _most(_runs(times)):
        good[run.first : run.last + 1] = [True] * run.size
    return tuple(good)


def _one_clock(times: Sequence[int]) -> bool:
    """Nothing speaks against any of them, as nearly always."""
    if times and times[0] < EARLIEST_MS:
        return False
    return all(_follows(before, after) for before, after in pairwise(times))


def _runs(times: Sequence[int]) -> list[_Run]:
    runs: list[_Run] = []
    for place, at in enumerate(times):
        if at < EARLIEST_MS:
            continue
        run = runs[-1] if runs else None
        if run is not None and run.last == place - 1 and abs(at - run.until) <= SAME_MS:
            run.last, run.until = place, max(run.until, at)
        else:
            runs.append(_Run(place, place, at, at))
    return runs


def _follows(before: int, after: int) -> bool:
    return -SAME_MS <= after - before <= LONGEST_PAUSE_MS


def _most(runs: Sequence[_Run]) -> list[_Run]:
    """The chain of runs that keeps most things."""
    kept: list[int] = []
    previous: list[int | None] = []
    for at, run in enumerate(runs):
        fitting = [each for each in range(at) if _follows(runs[each].until, run.since)]
        best = max(fitting, key=lambda each: (kept[each], each), default=None)
        previous.append(best)
        kept.append(run.size + (kept[best] if best is not None else 0))
    chain: list[_Run] = []
    place = max(range(len(runs)), key=lambda each: (kept[each], each), default=None)
    while place is not None:
        chain.append(runs[place])
        place = previous[place]
    return chain[::-1]


def days_filled(days: Sequence[int], good: Sequence[bool]) -> tuple[int, ...]:
    """``days`` where they are ``good``; elsewhere the last good one before, or the first after; 0 where none is."""
    known = next((day for day, is_good in zip(days, good, strict=True) if is_good), 0)
    filled: list[int] = []
    for day, is_good in zip(days, good, strict=True):
        known = day if is_good else known
        filled.append(known)
    return tuple(filled)
