"""Limits at 95%: they hold what they promise, and are not given for too little."""

import random

import pytest

from memory.intervals import Interval, of_median, share, shift


def test_below_six_values_a_median_has_no_limits() -> None:
    assert of_median([0.1] * 5) is None
    assert of_median([1, 2, 3, 4, 5, 6]) == Interval(3.5, 1, 6)


def test_the_limits_of_a_median_are_those_of_the_tables() -> None:
    """Ranks of the 95% interval for a median: 2 of 9, 3 of 12, 6 of 20, 10 of 30 (a sign test's tables)."""
    ranks = {9: 2, 12: 3, 20: 6, 30: 10}
    for count, rank in ranks.items():
        found = of_median([float(each) for each in range(1, count + 1)])
        assert found is not None
        assert (found.low, found.high) == (rank, count + 1 - rank)


@pytest.mark.parametrize("count", [6, 17, 60, 500])
def test_a_medians_limits_hold_it_at_least_nineteen_times_in_twenty(count: int) -> None:
    dice = random.Random(count)
    held = 0
    for _ in range(300):
        found = of_median([dice.expovariate(1.0) for _ in range(count)])
        assert found is not None
        held += found.low <= 0.6931 <= found.high
    assert held / 300 >= 0.92, "0.95, less two and a half spreads"


def test_a_share_has_wilsons_limits() -> None:
    """Newcombe 1998, table I: 81 of 263 has 0.2553 to 0.3662; 0 of 20 has 0 to 0.1611."""
    found = share(81, 263)
    assert (round(found.low, 4), round(found.high, 4)) == (0.2553, 0.3662)
    none = share(0, 20)
    assert (none.middle, none.low, round(none.high, 4)) == (0, 0, 0.1611)


def test_a_shift_is_found_with_its_limits() -> None:
    before, after = [0.1, 0.2, 0.3, 0.2, 0.1], [0.6, 0.7, 0.5, 0.6, 0.8]
    found = shift(before, after)
    assert found.low > 0
    assert found.low <= found.middle <= found.high
    mirrored = shift(after, before)
    assert (mirrored.middle, mirrored.low, mirrored.high) == (-found.middle, -found.high, -found.low)


def test_the_limits_of_a_shift_hold_it_about_nineteen_times_in_twenty() -> None:
    dice = random.Random(3)
    held = 0
    for _ in range(300):
        found = shift([dice.gauss(0, 1) for _ in range(12)], [dice.gauss(0.5, 1) for _ in range(9)])
        held += found.low <= 0.5 <= found.high
    assert 0.92 <= held / 300 <= 0.99
