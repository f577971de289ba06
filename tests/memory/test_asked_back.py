"""Whether a person asks for what they told."""

import pytest

from memory.asked_back import asked_back


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("Where do I live?", "residence"),
        ("Do you remember where I live?", "residence"),
        ("What am I allergic to?", "allergy"),
        ("what is my job", "job"),
        ("What do I like?", "likes"),
        ("What is my sister called?", "sister"),
        ("What's my dog's name?", "dog"),
        ("Wo wohne ich?", "residence"),
    ],
)
def test_a_question_for_what_was_told_names_what_it_is_about(text: str, about: str) -> None:
    asked = asked_back(text)
    assert asked is not None
    assert about in asked.about


def test_everything_and_a_summary_are_asked_for_too() -> None:
    for text in ("What do you know about me?", "what do you remember of me", "Was weißt du über mich?"):
        assert (found := asked_back(text)) is not None
        assert found.everything
    for text in ("Can you sum up our talk?", "Please summarize this conversation.", "Sum it up, please"):
        assert (found := asked_back(text)) is None or found.summary
    assert asked_back("Can you sum up our talk?") is not None


@pytest.mark.parametrize(
    "text",
    [
        "What should I do about my job?",
        "Why do I hate my job?",
        "Where do you live?",
        "Who am I without my work?",
        "I live in Lisbon.",
        "What do I do when my sister calls me at night?",
        "Where do I live? " + "I have walked for hours. " * 5,
    ],
)
def test_other_questions_are_no_questions_for_that(text: str) -> None:
    assert asked_back(text) is None
