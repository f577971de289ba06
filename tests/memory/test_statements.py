"""What people say about themselves is read for what it says, and of whom."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.statements import Statement, read_statements, takes_back


def told(text: str, asked: str | None = None) -> list[tuple[str, str, str, bool]]:
    return [(one.kind, one.value, one.subject, one.negated) for one in read_statements(text, asked)]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("I'm allergic to shellfish.", "allergy", "shellfish"),
        ("Walnuts and me don't get along.", "allergy", "Walnuts"),
        ("Strawberries send me to the hospital.", "allergy", "Strawberries"),
        ("I have a bad knee.", "injury", "knee"),
        ("My doctor put me on metformin.", "medication", "metformin"),
        ("I have asthma.", "condition", "asthma"),
        ("I'm vegan.", "diet", "vegan"),
        ("I can't swim.", "limit", "swim"),
        ("My goal is to lose 20 lbs.", "goal", "lose 20 lbs"),
        ("I live in Lisbon.", "place", "Lisbon"),
        ("I'm a nurse.", "work", "nurse"),
        ("Ich bin allergisch gegen Erdnüsse.", "allergy", "Erdnüsse"),
        ("Soy alérgica a los mariscos.", "allergy", "mariscos"),
    ],
)
def test_a_statement_is_read_with_its_kind_and_its_words(text: str, kind: str, value: str) -> None:
    assert (kind, value, "user", False) in told(text)


def test_somebody_elses_statement_is_theirs() -> None:
    assert told("My friend Jack is allergic to peanuts.") == [("allergy", "peanuts", "Jack", False)]
    assert told("Meine Tochter ist allergisch gegen Katzen.") == [("allergy", "Katzen", "Tochter", False)]


def test_a_pronoun_is_the_person_last_mentioned() -> None:
    assert ("allergy", "nuts", "Jack", False) in told("Jack came over. He's allergic to nuts.")


def test_a_denial_is_kept_as_one() -> None:
    assert told("I'm not allergic to nuts.") == [("allergy", "nuts", "user", True)]
    assert told("The shoulder has healed completely.") == [("injury", "shoulder", "user", True)]


def test_what_used_to_be_is_past() -> None:
    (lived,) = read_statements("I used to live in Rome.")
    assert (lived.value, lived.tense) == ("Rome", "past")


@pytest.mark.parametrize(
    "text",
    [
        "Are you allergic to nuts?",
        "If I were allergic to nuts, what would you do?",
        "I'm allergic to Mondays.",
        'Translate: "I am allergic to nuts."',
        "In the film he is allergic to silver.",
        "I can't wait for Friday!",
        "You said I love jazz.",
        "What do vegans eat?",
    ],
)
def test_what_states_nothing_is_not_read(text: str) -> None:
    assert told(text) == []


def test_a_bare_answer_is_read_with_its_question() -> None:
    assert told("Yes, peanuts.", "Do you have any allergies?") == [("allergy", "peanuts", "user", False)]
    assert told("Yes, peanuts.") == []


@pytest.mark.parametrize(
    "text",
    [
        "Traffic was bad today.",
        "Thanks, that helps.",
        "Ok cool.",
        "Lunch was a sandwich at my desk.",
        "I finished a book on Sunday.",
        "The gym was packed yesterday.",
        "My playlist needs some fresh songs.",
        "Rain again here.",
    ],
)
@pytest.mark.parametrize(
    "asked",
    [
        "Is there anything I should mind: pain, allergies, time?",
        "Got it. What is the goal behind that?",
        "Do you have any injuries?",
        "Which days suit you?",
    ],
)
def test_who_passes_over_a_question_has_not_answered_it(text: str, asked: str) -> None:
    assert told(text, asked) == told(text) == []


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("My knee", "injury", "knee"),
        ("peanuts", "allergy", "peanuts"),
        ("Mornings only", "schedule", "Mornings only"),
        ("Latex", "allergy", "Latex"),
    ],
)
def test_of_several_things_asked_the_answers_own_words_say_which(text: str, kind: str, value: str) -> None:
    assert told(text, "Is there anything I should mind: pain, allergies, time?") == [
        (kind, value, "user", False)
    ]


def test_a_sentence_that_states_something_is_not_read_as_a_bare_answer_too() -> None:
    asked = "Do you have any allergies?"
    assert told("my left knee hurts", asked) == told("my left knee hurts")
    assert ("allergy", "peanuts", "user", False) in told("Yes, peanuts, and I'm vegan", asked)


def test_what_the_companion_says_states_nothing_by_itself() -> None:
    assert told("Hm.", "You love jazz and you are allergic to nuts, aren't you?") == []


def test_a_no_denies_what_was_asked() -> None:
    assert told("No, it's fine now.", "Is the knee still bothering you?") == [
        ("injury", "knee", "user", True)
    ]


def test_taking_back_is_told_from_stating() -> None:
    assert takes_back("I never said I was vegan.")
    assert not takes_back("I am vegan.")


@given(st.text(max_size=300), st.none() | st.text(max_size=80))
def test_any_text_can_be_read(text: str, asked: str | None) -> None:
    for one in read_statements(text, asked):
        assert isinstance(one, Statement)
        assert one.subject
