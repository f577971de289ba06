"""What is learned of two messages that may ask the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memory.alike import SIGNS, chance, signs
from memory.questions import read_question
from memory.repetition import LIKELY_SAME


def test_what_asks_the_same_is_likely_the_same() -> None:
    assert chance(read_question("Where is my purse?"), read_question("I can't find my purse")) > LIKELY_SAME


def test_a_matter_of_both_counts_for_more_the_surer_it_is_in_each() -> None:
    one, other = read_question("What day is it?"), read_question("Which day are we on?")
    vague = replace(other, matters={matter: share / 4 for matter, share in other.matters.items()})
    assert chance(one, vague) < chance(one, other)


@pytest.mark.parametrize(
    "otherwise",
    [
        {"persons": frozenset(("tom",))},
        {"things": frozenset(("purse",))},
        {"asides": frozenset(("of_another",))},
    ],
)
def test_somebody_or_something_else_in_one_alone_makes_it_less_likely(otherwise: dict[str, object]) -> None:
    one = read_question("Where are my glasses?")
    assert chance(one, replace(one, **otherwise)) < chance(one, one)


@given(st.text(max_size=80), st.text(max_size=80))
def test_of_any_two_texts_each_sign_is_told_whichever_came_first(one: str, other: str) -> None:
    there, back = (
        signs(read_question(one), read_question(other)),
        signs(read_question(other), read_question(one)),
    )
    assert len(there) == len(SIGNS)
    assert there == pytest.approx(back)
    assert 0 <= chance(read_question(one), read_question(other)) <= 1
