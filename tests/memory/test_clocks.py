"""Which times can be believed under a clock that jumps (D6)."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memory.clocks import DAY_MS, EARLIEST_MS, LONGEST_PAUSE_MS, believable, days_filled

NOW = EARLIEST_MS + 500 * DAY_MS
TEN_YEARS = 3_652 * DAY_MS


def hours(count: int, start: int = NOW) -> list[int]:
    return [start + 3_600_000 * hour for hour in range(count)]


def test_a_clock_that_never_jumps_is_believed_whole() -> None:
    assert all(believable([*hours(5), *hours(5, NOW + 30 * DAY_MS)]))


def test_a_start_in_1970_is_not_believed() -> None:
    assert believable([*hours(3, 0), *hours(2)]) == (False, False, False, True, True)


def test_a_jump_ten_years_ahead_and_back_is_not_believed_however_long_it_lasts_beside_the_rest() -> None:
    ahead = hours(12, NOW + TEN_YEARS)
    times = [*hours(10), *ahead, *hours(10, NOW + DAY_MS)]
    assert believable(times) == (*[True] * 10, *[False] * 12, *[True] * 10)


def test_a_jump_that_has_not_come_back_yet_is_not_believed() -> None:
    assert believable([*hours(10), *hours(3, NOW + TEN_YEARS)]) == (*[True] * 10, *[False] * 3)


def test_a_clock_that_is_put_right_by_minutes_is_the_same_clock() -> None:
    assert all(believable([NOW, NOW + 60_000, NOW - 120_000, NOW + 180_000]))


def test_three_days_ahead_for_an_afternoon_is_not_believed() -> None:
    times = [*hours(6), *hours(3, NOW + 3 * DAY_MS), *hours(6, NOW + 9 * 3_600_000)]
    assert believable(times) == (*[True] * 6, *[False] * 3, *[True] * 6)


def test_nothing_is_believed_of_nothing() -> None:
    assert believable([]) == ()
    assert believable([0, 1, 2]) == (False, False, False)


def test_what_cannot_be_believed_stands_on_the_day_of_what_was_before_it() -> None:
    assert days_filled([7, 0, 8, 0, 0], [True, False, True, False, False]) == (7, 7, 8, 8, 8)
    assert days_filled([0, 0, 8], [False, False, True]) == (8, 8, 8)
    assert days_filled([0, 0], [False, False]) == (0, 0)


@given(st.lists(st.integers(-(10**13), 2 * 10**13), max_size=40))
def test_what_is_believed_never_steps_back_or_far_ahead(times: list[int]) -> None:
    good = believable(times)
    assert len(good) == len(times)
    believed = [at for at, is_good in zip(times, good, strict=True) if is_good]
    for before, after in pairwise(believed):
        assert after - before <= LONGEST_PAUSE_MS
    assert believed == [] or min(believed) >= EARLIEST_MS
    assert bool(believed) == any(at >= EARLIEST_MS for at in times)
