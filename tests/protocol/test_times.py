from hypothesis import given
from hypothesis import strategies as st

from protocol.times import milliseconds, rfc3339


def test_a_time_is_written_in_utc_with_milliseconds() -> None:
    assert rfc3339(0) == "1970-01-01T00:00:00.000Z"
    assert rfc3339(1_767_323_045_678) == "2026-01-02T03:04:05.678Z"
    assert rfc3339(-1) == "1969-12-31T23:59:59.999Z"


def test_a_clock_that_is_wrong_by_ages_still_gives_a_time() -> None:
    assert rfc3339(10**18) == "9999-12-31T23:59:59.999Z"
    assert rfc3339(-(10**18)) == "0001-01-01T00:00:00.000Z"


@given(st.integers(-(10**13), 10**14))
def test_a_time_is_read_as_it_was_written(at: int) -> None:
    assert milliseconds(rfc3339(at)) == at
