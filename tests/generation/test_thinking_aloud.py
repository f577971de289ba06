"""Thinking aloud is told by its first words, and an answer to a person is not taken for it."""

import pytest

from generation.reasoning import Cutter
from generation.thinking_aloud import thinks_aloud

ALOUD = [
    "Okay, the user is asking how to sleep better.",
    "Alright, so the user wants a plan.",
    "The user seems sad today.",
    "Hmm, this person mentioned a dog.",
    "First, I need to respond with care.",
    "We need to answer briefly.",
    "Let me think about what helps.",
]
ANSWERS = [
    "Okay, let us begin with a short walk.",
    "The garden is quiet now.",
    "The user guide is on the second page.",
    "I hear you.",
    "I need a moment to breathe, and so may you.",
    "Let us sit down together.",
    "First, fill the kettle.",
    "This sounds hard.",
    "Hello!",
]


@pytest.mark.parametrize("text", ALOUD)
def test_thinking_aloud_is_told_by_its_first_words(text: str) -> None:
    assert thinks_aloud(text) == "yes"
    assert {thinks_aloud(text[:end]) for end in range(len(text))} <= {"maybe", "yes"}


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_is_not_taken_for_it_and_is_known_within_a_few_words(text: str) -> None:
    assert thinks_aloud(text) == "no" or len(text.split()) < 2
    assert thinks_aloud(f"{text} And more of it follows here.") == "no"


@pytest.mark.parametrize("text", [*ALOUD, *ANSWERS])
@pytest.mark.parametrize("whole", [True, False])
def test_doubt_loses_no_word_of_a_whole_answer(text: str, whole: bool) -> None:
    cutter = Cutter(wary=True)
    shown = "".join(map(cutter.feed, text)) + cutter.end(whole=whole)
    assert shown == ("" if text in ALOUD and not whole else text)


@pytest.mark.parametrize("text", ALOUD)
def test_what_was_thinking_aloud_is_cut_when_it_is_closed(text: str) -> None:
    cutter = Cutter(wary=True)
    shown = "".join(map(cutter.feed, f"{text}\n\nSo I will.\n</think>\n\nGood morning."))
    assert shown + cutter.end() == "Good morning."
    assert cutter.opened
