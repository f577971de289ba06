"""What a summary tells of somebody is read as they would have said it."""

import pytest

from companions.summing_up import is_private
from memory.told_of import as_said


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("Her son hits her when nobody is there.", "my son hits me when nobody is there."),
        ("Ann wants to kill herself.", "I want to kill myself."),
        ("The student says his father beats him.", "I say my father beats me."),
        ("She no longer wants to live.", "I no longer want to live."),
    ],
)
def test_who_is_told_of_speaks(told: str, said: str) -> None:
    assert as_said(told) == said


@pytest.mark.parametrize(
    "text",
    [
        "She said that her son hits her.",
        "Ann wants to kill herself.",
        "The student is being beaten at home.",
        "Her carer touches her where she does not want it.",
        "The talk was about abuse at home.",
        "They mentioned thoughts of suicide.",
    ],
)
def test_what_family_is_not_told_is_private_whoever_tells_it(text: str) -> None:
    assert is_private(text)


@pytest.mark.parametrize(
    "text",
    [
        "She talked about her son and the garden.",
        "They worked on adding fractions, and her brother helped her with the last one.",
        "Anna felt sad about her cat, and they talked of the sea.",
        "He was tired after school and asked good questions.",
    ],
)
def test_an_ordinary_summary_is_not(text: str) -> None:
    assert not is_private(text)


def test_what_was_released_may_be_spoken_of_and_nothing_else() -> None:
    assert not is_private("Her son hits her.", frozenset({"abuse"}))
    assert is_private("Her son hits her.", frozenset({"self_harm"}))
