import pytest

from memory.crisis import read_crisis


@pytest.mark.parametrize(
    "text",
    [
        "This workout is killing me",
        "I am not suicidal",
        "I would never hurt myself",
        "In the film the hero hangs himself",
        "My uncle took his own life many years ago",
        "I used to cut myself, but that was years ago",
        "I'm dying to see you",
        "What are the signs of a stroke?",
        "I'm going to kill the boss in the last level of this game",
    ],
)
def test_what_is_denied_told_or_a_figure_of_speech_is_set_aside(text: str) -> None:
    assert read_crisis(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "After that film I went home and I am going to kill myself tonight",
        "I'm not fine. I want to die",
        "I'm not joking, I'm going to kill myself",
        "haha whatever, I'm going to hang myself tonight",
        "I don't want to die of hunger, I want to kill myself tonight",
    ],
)
def test_no_guard_sets_aside_a_plan_in_the_first_person(text: str) -> None:
    assert read_crisis(text) is not None


def test_someone_elses_present_danger_counts() -> None:
    found = read_crisis("My friend says she wants to kill herself")
    assert found is not None
    assert found.category == "self_harm"


def test_a_sentence_without_an_end_is_read_to_its_end() -> None:
    found = read_crisis("and then we went to the shop " * 300 + "and I am going to kill myself tonight")
    assert found is not None
    assert found.severity == 3
