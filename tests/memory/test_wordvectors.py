"""Static word vectors: known words, messages, and the size of the file."""

import math

from hypothesis import given
from hypothesis import strategies as st

from memory.data import raw
from memory.text import words
from memory.wordvectors import FILE, message, sentence, similarity, vector, weight


def near(one: str, other: str) -> float:
    first, second = vector(one), vector(other)
    assert first is not None
    assert second is not None
    return similarity(first, second)


def test_words_that_mean_the_like_are_nearer_than_others() -> None:
    assert near("spouse", "wife") > 0.8
    assert near("jacket", "coat") > near("jacket", "lunch") + 0.4
    assert near("frightened", "scared") > near("frightened", "keys") + 0.4


def test_an_unknown_word_has_no_vector_and_no_weight() -> None:
    assert vector("qwertzuiop") is None
    assert weight("qwertzuiop") == 0
    assert sentence(["qwertzuiop"]) is None
    assert sentence([]) is None


def test_common_words_count_less_than_telling_ones() -> None:
    assert weight("the") < 0.1 < 0.9 < weight("purse")
    one, other = sentence(words("where is the purse")), vector("purse")
    assert one is not None
    assert other is not None
    assert similarity(one, other) > 0.8


@given(
    st.lists(
        st.sampled_from(["where", "is", "my", "purse", "home", "mother", "the", "a", "lunch", "coat", "cold"])
    )
)
def test_a_message_has_a_vector_of_length_one_whatever_the_order(found: list[str]) -> None:
    one, other = sentence(found), sentence(reversed(found))
    assert (one is None) == (not found)
    if one is not None and other is not None:
        assert math.isclose(similarity(one, one), 1.0, abs_tol=1e-9)
        assert math.isclose(similarity(one, other), 1.0, abs_tol=1e-9)


def test_messages_of_like_feeling_are_nearer_than_others() -> None:
    low, sad, glad = (message(text) for text in ("I feel so low.", "I am very sad.", "What a lovely garden!"))
    assert low is not None
    assert sad is not None
    assert glad is not None
    assert similarity(low, sad) > similarity(low, glad)
    assert message("?!") is None


def test_the_file_stays_small() -> None:
    assert len(raw(FILE)) < 700_000
