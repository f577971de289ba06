"""A failing server is asked again briefly, then left alone, then tried by one."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companions.ports import ModelError
from generation.patience import Breaker, Retries, retry_after

NOW = datetime(2025, 10, 26, 17, 0, 0, tzinfo=UTC)


def state_of(breaker: Breaker) -> str:
    return breaker.state


class Clock:
    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        return self.at


@given(st.integers(0, 10), st.floats(0, 1))
def test_pauses_are_jittered_from_nothing_and_bounded(attempt: int, chance: float) -> None:
    retries = Retries()
    assert 0 <= retries.pause(attempt, chance, None) <= min(retries.longest, retries.first * 2**attempt)
    assert retries.pause(attempt, chance, 7.5) == 7.5


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2", 2.0),
        ("0.5", 0.5),
        ("Sun, 26 Oct 2025 17:00:30 GMT", 30.0),
        ("Sun, 26 Oct 2025 16:00:00 GMT", 0.0),
        ("soon", None),
        ("", None),
        ("-1", None),
        ("١", None),
        ("99999999999999999999 Oct", None),
    ],
)
def test_a_wait_is_asked_for_in_seconds_or_by_date(value: str, seconds: float | None) -> None:
    assert retry_after({"retry-after": value}, lambda: NOW) == seconds


def test_the_breaker_opens_after_failures_in_a_row_and_lets_one_try() -> None:
    now = Clock()
    breaker = Breaker(failures=3, rest=10, now=now)
    for _ in range(2):
        breaker.failed("overloaded")
    breaker.succeeded()
    for _ in range(3):
        breaker.enter()
        breaker.failed("unreachable")
    assert state_of(breaker) == "open"
    with pytest.raises(ModelError):
        breaker.enter()
    now.at += 10
    breaker.enter()
    assert state_of(breaker) == "half_open"
    with pytest.raises(ModelError):
        breaker.enter()
    breaker.failed("first_token")
    assert state_of(breaker) == "open"
    now.at += 10
    breaker.enter()
    breaker.succeeded()
    assert state_of(breaker) == "closed"
    breaker.enter()


def test_a_trial_that_was_cancelled_lets_another_try() -> None:
    now = Clock()
    breaker = Breaker(failures=1, rest=10, now=now)
    breaker.failed("unreachable")
    now.at += 10
    breaker.enter()
    breaker.abandoned()
    breaker.enter()
    assert state_of(breaker) == "half_open"


def test_what_is_not_the_servers_fault_does_not_open_it() -> None:
    breaker = Breaker(failures=1, rest=10, now=Clock())
    breaker.failed("refused")
    breaker.failed("unauthorized")
    breaker.failed("unknown_model")
    assert state_of(breaker) == "closed"
