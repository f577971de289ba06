import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.phrasing import read_sentence
from memory.word_order import in_order, spoken


@pytest.mark.parametrize(
    ("said", "ordered"),
    [
        ("where they have put me", "where have they put me"),
        ("you are from which place", "where are you from"),
        ("now i must do what", "what must i do"),
        ("my husband is coming when", "when is my husband coming"),
        ("a who this", "who this"),
        ("in which house am i", "which house am i"),
        ("which place they bring me", "where they bring me"),
        ("which hour is it", "what time is it"),
        ("for what i am here", "why am i here"),
        ("my brother he is coming", "my brother is coming"),
    ],
)
def test_a_question_is_put_in_the_common_order(said: str, ordered: str) -> None:
    assert in_order(said.split(), asked=True) == ordered.split()


@pytest.mark.parametrize(
    "said",
    [
        "where is my brother",
        "i do not know where",
        "when i was young",
        "what i have to do",
        "the soup was salty",
    ],
)
def test_what_is_in_the_common_order_stays(said: str) -> None:
    assert in_order(said.split(), asked=False) == said.split()


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("ma purse", "my purse"),
        ("my ma", "my ma"),
        ("wha is that", "who is that"),
        ("wha day this", "what day this"),
        ("weh mi purse deh", "where my purse is"),
        ("mi not know", "i not know"),
        ("i do not ken", "i do not know"),
        ("where is ken", "where is ken"),
    ],
)
def test_a_word_that_stands_for_two_is_read_by_those_beside_it(said: str, plain: str) -> None:
    said_words = spoken(said.split())
    assert " ".join(said_words).replace("mi ", "my ") == plain


@pytest.mark.parametrize(
    ("said", "same_as"),
    [
        ("My bag, where it is?", "Where is my bag?"),
        ("Goran, is he here?", "Is Goran here?"),
        ("The clock, it stands still", "The clock stands still"),
        ("Nurse, what time is it?", "What time is it?"),
        ("Is it night, daughter?", "Is it night?"),
        ("Dinner, what time?", "What time is dinner?"),
        ("My son,", "My son"),
    ],
)
def test_what_stands_before_a_comma_is_put_where_it_is_taken_up(said: str, same_as: str) -> None:
    assert read_sentence(said, asked=True).raw == read_sentence(same_as, asked=True).raw


WORDS = (
    "where",
    "which",
    "what",
    "is",
    "are",
    "my",
    "i",
    "he",
    "place",
    ",",
    "son",
    "have",
    "to",
    "in",
    "a",
    "who",
)


@given(st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join))
def test_no_order_of_words_is_too_odd_to_read(text: str) -> None:
    assert len(read_sentence(text).raw) <= len(text.split())
