"""What a message tells and what a request needs, heard where no rule reads it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.lanes import packed
from memory.recall import Reach, Remembered, recall_batch, stated_by
from memory.recall_heard import MATTERS, NEEDS, _asks, _file, _tells, asked, classes, features, told
from memory.recall_told import overheard
from memory.recall_topics import Needed
from tests.memory.test_recall import dialogue


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


@pytest.mark.parametrize(
    "said", ["haha nice one", "my brother tore his shoulder playing handball and can't lift his arm"]
)
def test_of_small_talk_and_of_what_is_somebody_elses_nothing_is_held(said: str) -> None:
    assert overheard(said) == ()


@given(st.lists(st.sampled_from(("my", "knee", "hurts", "can", "i", "run", "?", "7", "zzyzx")), max_size=12))
def test_the_features_that_are_found_are_those_that_were_learned(said: list[str]) -> None:
    for reading, file in ((_tells(), _file().tells), (_asks(), _file().asks)):
        learned = dict(zip(file.features.split("\n"), packed(file.bytes, len(file.labels)), strict=True))
        plain = [learned[name] for name in features(said, classes()) if name in learned]
        assert sorted(reading._known(said)) == sorted(plain)


HURT = "my nose got broken in sparring so the gumshield hurts like mad"
KITCHEN = "we only have a microwave in the flat"
NEEDS_MEANS = Needed((), frozenset(), household=False, aside=False, matters=(0.1, 0.0, 0.0, 0.0, 0.9, 0.0))


def heard(index: Remembered, latest: int) -> list[str]:
    found = index.bring_back(NEEDS_MEANS, most=9, reach=Reach(latest, frozenset()))
    return [stated.text for _, stated in found]


def test_the_likeliest_comes_first_and_none_from_too_far_back() -> None:
    index = Remembered(stated_by(dialogue(HURT, KITCHEN, "I get up at five every day", then=0)))
    assert heard(index, 9)[0] == KITCHEN
    assert KITCHEN in heard(index, 2)
    assert KITCHEN not in heard(index, 1)


def test_what_is_taken_back_is_as_if_it_had_not_been_said() -> None:
    said = stated_by(dialogue(HURT, KITCHEN, then=0))
    index = Remembered(said)
    index.follow(said[:1])
    assert heard(index, 9) == heard(Remembered(said[:1]), 9)
    index.follow(said)
    assert heard(index, 9)[0] == KITCHEN


def test_a_message_that_no_rule_reads_is_brought_back_and_one_that_ended_is_not() -> None:
    talk = [("m1", "user", HURT), *(("f", "assistant", "Right.") for _ in range(10))]
    assert recall_batch(talk, "they want me in the ring on the 10th, should I?") == ["m1"]
    ended = [("m0", "user", "I'm vegan."), ("m1", "user", "I'm not vegan any more."), *talk[1:]]
    assert "m0" not in recall_batch(ended, "what should I cook tonight?")
