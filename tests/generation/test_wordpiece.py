"""Text is read as the pieces the encoder was trained with; no text is an error, and none is longer than allowed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generation.wordpiece import pieces

# As the reference tokenizer of all-MiniLM-L6-v2 splits them.
KNOWN = {
    "": [101, 102],
    "Where is my daughter?": [101, 2073, 2003, 2026, 2684, 1029, 102],
    "Café, CAFÉ": [101, 7668, 1010, 7668, 102],
    "unaffable": [101, 14477, 20961, 3468, 102],
    "don't": [101, 2123, 1005, 1056, 102],
    "花生": [101, 1940, 1910, 102],
    "a\u0000b\u200bc": [101, 5925, 102],
    "x" * 101: [101, 100, 102],
    "[CLS]": [101, 1031, 18856, 2015, 1033, 102],
}


@pytest.mark.parametrize("text", KNOWN)
def test_a_text_is_split_as_the_reference_splits_it(text: str) -> None:
    assert pieces(text, 128) == KNOWN[text]


def test_of_a_long_text_the_beginning_is_read() -> None:
    found = pieces("soup " * 500, 128)
    assert len(found) == 128
    assert (found[0], found[-1]) == (101, 102)
    assert found[1:-1] == [11350] * 126


@given(st.text(max_size=300))
def test_any_text_becomes_pieces_between_two_marks(text: str) -> None:
    found = pieces(text, 64)
    assert (found[0], found[-1]) == (101, 102)
    assert 2 <= len(found) <= 64
    assert not {101, 102} & set(found[1:-1])
