"""Vectors keep their direction however they are held, and only those of one dimension are compared."""

from math import hypot
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.vectors import cosine, likeness, packed, pressed

Numbers = st.lists(st.floats(-1, 1, width=32), min_size=8, max_size=48)


def unit(numbers: list[float]) -> tuple[float, ...]:
    length = hypot(*numbers)
    return tuple(number / length for number in numbers)


@given(Numbers.filter(lambda numbers: hypot(*numbers) > 0.01), st.integers(0, 2**16))
def test_a_stored_vector_is_as_like_another_as_it_was(numbers: list[float], seed: int) -> None:
    chance = Random(seed)
    one = unit(numbers)
    other = unit([chance.uniform(-1, 1) for _ in numbers])
    exact = sum(a * b for a, b in zip(one, other, strict=True))
    assert likeness(one, pressed(one)) == pytest.approx(1.0, abs=0.01)
    assert likeness(other, pressed(one)) == pytest.approx(exact, abs=0.02)
    assert cosine(other, packed(one)) == pytest.approx(exact, abs=1e-5)


def test_a_stored_vector_takes_a_byte_a_number() -> None:
    assert len(pressed((0.6, 0.8, 0.0))) == 4 + 3


def test_vectors_of_other_dimensions_are_not_compared() -> None:
    assert likeness((1.0, 0.0), pressed((1.0, 0.0, 0.0))) is None
    assert cosine((1.0, 0.0), packed((1.0, 0.0, 0.0))) is None
