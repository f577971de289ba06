"""What a student says they have learned is found where it is said, and told to parents without their own sentence."""

import pytest

from memory.learned import learned_in, told_learned
from memory.noting import Plainness

SAID = ("I finally understand how to add fractions.", "My cat is called Quokka.")
PLAIN = Plainness(SAID, lambda text: "secret" in text)


@pytest.mark.parametrize(
    ("text", "topics"),
    [
        ("I learned about fractions today.", ["fractions"]),
        ("I've just learnt that you have to find the common denominator!", ["find the common denominator"]),
        ("Oh, now I get it: you multiply both sides.", ["multiply both sides"]),
        ("I finally understand photosynthesis. I worked out why the sky is blue.", ["photosynthesis", "sky"]),
        ("Ich habe die Bruchrechnung verstanden.", ["bruchrechnung"]),
        ("Ahora entiendo las fracciones.", ["fracciones"]),
        ("I find fractions hard.", []),
        ("I am learning French.", []),
        ("I haven't learned anything about fractions.", []),
        ("I learned nothing today.", []),
        ("I wish I had learned about fractions.", []),
        ("Have I understood fractions?", []),
        ("Das habe ich nicht verstanden.", []),
        ("No entendí las fracciones.", []),
        ("I get it now.", []),
    ],
)
def test_what_is_said_to_be_learned_is_found_and_what_is_hard_denied_or_wished_is_not(
    text: str, topics: list[str]
) -> None:
    assert [each.topic for each in learned_in(text)] == topics


@pytest.mark.parametrize(
    ("topic", "learned", "told"),
    [
        ("fractions", "Brings two fractions to one denominator.", "Brings two fractions to one denominator."),
        ("fractions", "I finally understand how to add fractions.", None),
        ("cats", "cat is called Quokka", None),
        ("fractions", "Feels lonely when adding fractions.", None),
        ("fractions", "A secret of fractions.", None),
    ],
)
def test_parents_read_the_topic_and_no_sentence_of_the_students(
    topic: str, learned: str, told: str | None
) -> None:
    assert told_learned(topic, learned, SAID, PLAIN) == (topic, told)


@pytest.mark.parametrize("topic", ["a secret", "loneliness", "<b>", "an uncle hits him", ""])
def test_a_topic_that_may_not_be_told_takes_all_of_it_along(topic: str) -> None:
    assert told_learned(topic, "Adds fractions.", SAID, PLAIN) is None
