import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.crisis import Crisis, CrisisCategory, read_crisis


@pytest.mark.parametrize(
    ("text", "category", "severity"),
    [
        ("I've decided to take all my tablets tonight and not wake up", "self_harm", 3),
        ("I don't want to live any more", "self_harm", 2),
        ("They would all be happier without me", "self_harm", 1),
        ("I am going to stab him tomorrow", "harm_others", 3),
        ("I'm afraid I'll hurt my mother one day", "harm_others", 2),
        ("My husband choked me last night", "abuse", 3),
        ("My nephew takes my pension every month", "abuse", 2),
        ("My husband has collapsed and is not breathing", "medical", 3),
        ("I took my heart tablets twice by mistake", "medical", 2),
        ("I can't keep anything down, not even water", "medical", 2),
    ],
)
def test_a_danger_is_read_with_its_category_and_severity(
    text: str, category: CrisisCategory, severity: int
) -> None:
    found = read_crisis(text)
    assert found is not None
    assert (found.category, found.severity) == (category, severity)


def test_ordinary_talk_is_no_crisis() -> None:
    assert read_crisis("We had soup for lunch and then I walked to the pond.") is None


def test_the_words_are_the_very_words_of_the_message() -> None:
    text = "Lovely day.  But I  DON'T want to LIVE anymore, you know."
    found = read_crisis(text)
    assert found is not None
    assert found.words in text
    assert "DON'T want to LIVE" in found.words


def test_the_last_three_messages_count_together() -> None:
    alone = read_crisis("I don't want to wake up")
    together = read_crisis("I don't want to wake up", ["I have all my pills here"])
    assert alone is not None
    assert alone.severity < 3
    assert together == Crisis("self_harm", 3, together.words if together else "")


def test_what_only_earlier_messages_said_is_not_raised_again() -> None:
    assert read_crisis("Thank you, good night.", ["I want to die", "I mean it"]) is None


@pytest.mark.parametrize(
    ("before", "text"),
    [("I want to", "die"), ("i am going to kill", "myself tonight"), ("I can't", "breathe")],
)
def test_a_statement_begun_in_one_message_is_read_with_the_next(before: str, text: str) -> None:
    found = read_crisis(text, [before])
    assert found is not None
    assert found.words in text


@pytest.mark.parametrize(("before", "text"), [("I want to", "dance"), ("I want to go.", "Die Blumen blühen")])
def test_two_messages_of_everyday_talk_are_no_crisis_together(before: str, text: str) -> None:
    assert read_crisis(text, [before]) is None


@pytest.mark.parametrize(
    "text",
    [
        "i wanna k1ll mys3lf",
        "I want to k i l l  m y s e l f",
        "i want to kiiiill myself",
        "I WANT TO KILL MYSLEF",
        "kms tonight",
        "i’m going to kill myself",
        "I want to k\u200bill myself",
    ],
)
def test_disguised_and_misspelt_words_are_read(text: str) -> None:
    found = read_crisis(text)
    assert found is not None
    assert found.category == "self_harm"


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Ich will mich heute umbringen", "self_harm"),
        ("Ich habe Schmerzen in der Brust und mein Arm ist taub", "medical"),
        ("Voy a matarme esta noche", "self_harm"),
        ("Mi marido me golpea con el cinturón", "abuse"),
    ],
)
def test_german_and_spanish_are_read(text: str, category: CrisisCategory) -> None:
    found = read_crisis(text)
    assert found is not None
    assert found.category == category


def test_a_danger_late_in_a_long_message_is_found() -> None:
    text = "We talked about the garden and the weather. " * 4_000 + "I am going to kill myself tonight."
    found = read_crisis(text)
    assert found is not None
    assert found.severity == 3


@given(st.text(max_size=400))
@settings(max_examples=60, deadline=None)
def test_any_text_is_read_and_what_is_found_stands_in_it(text: str) -> None:
    found = read_crisis(text)
    assert found is None or found.words in text


@pytest.mark.parametrize(
    "text",
    ["Got the rope. It's in the shed. I'm doing it after dark.", "Bleach. Drank it. Half the bottle."],
)
def test_short_sentences_say_a_danger_together(text: str) -> None:
    found = read_crisis(text)
    assert found is not None
    assert (found.category, found.severity) == ("self_harm", 3)


def test_to_overdose_another_is_harm_to_others() -> None:
    found = read_crisis("I'm going to overdose my mother tonight")
    assert found is not None
    assert found.category == "harm_others"
