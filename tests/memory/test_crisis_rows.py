from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memory.crisis_grammar import Alphabet
from memory.crisis_rows import Row, number
from memory.crisis_table import Language
from memory.crisis_words import STOP, UNKNOWN

_ALPHABET = Alphabet(Language())
_WORDS = [_ALPHABET.letter("a"), *map(chr, range(0x4000, 0xD800, 0x97)), chr(0xD7FF)]
letters = st.text([*_WORDS, STOP, UNKNOWN], max_size=40)


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
