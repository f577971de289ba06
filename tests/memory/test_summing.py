"""A summary survives every answer of a model, and says nothing in the person's name that they did not say."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.extracts import Extract
from memory.summing import (
    Read,
    Summed,
    folded_on,
    health_value,
    read_summary,
    summed,
    told,
    truly_said,
)
from memory.tokens import count

SAID = ("I argued with my sister about the care of our mother.", "I need to stop being so hard on myself.")
TALK = (*SAID, "That sounds hard.")
OWN = Extract(topics=("family",), emotional_arc="sadness (7/10)", quote=SAID[1], follow_ups=("call her",))


def never(_: str) -> bool:
    return False


def made(answer: str) -> Summed:
    return summed(read_summary(answer), OWN, TALK, SAID, private=never)


@pytest.mark.parametrize(
    "answer",
    [
        '{"topics": ["family", "care"], "summary": "They spoke of care."}',
        '{"Themen": ["family", "care"], "Zusammenfassung": "They spoke of care."}',
        "**Topics:** family, care\n**Summary:** They spoke of care.",
        "Summary: They spoke of care.\n\nTopics:\n- family\n- care",
        '```json\n{"summary": "They spoke of care.", "topics": "family, care"',
        '[{"topics": ["family", "care"], "summary": "They spoke of care."}]',
    ],
)
def test_parts_are_found_in_any_order_language_and_form(answer: str) -> None:
    found = read_summary(answer)
    assert found.topics == ("family", "care")
    assert found.summary == "They spoke of care."


def test_what_the_model_leaves_out_is_taken_from_the_talk_and_the_row_says_which() -> None:
    found = made('{"topics": ["care"], "summary": "They spoke of the care of the mother."}')
    assert found.topics == ("care",)
    assert (found.quote, found.follow_ups) == (OWN.quote, OWN.follow_ups)
    assert set(found.extracted) == {"arc", "follow_ups", "quote"}


@pytest.mark.parametrize(
    "answer", ["", "I'm sorry, I cannot help with that request.", "Hello!", "{}", "null"]
)
def test_an_answer_that_says_nothing_of_the_talk_leaves_the_talks_own_words(answer: str) -> None:
    found = made(answer)
    assert (found.summary, found.quote, found.topics) == ("", OWN.quote, OWN.topics)


def test_prose_about_the_talk_is_its_summary() -> None:
    assert made("She argued with her sister about the care of their mother.").summary != ""


def test_only_what_was_said_word_for_word_is_a_quotation() -> None:
    assert truly_said("i need to STOP being so hard on myself", SAID)
    assert not truly_said("I need to be hard on myself.", SAID)
    assert not truly_said("That sounds hard.", SAID)
    assert not truly_said("sister", SAID)


def test_a_sentence_put_into_the_persons_mouth_gives_way_to_one_of_theirs() -> None:
    found = made('{"quote": "I hate my sister.", "summary": "They spoke of the care of the mother."}')
    assert found.quote == SAID[1]
    assert "quote" in found.extracted


def test_values_of_health_and_links_stay_out_but_what_the_person_said_stays() -> None:
    said = ("I slept 5 hours.",)
    answer = json.dumps(
        {
            "summary": "I slept 5 hours. Her heart rate was 61. See https://example.org now. They spoke of care."
        }
    )
    found = summed(read_summary(answer), Extract(), [*TALK, *said], said, private=never)
    assert found.summary == "I slept 5 hours. They spoke of care."
    assert health_value("HRV of 42 ms")
    assert not health_value("She walked with 2 friends")


def test_what_is_kept_out_of_summaries_is_taken_out_of_the_models_words() -> None:
    read = Read(topics=("secret", "care"), summary="It was about care. There was a secret.")
    found = summed(read, Extract(), TALK, SAID, private=lambda text: "secret" in text)
    assert (found.topics, found.summary) == (("care",), "It was about care.")


def test_folding_keeps_the_beginning_and_takes_the_end() -> None:
    earlier = Summed(topics=("work",), emotional_arc="anxiety -> calm", summary="First.", follow_ups=("a",))
    later = Summed(topics=("sleep",), emotional_arc="joy -> pride", summary="Second.", quote="so it is now")
    both = folded_on(earlier, later, told_both=False)
    assert both.topics == ("work", "sleep")
    assert both.emotional_arc == "anxiety -> pride"
    assert both.summary == "First. Second."
    assert folded_on(earlier, later, told_both=True).summary == "Second."
    assert folded_on(earlier, Summed(), told_both=False).summary == "First.", "nothing erases nothing"


@given(st.text(max_size=400))
def test_no_answer_raises_and_none_is_quoted_that_was_not_said(answer: str) -> None:
    found = told(made(answer), parts=True, tokens=400, words_most=150)
    assert found.quote in ("", OWN.quote) or truly_said(found.quote, SAID)
    assert found.text
    assert count(found.text) <= 400


@given(st.lists(st.text(min_size=1, max_size=60), max_size=8), st.text(max_size=600), st.integers(20, 400))
def test_a_text_holds_to_its_tokens(topics: list[str], prose: str, tokens: int) -> None:
    found = told(Summed(topics=tuple(topics), summary=prose), parts=True, tokens=tokens, words_most=150)
    assert count(found.text) <= tokens
