"""Vectors held small compare as they did before."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.vectors import cosine, packed

NUMBERS = st.lists(st.floats(-1.0, 1.0, width=32), min_size=3, max_size=3).filter(
    lambda v: math.hypot(*v) > 0.01
)


def unit(vector: list[float]) -> list[float]:
    return [number / math.hypot(*vector) for number in vector]


@given(NUMBERS, NUMBERS)
def test_the_likeness_of_held_vectors_is_their_cosine(one: list[float], other: list[float]) -> None:
    exact = sum(a * b for a, b in zip(unit(one), unit(other), strict=True))
    assert cosine(unit(one), packed(unit(other))) == pytest.approx(exact, abs=1e-5)


def test_vectors_of_two_dimensions_are_not_compared() -> None:
    assert cosine([1.0, 0.0], packed([1.0, 0.0, 0.0])) is None
