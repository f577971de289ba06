"""What a message tells and what a request needs, heard where no rule reads it."""

import pytest

from memory.recall_heard import MATTERS, NEEDS, asked, told
from memory.recall_overheard import SOMEBODY, Overheard, overheard


@pytest.mark.parametrize(
    ("said", "matter"),
    [
        ("I pulled my hamstring badly on Monday's sprints", "body"),
        ("dairy makes me ill so I leave it out altogether", "food"),
        ("I want to finish a half marathon in autumn", "plan"),
        ("I start work at six and get home around three", "time"),
        ("all I own is a yoga mat and one kettlebell", "means"),
    ],
)
def test_what_a_message_tells_of_is_heard(said: str, matter: str) -> None:
    chances = told(said)
    assert max(MATTERS, key=lambda each: chances[each]) == matter


@pytest.mark.parametrize("said", ["Thank you, that was kind.", "What is the capital of Peru?", "", "😀", "…"])
def test_what_needs_nothing_needs_nothing(said: str) -> None:
    assert asked(said)[NEEDS] < 0.5


@pytest.mark.parametrize(
    "said", ["What should I cook for Sunday lunch?", "How hard can I go at training tomorrow?"]
)
def test_a_request_that_needs_something_is_heard(said: str) -> None:
    assert asked(said)[NEEDS] > 0.8


def test_small_talk_tells_nothing_and_somebody_else_is_known() -> None:
    assert overheard("haha nice one") == ()
    (friend,) = overheard("my brother tore his shoulder playing handball and can't lift his arm")
    assert friend.subject == SOMEBODY


def held(*said: str) -> Overheard[str]:
    found = Overheard[str]()
    for number, text in enumerate(said):
        for one in overheard(text):
            found.add(number, text, text, one)
    return found


HURT = "my ankle is sprained, no running for me"
WELL = "the physio says the ankle has healed, I am allowed to run again"
KITCHEN = "we only have a microwave in the flat"


def test_the_likeliest_comes_first_and_a_change_is_known_for_news() -> None:
    heard = held(HURT, KITCHEN, WELL)
    assert heard.worth([("means", 0.9)], 0)[0][1] == KITCHEN
    assert heard.worth([("means", 0.9)], 2) == []
    assert heard.news(HURT) == WELL
    assert heard.news(WELL) is None
    assert heard.news("never said") is None


def test_what_is_taken_back_is_as_if_it_had_not_been_said() -> None:
    heard = held(HURT, KITCHEN, WELL)
    heard.take_back(2, WELL)
    assert heard.news(HURT) is None
    assert WELL not in [text for _, text in heard.worth([("body", 1.0)], 0)]
    assert heard.worth([("means", 0.9)], 0)[0][1] == KITCHEN
