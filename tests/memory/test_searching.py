"""A message and a question about it come to the same words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.searching import asked, indexed, parts_of, telling


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I went there", "go"),
        ("Anna's kids", "anna child"),
        ("the of and", ""),
        ("我喜欢茶", "我喜 喜欢 欢茶 茶"),
        ("tea 喝 7", "tea 喝 7"),
        ("l'eau claire", "eau claire"),
    ],
)
def test_a_message_is_found_by_its_words_in_one_form(text: str, words: str) -> None:
    assert indexed(text) == words


def test_long_words_are_found_by_their_parts() -> None:
    assert "allergie" in parts_of("Erdnussallergie").split()
    assert parts_of("short words only") == ""


def test_the_parts_of_a_message_stay_small_whatever_it_is_made_of() -> None:
    assert parts_of("a" * 200_000) == ""
    many = " ".join(f"{at:064d}" for at in range(3_000))
    assert len(parts_of(many)) <= 10 * len(many) + 2_000_000
    assert "gesetz" in parts_of("Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz").split()


def test_a_question_leaves_out_stop_words_of_its_own_language() -> None:
    assert asked("Wo ist der rote Mantel?").terms == ("rote", "mantel")
    assert asked("Where is the red coat?").terms == ("red", "coat")


def test_a_named_speaker_is_weighed_and_not_looked_for() -> None:
    question = asked("What did Melanie Brown's son paint?", frozenset({"melanie brown", "caroline"}))
    assert question.speakers == {"melanie brown"}
    assert question.terms == ("son", "paint")


def test_a_kind_brings_its_members() -> None:
    assert {"guitar", "clarinet"} <= set(asked("What instruments does she play?").kinds)


def test_a_question_for_a_time_is_known() -> None:
    assert asked("When did she leave?").about_time
    assert not asked("Where is she?").about_time


def test_what_a_message_tells_is_read_from_its_words() -> None:
    told = telling("I've painted it last week. Do you like it?")
    assert (told.of_self, told.of_other, told.timed, told.asking) == (True, True, True, 0.5)
    assert telling("").asking == 0.0


@given(st.text())
def test_any_text_has_words_and_none_is_longer_than_the_text(text: str) -> None:
    assert all(indexed(text).split())
    assert asked(text).terms == tuple(dict.fromkeys(asked(text).terms))
