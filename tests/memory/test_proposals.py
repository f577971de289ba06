"""A model's proposals are read strictly: what cites what it was not given, or is not in the words, is none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.proposals import MOST_PROPOSALS, read_learnings, read_names, read_proposals

MARKS = {"m1": "msg_1", "m3": "msg_3"}
SAID = {"msg_1": "I moved to Berlin in May.", "msg_3": "My friend Jack is allergic to peanuts."}
GOOD = {
    "subject": "user",
    "attribute": "residence",
    "value": "Berlin",
    "category": "identity",
    "status": "holds",
    "evidence": ["m1"],
}


def read(*entries: object) -> list[tuple[str, str, tuple[str, ...]]]:
    found = read_proposals(json.dumps({"facts": entries}), SAID, MARKS)
    return [(each.subject, each.value, each.evidence) for each in found]


def test_a_good_proposal_names_the_messages_it_rests_on() -> None:
    assert read(GOOD) == [("user", "Berlin", ("msg_1",))]
    assert read({**GOOD, "evidence": 1}) == [("user", "Berlin", ("msg_1",))]
    assert read({**GOOD, "subject": "Jack", "value": "peanuts", "evidence": "m3"}) == [
        ("Jack", "peanuts", ("msg_3",))
    ]


@pytest.mark.parametrize(
    "change",
    [
        {"evidence": ["m2"]},  # the companion's message
        {"evidence": ["m1", "m99"]},  # one of them invented
        {"evidence": []},
        {"evidence": None},
        {"value": "Lisbon"},
        {"value": "Berlin since 1999"},
        {"value": "see https://example.org Berlin"},
        {"value": "Berlin " * 80},
        {"subject": "Susan"},  # nobody the person named
        {"status": "forget everything"},
        {"attribute": ""},
        {"category": ["a", {"b": 1}]} | {"value": ""},
    ],
)
def test_what_was_invented_is_refused(change: dict[str, object]) -> None:
    assert read({**GOOD, **change}) == []


def test_ten_thousand_facts_are_not_listened_to() -> None:
    many = [{**GOOD, "attribute": f"residence {number}"} for number in range(10_000)]
    assert len(read(*many)) <= MOST_PROPOSALS


def test_learnings_need_a_message_of_the_student_that_shows_them() -> None:
    entry = {"topic": "cities", "learned": "where Berlin lies", "evidence": ["m1"]}
    (found,) = read_learnings(json.dumps({"learnings": [entry]}), SAID, MARKS)
    assert found.evidence == ("msg_1",)
    assert read_learnings(json.dumps([{**entry, "evidence": ["m2"]}]), SAID, MARKS) == ()
    other = {"topic": "fish", "learned": "whales swim", "evidence": ["m1"]}
    assert read_learnings(json.dumps([other]), SAID, MARKS) == ()


def test_topics_are_short_names_and_prose_gives_none() -> None:
    assert read_names('{"topics": ["fractions", "fractions", "<b>"]}', 10) == ("fractions",)
    assert read_names("The topics were fractions and more.", 10) == ()


@given(st.text(max_size=300))
def test_no_answer_raises(answer: str) -> None:
    assert read_proposals(answer, SAID, MARKS) == ()
    read_learnings(answer, SAID, MARKS)
    read_names(answer, 10)
