"""The latest word on a matter comes before what it is of, and what is the person's own before what is not."""

from collections.abc import Set as AbstractSet

import pytest

from memory.recall import Remembered, stated, stated_by
from memory.recall_latest import Latest
from memory.recall_told import Told, surely, told_in
from tests.memory.test_recall import dialogue

HURT = "my ankle is sprained, no running for me"
KITCHEN = "we only have a microwave in the flat"
WELL = "the cast came off this morning and the doctor has cleared me to run"
SURE_ENOUGH = surely(0.12)
HERS = "my sister had her cast off this morning, and her doctor has cleared her to run"


def heard(text: str) -> Told:
    found = stated(text, 0, text)
    return told_in(text, found.statements if found is not None else ())


def latest(said: Latest[str], of: str, shown: AbstractSet[str] = frozenset()) -> list[str]:
    return [message for sure, message in said.latest(of, shown) if sure >= SURE_ENOUGH]


def held(*said: str) -> Latest[str]:
    found = Latest[str]()
    for text in said:
        found.add(text, text, heard(text))
    return found


def test_who_tells_a_change_has_the_latest_word_on_what_that_is_of_and_on_nothing_else() -> None:
    said = held(HURT, KITCHEN, WELL)
    assert [latest(said, each) for each in (HURT, KITCHEN, WELL, "never said")] == [[WELL], [], [], []]


def test_what_was_said_before_or_is_somebody_elses_is_no_latest_word() -> None:
    assert latest(held(WELL, HURT), HURT) == []
    assert latest(held(HURT, HERS), HURT) == []


def test_a_latest_word_that_is_shown_anyway_is_none() -> None:
    assert latest(held(HURT, WELL), HURT, {WELL}) == []


def test_a_latest_word_is_found_when_it_comes_and_not_when_it_was_taken_back() -> None:
    said = held(HURT)
    assert latest(said, HURT) == []
    said.add(WELL, WELL, heard(WELL))
    assert latest(said, HURT) == [WELL]
    said.take_back(WELL)
    assert latest(said, HURT) == []
    said.add(KITCHEN, KITCHEN, heard(KITCHEN))
    said.add(WELL, WELL, heard(WELL))
    assert latest(said, HURT) == [WELL]


@pytest.mark.parametrize(
    ("old", "new", "query"),
    [
        (
            "I'm on nights, ten till six, four in a row.",
            "I've been moved to the day shift, nine till five, from Monday.",
            "when should I train next week?",
        ),
        (
            "My shoulder is wrecked, so no overhead lifting for me.",
            "The physio tested my shoulder yesterday and says I can lift whatever I like again.",
            "can I do some presses today?",
        ),
        (
            "I want to run the Leeds marathon in May.",
            "I've pulled out of the Leeds race, I'm going to learn to swim instead.",
            "what are we working towards this spring?",
        ),
    ],
)
def test_what_is_outdated_does_not_stand_above_what_holds(old: str, new: str, query: str) -> None:
    found = Remembered(stated_by(dialogue(old, KITCHEN, new))).recall(query)
    assert "m3" in [one.message_id for one in found]
    assert next(one.message_id for one in found if one.message_id in {"m1", "m3"}) == "m3"


def test_what_is_somebody_elses_comes_last_unless_they_are_asked_about() -> None:
    said = dialogue("My sister Ann has asthma, the poor thing.", "I have a bad knee.", "I train on Tuesdays.")
    index = Remembered(stated_by(said))
    mine = [one.message_id for one in index.recall("a leg workout for me on Tuesday?")]
    assert "m1" not in mine[:1]
    hers = [one.message_id for one in index.recall("Ann wants to run with me, is that too hard for her?")]
    assert hers[0] == "m1"
