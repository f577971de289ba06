import re

from hypothesis import given
from hypothesis import strategies as st

from memory.statements_pieces import pieces, taken_apart
from memory.statements_text import own_sentences

_TOKEN = re.compile(r"[^\W_]+(?:['\-.][^\W_]+)*(?:\+\+|#)?|[,;:()…–—!?.&%/]| - ")
_WORDS = st.sampled_from(
    ["I", "knee", "e.g.", "3.5", "c++", "x-ray", "-", "¿qué", "Anna's", "salt,", "no?!", "(or", "a&e"]
)


@given(st.lists(_WORDS).map(" ".join))
def test_pieces_hold_the_tokens_that_the_whole_sentence_has(sentence: str) -> None:
    whole = [token.lower() for token in _TOKEN.findall(sentence)]
    said = [token for piece in pieces(sentence) for token in taken_apart(piece).said]
    assert "".join(said) == "".join(whole)


def test_only_sentences_that_may_state_something_or_name_somebody_are_kept() -> None:
    said = own_sentences("It rained all day. My sister came. I am allergic to nuts. Oh well.")
    assert [sentence.text for sentence in said] == ["My sister came.", "I am allergic to nuts."]


def test_names_are_what_is_written_large_inside_a_sentence() -> None:
    (sentence,) = own_sentences("Yesterday my sister Ines met Paul in the NHS car park.")
    assert sentence.names == {"ines", "paul"}


def test_a_second_i_with_its_verb_begins_a_stretch() -> None:
    (sentence,) = own_sentences("I'm from Porto I live in Cork")
    assert [stretch.text for stretch in sentence.stretches] == ["i am from porto", "i live in cork"]


def test_what_is_handed_over_after_a_colon_is_not_read() -> None:
    (sentence,) = own_sentences("At 8:30 I take insulin. Please translate this: I am allergic to nuts.")
    assert sentence.text == "At 8:30 I take insulin."
