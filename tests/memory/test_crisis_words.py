from hypothesis import given, settings
from hypothesis import strategies as st

from memory.crisis_reader import reader
from memory.crisis_words import runs, tokens

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
    written = runs(text)
    if written is not None:
        assert speller.letters(written) == speller.spelled(text, tokens(text)).letters


def test_words_written_letter_by_letter_are_not_read_between_spaces() -> None:
    assert runs("so k i l l it") is None
    assert runs("k i l l it") is None
    assert runs("So what am I to do") is not None
