"""A summary without a model says what was said, in the person's words, and nothing more."""

from hypothesis import given
from hypothesis import strategies as st

from memory.extracts import Felt, extract
from memory.messages import Message, Role


def message(position: int, text: str, role: Role = "user") -> Message:
    return Message(id=f"m{position}", role=role, text=text, position=position, at=0)


TALK = [
    message(1, "I argued with my sister about our mother's care. I feel awful."),
    message(2, "That sounds hard.", "assistant"),
    message(3, "I need to stop being so hard on myself."),
    message(4, "That is a big thought.", "assistant"),
    message(5, "I will call her tomorrow and say sorry."),
]
FELT = {
    "m1": Felt(emotion="sadness", intensity=7, topics=("family", "conflict")),
    "m3": Felt(emotion="hopeful", intensity=6, topics=("family",), flags=("breakthrough",)),
    "m5": Felt(emotion="calm", intensity=4, flags=("action_item",)),
}


def test_every_part_of_the_form_is_there() -> None:
    made = extract(TALK, FELT)
    assert made.topics == ("family", "conflict")
    assert made.emotional_arc == "sadness (7/10) -> calm (4/10)"
    assert made.key_insight == "I need to stop being so hard on myself."
    assert made.follow_ups == ("I will call her tomorrow and say sorry.",)
    assert "family, conflict" in made.text


def test_the_quote_is_the_persons_own_words() -> None:
    quote = extract(TALK, FELT).quote
    assert any(quote in each.text for each in TALK if each.role == "user")


def test_a_talk_without_words_of_the_person_gives_an_empty_summary() -> None:
    made = extract([message(1, "Hello!", "assistant"), message(2, "  ")], {})
    assert (made.text, made.quote, made.topics) == ("", "", ())


@given(st.lists(st.text(max_size=300), max_size=12))
def test_whatever_was_said_a_quote_is_said_by_the_person_and_bounded(texts: list[str]) -> None:
    said = [message(at + 1, text) for at, text in enumerate(texts)]
    made = extract(said, {})
    assert len(made.quote) <= 161
    start = made.quote.removesuffix("…")
    assert any(start in each.text for each in said) or not made.quote
