"""Directions over days: what is said, and when nothing is."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.slopes import Rule, by_day, mann_kendall, median, theil_sen, trend

RULE = Rule(least_days=5, least_span=7, least_change=1.0)


def test_a_middle_value_is_the_middle() -> None:
    assert (median([3, 1, 2]), median([4, 1, 2, 3])) == (2, 2.5)


def test_a_day_counts_once() -> None:
    assert by_day([(2, 9.0), (1, 1.0), (1, 3.0), (1, 8.0)]) == {1: 3.0, 2: 9.0}


def test_a_slope_is_not_moved_by_one_wild_value() -> None:
    line = [(day, 2.0 + 0.5 * day) for day in range(11)]
    assert theil_sen(line) == 0.5
    assert theil_sen([*line[:-1], (10, 1_000.0)]) == pytest.approx(0.5)
    assert theil_sen([(1, 5.0)]) == 0


def test_the_test_for_a_trend_agrees_with_its_formula() -> None:
    """Ten values of which one stands out of order, S = 43: z = (43 - 1) / sqrt(10 * 9 * 25 / 18)."""
    values = [1.0, 2.0, 3.0, 5.0, 4.0, 6.0, 7.0, 8.0, 9.0, 10.0]
    assert mann_kendall(values) == pytest.approx(math.erfc(42 / math.sqrt(125) / math.sqrt(2)))
    tied = [1.0, 1.0, 2.0, 2.0, 3.0]  # S = 8, two ties of two
    spread = (5 * 4 * 15 - 2 * (2 * 1 * 9)) / 18
    assert mann_kendall(tied) == pytest.approx(math.erfc(7 / math.sqrt(spread) / math.sqrt(2)))


def test_too_few_values_or_equal_ones_are_no_trend() -> None:
    assert mann_kendall([1.0, 2.0, 3.0]) == 1
    assert mann_kendall([4.0] * 20) == 1


@pytest.mark.parametrize(("step", "found"), [(0.4, "rising"), (-0.4, "falling"), (0.0, "steady")])
def test_a_direction_is_named_with_what_it_rests_on(step: float, found: str) -> None:
    entries = [(day, 5.0 + step * day) for day in range(0, 12, 2)]
    said = trend([*entries, entries[0]], RULE)
    assert said is not None
    assert (said.direction, said.entries, said.days, said.span) == (found, 7, 6, 11)
    assert said.per_week == pytest.approx(7 * step)


def test_too_little_is_silence() -> None:
    assert trend([], RULE) is None
    assert trend([(day, float(day)) for day in range(4)], RULE) is None, "four days"
    assert trend([(day, float(day)) for day in range(5)], RULE) is None, "five days in a row are no week"
    assert trend([(1, float(each)) for each in range(30)], RULE) is None, "thirty entries on one day"


def test_a_change_too_small_to_matter_is_steady() -> None:
    said = trend([(day, 5.0 + 0.01 * day) for day in range(30)], RULE)
    assert said is not None
    assert said.direction == "steady"


def test_chance_alone_is_called_a_direction_about_as_often_as_the_rule_says() -> None:
    dice = random.Random(7)
    found = [trend([(day, dice.gauss(5, 2)) for day in range(28)], RULE) for _ in range(400)]
    called = sum(each is not None and each.direction != "steady" for each in found)
    assert called / 400 <= 0.14, "the rule risks one in ten; 0.14 is that and two and a half spreads"


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 10).map(float)), max_size=40))
def test_the_same_entries_in_any_order_and_upside_down(entries: list[tuple[int, float]]) -> None:
    forward = trend(entries, RULE)
    assert forward == trend(entries[::-1], RULE)
    mirrored = trend([(day, 11 - value) for day, value in entries], RULE)
    assert (forward is None) == (mirrored is None)
    if forward is not None and mirrored is not None:
        opposite = {"rising": "falling", "falling": "rising", "steady": "steady"}
        assert mirrored.direction == opposite[forward.direction]
