"""A bucket lets pass what it holds and not one more, and is filled as time goes on."""

from hypothesis import given
from hypothesis import strategies as st

from server.bucket import Bucket, Buckets


def passed(bucket: Bucket, tries: int, now: float) -> int:
    return sum(bucket.admits(now) for _ in range(tries))


def test_as_many_pass_as_it_holds_and_not_one_more() -> None:
    bucket = Bucket(1.0, 5, now=100.0)
    assert [bucket.admits(100.0) for _ in range(6)] == [True] * 5 + [False]


def test_it_fills_with_time_to_what_it_holds_and_what_was_refused_costs_nothing() -> None:
    bucket = Bucket(2.0, 5, now=0.0)
    assert passed(bucket, 50, 0.0) == 5
    assert passed(bucket, 2, 0.25) == 0
    assert passed(bucket, 2, 0.5) == 1
    assert passed(bucket, 50, 1_000.0) == 5


@given(st.lists(st.floats(0, 10), max_size=100))
def test_over_any_time_no_more_pass_than_it_held_and_what_came_in(steps: list[float]) -> None:
    bucket, now, count = Bucket(3.0, 7, now=0.0), 0.0, 0
    for step in steps:
        now += step
        count += bucket.admits(now)
    assert count <= 7 + 3.0 * now + 1e-6


def test_one_key_takes_nothing_from_another() -> None:
    buckets = Buckets(1.0, 2)
    assert [buckets.admits("ann", 0.0) for _ in range(3)] == [True, True, False]
    assert buckets.admits("ben", 0.0)


def test_there_are_never_more_buckets_than_so_many_and_the_one_used_longest_ago_goes() -> None:
    buckets = Buckets(1.0, 1, most_keys=3)
    assert [buckets.admits(key, 0.0) for key in ("ann", "b", "c")] == [True] * 3
    assert not buckets.admits("ann", 0.0)
    for number in range(2):
        assert buckets.admits(f"other{number}", 0.0)
    assert len(buckets) == 3
    assert not buckets.admits("ann", 0.0)  # kept, for it was used after b and c
    assert buckets.admits("b", 0.0)  # forgotten, and begins anew
    for number in range(1_000):
        buckets.admits(f"any{number}", 0.0)
    assert len(buckets) == 3
