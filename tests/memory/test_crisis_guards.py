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
        "This song hit me right in the feels",
        "The world robs us of the best ones, this universe robs us of them all",
        "I have nothing better to say",
        "You're dehydrated, drink some water",
        "If you have a kidney infection and some back pain, there is a good doctor there",
        "See you tomorrow night",
        "I won't be here tomorrow, I'm at my sister's",
        "My uncle pulled my leg for ten minutes",
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


@pytest.mark.parametrize(
    "text",
    [
        "Today he hit me",
        "My husband had a stroke this morning",
        "You see, he has fallen and he's not moving",
        "Can you come, she is unconscious",
        "This pain makes me want to kill myself",
        "I'd rather die than go on",
        "I won't be here tomorrow",
        "Everything is arranged, the letters are written",
    ],
)
def test_words_that_sound_like_a_figure_of_speech_and_are_none_count(text: str) -> None:
    assert read_crisis(text) is not None


def test_someone_elses_present_danger_counts() -> None:
    found = read_crisis("My friend says she wants to kill herself")
    assert found is not None
    assert found.category == "self_harm"


def test_a_sentence_without_an_end_is_read_to_its_end() -> None:
    found = read_crisis("and then we went to the shop " * 300 + "and I am going to kill myself tonight")
    assert found is not None
    assert found.severity == 3
