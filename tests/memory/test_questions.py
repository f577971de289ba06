import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.questions import fingerprint, read_question


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Where am I?", "location"),
        ("What is this place?", "location"),
        ("I don't know where I am", "location"),
        ("erm… where… where is this then", "location"),
        ("Who am I?", "identity"),
        ("Sorry, should I know you?", "identity"),
        ("What day is it?", "time"),
        ("When is lunch?", "time"),
        ("How long have I been here?", "time"),
        ("What should I do?", "activity"),
        ("Where is Tom?", "person"),
        ("When is my daughter coming?", "person"),
        ("I miss my husband", "person"),
        ("The soup was a bit salty.", "general"),
    ],
)
def test_a_message_is_of_the_class_its_grammar_says(text: str, kind: str) -> None:
    assert read_question(text).type == kind


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("When is my daughter coming?", "daughter"),
        ("Is Tom coming today?", "tom"),
        ("How long till lunch?", "lunch"),
        ("I can't find my spectacles", "glasses"),
        ("Where am I?", ""),
    ],
)
def test_a_question_names_what_it_is_about(text: str, about: str) -> None:
    assert read_question(text).object == about


def test_the_tense_tells_what_was_from_what_is() -> None:
    assert read_question("Where did I live as a girl?").tense == "past"
    assert read_question("Where do I live?").tense == "present"
    assert read_question("Will Tom come tomorrow?").tense == "future"


def test_a_fingerprint_is_the_sorted_words_without_stop_words() -> None:
    assert fingerprint("What is this place?") == "place"
    assert fingerprint("Where am I?") == ""
    assert fingerprint("The roses, the lovely roses!") == "lovely roses roses"


def test_a_contraction_and_a_stammer_read_like_plain_words() -> None:
    assert read_question("Where's… where's my purse?").asks == read_question("Where is my purse?").asks


@given(st.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    question = read_question(text)
    assert question.fingerprint.split() == sorted(question.fingerprint.split())


def test_of_a_very_long_text_the_beginning_and_the_end_are_read() -> None:
    long = "Where is Tom? " + "and the rain came down " * 400 + "Where is my purse?"
    question = read_question(long)
    assert "tom" in question.persons
    assert "purse" in question.things


def test_a_question_in_a_long_message_is_read_as_by_itself() -> None:
    around = "We had soup at noon, and my brother came by bus to see the garden. " * 4
    for asked in ("What time is it?", "Where is my purse?", "When is Tom coming?"):
        assert read_question(f"{around}{asked} {around}") == read_question(asked)


def test_of_several_things_asked_the_one_of_the_first_pattern_is_the_object() -> None:
    text = "I cannot believe a woman in her 30s has never had an orchid. I would try everything to have one."
    assert read_question(text).object == "30s"
