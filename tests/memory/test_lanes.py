"""Weights of many labels, added up at once."""

from hypothesis import given
from hypothesis import strategies as st

from memory.lanes import OFFSET, packed, sums


@given(st.lists(st.lists(st.integers(0, 255), min_size=3, max_size=3), max_size=600))
def test_the_sum_of_packed_weights_is_the_sum_of_each(rows: list[list[int]]) -> None:
    numbers = packed(bytes(weight for row in rows for weight in row), 3)
    assert sums(numbers, 3) == [sum(row[label] - OFFSET for row in rows) for label in range(3)]


def test_the_largest_weights_never_run_over_into_the_next_label() -> None:
    numbers = packed(bytes([255, 0, 255] * 1_000), 3)
    assert sums(numbers, 3) == [127_000, -128_000, 127_000]
