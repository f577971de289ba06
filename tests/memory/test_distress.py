from hypothesis import given
from hypothesis import strategies as st

from memory.distress import MOST_REMEMBERED, settled_distress, trajectory

SCORES = st.lists(st.floats(0, 1), max_size=30)
SCORE = st.floats(0, 1)


def test_a_first_message_is_stable() -> None:
    assert trajectory([], 0.9) == "stable"


def test_the_direction_is_read_against_the_last_messages() -> None:
    assert trajectory([0.1, 0.1, 0.2], 0.7) == "escalating"
    assert trajectory([0.8, 0.9, 0.8], 0.3) == "de-escalating"
    assert trajectory([0.5, 0.6, 0.5], 0.55) == "stable"


def test_calming_down_shows_although_the_session_began_calm() -> None:
    assert trajectory([0.1] * 7 + [0.8, 0.9, 0.9], 0.4) == "de-escalating"


def test_rising_distress_is_believed_at_once_and_falling_by_steps() -> None:
    assert settled_distress([0.1, 0.1], 0.9) == 0.9
    settled = settled_distress([0.9, 0.9], 0.1)
    assert 0.1 < settled < 0.5


@given(SCORES, SCORE)
def test_only_the_last_ten_of_the_session_count(history: list[float], current: float) -> None:
    recent = history[-MOST_REMEMBERED:]
    assert trajectory(history, current) == trajectory(recent, current)
    assert settled_distress(history, current) == settled_distress(recent, current)


@given(SCORES, SCORE)
def test_a_settled_score_stays_in_range_and_never_below_the_message(history: list[float], raw: float) -> None:
    assert raw <= settled_distress(history, raw) <= 1
