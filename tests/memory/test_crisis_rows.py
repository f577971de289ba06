from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memory.crisis_rows import Row, number
from memory.crisis_words import STOP

letters = st.text(st.characters(min_codepoint=0xE000, max_codepoint=0xFFFF), max_size=40)


@given(letters)
def test_each_letter_and_each_two_have_the_number_that_they_have_by_themselves(said: str) -> None:
    bounded, row = STOP + said + STOP, Row(said)
    assert row.codes == [*map(number, said)]
    assert row.beside == [number(one + other) for one, other in pairwise(bounded)]
    assert row.apart == [number(one + other) for one, other in zip(bounded, bounded[2:], strict=False)]


@given(letters)
def test_no_two_letters_have_the_number_of_one_or_of_two_others(said: str) -> None:
    pairs = {one + other for one, other in pairwise(STOP + said + STOP)}
    assert len({*map(number, said), *map(number, pairs)}) == len({*said, *pairs})
