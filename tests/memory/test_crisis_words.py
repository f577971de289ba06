import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.crisis_grammar import Alphabet
from memory.crisis_message import TOKENS, Message, Written
from memory.crisis_reader import reader
from memory.crisis_runs import NOTED
from memory.crisis_table import language
from memory.crisis_words import between_spaces, lone, lowered, tokens, tokens_between

PIECES = [
    "i",
    "want",
    "to",
    "die",
    "k i l l",
    "don't",
    "Kill",
    "kiiill",
    "-",
    "\n",
    "..",
    ".\n",
    ",",
    "“no”",
    "4get",
]


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join)))
@settings(deadline=None)
def test_a_message_read_between_its_spaces_has_the_letters_of_its_tokens(text: str) -> None:
    speller = reader("en").speller
    low = lowered(text)
    if between_spaces(low, "".join(map(lone, low.split(" ")))):
        letters = speller.joined(re.sub("[ -~]", "", NOTED[run]) for run in low.split(" "))
        assert letters == speller.spelled(text, tokens(text)).letters


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=12).map(" ".join)))
@settings(deadline=None)
def test_the_words_behind_letters_are_those_of_the_message(text: str) -> None:
    spelled = reader("en").speller.spelled(text, tokens(text))
    for at in range(len(spelled.letters)):
        assert lowered(spelled.said(at, at + 1)) == spelled.tokens[spelled.places[at]]


@given(
    st.one_of(
        st.text(" -a\t\nb.", max_size=14),
        st.lists(st.sampled_from([*PIECES, "-", "", "--", "a-", "-b", "\t-"]), max_size=12).map(" ".join),
    )
)
@settings(deadline=None)
def test_the_tokens_between_spaces_are_those_of_the_message(text: str) -> None:
    low = lowered(text)
    if between_spaces(low, "".join(map(lone, low.split(" ")))):
        assert tokens_between(low, [TOKENS[run] for run in low.split(" ")]) == tokens(text)


@pytest.mark.parametrize(
    "text", ["so k i l l it", "k i l l it", "(k i l l) it", "x.k - i. l", "I k.i l.l", "go -\nhome"]
)
def test_words_written_letter_by_letter_are_not_read_between_spaces(text: str) -> None:
    assert not between_spaces(lowered(text), "".join(map(lone, lowered(text).split(" "))))


def test_most_messages_are_read_between_their_spaces() -> None:
    text = "So what am I a fool - to do"
    assert between_spaces(lowered(text), "".join(map(lone, lowered(text).split(" "))))


@given(
    st.lists(st.sampled_from(["a", "b", "k.i", "x_", "-", ".", "", "ab", "(c", "d)", "e'", "*"]), max_size=8)
)
def test_whatever_is_written_letter_by_letter_over_a_space_is_seen(pieces: list[str]) -> None:
    low = " ".join(pieces)
    apart = re.search(r"(?<!\w)[^\W\d_](?:[ .\-_*]{1,3}[^\W\d_](?![\w'’])){2,}", low)
    if apart and " " in apart.group():
        assert not between_spaces(low, "".join(map(lone, pieces)))


SENTENCES = [
    "we",
    "want",
    "to",
    "die.",
    "- he",
    '"no',
    'so"',
    "went home?",
    "is\nout",
    "go.he.so",
    "the",
    "cannot...",
]


@given(st.lists(st.sampled_from(SENTENCES), min_size=70, max_size=120).map(" ".join))
@settings(max_examples=40, deadline=None)
def test_a_part_of_a_message_is_traced_as_in_the_whole(text: str) -> None:
    low, speller = lowered(text), reader("en").speller
    runs = low.split(" ")
    letters = speller.joined(re.sub("[ -~]", "", NOTED[run]) for run in runs)
    part = Message(text, speller, letters, Written(low, runs, [NOTED[run] for run in runs]))
    whole = Message(text, speller)
    assert part.letters == whole.letters
    for first, last in part.sentences[:: max(1, len(part.sentences) // 4)]:
        here, there = part.spelled((first, last)), whole.spelled((first, last))
        for at in range(first, last):
            assert here.said(at, last) == there.said(at, last)
            assert here.comma_before(at) == there.comma_before(at)
            assert here.between_quotes(at) == there.between_quotes(at)
            assert here.tokens_around(at, last, 5) == there.tokens_around(at, last, 5)


def test_words_without_a_letter_are_told_of() -> None:
    alphabet = Alphabet(language("es"))
    with pytest.raises(ValueError, match="no letter is left for 'w"):
        alphabet.spelled(f"w{number}" for number in range(42_000))
