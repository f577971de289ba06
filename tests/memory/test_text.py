"""What every reader shares: folded text, words, sentences, and what is remembered of single words."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from memory.text import LONGEST_REMEMBERED, MOST_REMEMBERED, Remembered, folded, runs, sentences, words


def test_text_is_folded_once_for_all_readers() -> None:
    assert folded("  Don’t\tSHOUT \n“at” me`s ") == "don't shout \"at\" me's"


def test_words_keep_their_apostrophes_and_signs_without_spaces_are_words() -> None:
    assert words("Don’t go, 東京 mum's!") == ["don't", "go", "東", "京", "mum's"]


def test_sentences_end_at_marks_and_lines() -> None:
    assert sentences('He said "go." Then\nI went… home 3.5 miles.') == [
        'He said "go.',
        "Then",
        "I went…",
        "home 3.5 miles.",
    ]


@given(st.text())
def test_the_runs_of_a_text_are_what_stands_between_its_spaces(text: str) -> None:
    assert " ".join(runs(text)) == folded(text)


def recorded(asked: list[str]) -> Callable[[str], str]:
    """Makes a word large, and keeps a record of what it was asked."""

    def make(word: str) -> str:
        asked.append(word)
        return word.upper()

    return make


def test_what_was_made_of_a_word_is_made_once() -> None:
    asked: list[str] = []
    made = Remembered(recorded(asked))
    assert [made["ab"], made["ab"], asked] == ["AB", "AB", ["ab"]]


def test_what_is_remembered_has_a_size_and_the_newest_words_stay() -> None:
    asked: list[str] = []
    made = Remembered(recorded(asked))
    for number in range(3 * MOST_REMEMBERED):
        assert made[str(number)] == str(number)
    assert len(made) <= MOST_REMEMBERED
    asked.clear()
    assert made[str(3 * MOST_REMEMBERED - 1)]
    assert made[str(3 * MOST_REMEMBERED - MOST_REMEMBERED - 1)]
    assert asked == []


def test_what_is_too_long_to_come_again_is_not_remembered() -> None:
    made = Remembered(len)
    assert made["a" * (LONGEST_REMEMBERED + 1)] == LONGEST_REMEMBERED + 1
    assert not made


def test_the_point_of_a_title_ends_no_sentence() -> None:
    assert sentences("My client Mr. Lee can't lift his arm. Dr. Ross knows.") == [
        "My client Mr. Lee can't lift his arm.",
        "Dr. Ross knows.",
    ]
    assert sentences("It is in my arm. It hurts") == ["It is in my arm.", "It hurts"]


def test_a_sign_that_stands_for_a_sentence_makes_no_message_many_times_as_long() -> None:
    longest = max(len(folded(chr(code) * 50)) for code in range(0xA0, 0x10000) if not 0xD800 <= code < 0xE000)
    assert longest <= 6 * 50
    assert folded("\ufdfa ½") == "ص 1⁄2"
