"""The learned readings: the class of a question and its everyday matter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.matters import LIKELY, QuestionType
from memory.questions import read_question
from memory.repetition import asked, find_repeat


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Which hotel is this?", "location"),
        ("Your name escapes me, I am sorry.", "identity"),
        ("Is it nearly bedtime?", "time"),
        ("Is anything going on this evening?", "activity"),
        ("I wish Betty would come.", "person"),
        ("These potatoes want salt.", "general"),
        ("What time will Alan be here?", "person"),
        ("What's the lad up to on the roof?", "general"),
        ("How old was my father?", "general"),
        ("My watch needs a new strap.", "general"),
        ("What happened in the end?", "general"),
        ("What is my brother's wife called?", "general"),
    ],
)
def test_the_class_of_a_question_is_read_from_what_it_is_like(text: str, kind: QuestionType) -> None:
    assert read_question(text).type == kind


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I should be setting off for home.", "Will nobody drive me back to my house?"),
        ("Is it Saturday?", "I get the days all muddled up."),
        ("Is there a ladies' room?", "I have to spend a penny."),
        ("Who is seeing to the children?", "School is out, the kids will be waiting."),
    ],
)
def test_one_matter_in_quite_other_words_is_a_repeat(first: str, second: str) -> None:
    assert find_repeat(read_question(second), second, [asked("a", first)]).of == "a"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I can't find my purse.", "I can't find my glasses."),
        ("When is my daughter coming?", "When is my brother coming?"),
        ("What time is it?", "What time is dinner?"),
        ("My knee hurts.", "My head hurts."),
        ("Who's feeding the dog?", "Who's feeding the cat?"),
    ],
)
def test_one_matter_of_somebody_or_something_else_is_none(first: str, second: str) -> None:
    assert find_repeat(read_question(second), second, [asked("a", first)]).of is None


@given(st.text(max_size=300))
def test_matters_are_shares_of_one_whatever_is_written(text: str) -> None:
    shares = read_question(text).matters.values()
    assert all(share > LIKELY for share in shares)
    assert sum(shares) <= 1.0 + 1e-9
