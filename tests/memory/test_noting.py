"""Notes on a lesson: what a model writes is read strictly, and nothing private and no word of the student's gets by."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.messages import Message, Role
from memory.noting import (
    Evaluation,
    Plainness,
    minutes_of,
    own_evaluation,
    own_note,
    read_evaluation,
    read_note,
)

SAID = ["I think we have to find the common denominator first, then add them."]
PLAIN = Plainness(SAID, lambda text: "secret" in text)
GOOD = {
    "summary": "They worked on adding fractions. It went well.",
    "highlights": ["Found a common denominator unaided"],
    "concerns": ["Mixes up the signs at times"],
    "suggestions": ["Cut a cake into unlike parts with the family"],
}


def said(at: int, text: str = "How do I add them?", role: Role = "user") -> Message:
    return Message(id=f"m{at}", role=role, text=text, position=1, at=at, status="completed")


def test_a_good_answer_is_a_note() -> None:
    note = read_note(f"Here it is:\n```json\n{json.dumps(GOOD)}\n```", PLAIN)
    assert note is not None
    assert note.summary == GOOD["summary"]
    assert note.highlights == ("Found a common denominator unaided",)
    assert note.concerns == ("Mixes up the signs at times",)
    assert note.suggestions == ("Cut a cake into unlike parts with the family",)


@pytest.mark.parametrize(
    "line",
    [
        "She is lonely since her mother left.",
        "He feels depressed.",
        "Sam wants to kill himself.",
        "An uncle hits him.",
        "Takes tablets for the pain.",
        'Said: "I cannot do it."',
        "We have to find the common denominator first, as was said.",
        "A secret was told.",
        "See https://example.org for more.",
        "Look at m3 again.",
        "<b>Well done</b>",
    ],
)
def test_what_is_private_or_quoted_or_marked_up_is_left_out(line: str) -> None:
    answer = {
        **GOOD,
        "summary": f"They worked on fractions. {line}",
        "highlights": [line],
        "suggestions": [line],
    }
    note = read_note(json.dumps(answer), PLAIN)
    assert note is not None
    assert note.summary == "They worked on fractions."
    assert note.highlights == note.suggestions == ()
    assert read_note(json.dumps({**GOOD, "summary": line}), PLAIN) is None


@pytest.mark.parametrize(
    "answer", ["", "Sorry, I cannot.", "[1, 2]", "{}", '{"summary": 7}', '{"summary": "']
)
def test_an_answer_that_is_none_gives_no_note(answer: str) -> None:
    assert read_note(answer, PLAIN) is None
    assert read_evaluation(answer, PLAIN) is None


@given(st.text(max_size=300))
def test_no_answer_raises(answer: str) -> None:
    for text in (answer, json.dumps({"summary": answer, "highlights": [answer], "engagement": answer})):
        note = read_note(text, PLAIN)
        assert note is None or len(note.summary) <= 500
        read_evaluation(text, PLAIN)


def test_a_long_answer_is_brief() -> None:
    answer = {
        key: [f"Line {n} is fine" for n in range(20)] for key in ("highlights", "concerns", "suggestions")
    }
    note = read_note(json.dumps({**answer, "summary": "One. Two. Three. Four. Five."}), PLAIN)
    assert note is not None
    assert note.summary == "One. Two. Three."
    assert (len(note.highlights), len(note.concerns), len(note.suggestions)) == (3, 2, 3)


def test_an_evaluation_keeps_to_its_scale() -> None:
    answer = {"engagement": 4, "understanding": 9, "strengths": ["asks why"], "next_steps": ["go on"]}
    assert read_evaluation(json.dumps(answer), PLAIN) == Evaluation(
        engagement=4, understanding=None, strengths=("asks why",), next_steps=("go on",)
    )
    assert read_evaluation(json.dumps({"engagement": True, "understanding": 0}), PLAIN) is None


def test_without_a_model_a_note_holds_figures_and_nothing_that_was_said() -> None:
    lesson = [said(0, "Why is the quokka sad?"), said(120_000, "Because.", "assistant"), said(240_000)]
    note = own_note("Mathematics", lesson, learned=True)
    assert note.summary == "4 minutes of Mathematics, in questions and answers."
    assert note.highlights == ("Asked questions of their own.", "Put into words what was learned.")
    assert note.suggestions
    assert "quokka" not in str(note)
    judged = own_evaluation(lesson, learned=False)
    assert (judged.engagement, judged.understanding) == (1, None)


def test_pauses_and_jumps_of_the_clock_are_no_lesson() -> None:
    hour = 3_600_000
    assert minutes_of([said(0), said(60_000), said(5 * hour), said(5 * hour + 60_000), said(0)]) == 2
    assert minutes_of([said(0)]) == minutes_of([]) == 1
