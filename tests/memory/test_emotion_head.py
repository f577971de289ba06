"""A message's vector has a say in what is felt, and only a vector of the model the head was trained on."""

import pytest

from memory.emotion import read_emotion
from memory.emotion_cues import FINE, Fine
from memory.emotion_head import DIMENSION, head, joined, opinion

NONE_OF_IT = [0.0] * DIMENSION


def leaning(label: int) -> list[float]:
    """A vector of length one that points where the head reads the label."""
    row = [float(n) for n in memoryview(head().bytes).cast("b")[label * DIMENSION : (label + 1) * DIMENSION]]
    length = sum(n * n for n in row) ** 0.5
    return [n / length for n in row]


@pytest.mark.parametrize("label", range(len(FINE)))
def test_an_opinion_adds_up_and_follows_the_vector(label: int) -> None:
    found = opinion(leaning(label))
    assert sum(found.values()) == pytest.approx(1.0)
    assert max(found, key=lambda fine: found[fine]) == FINE[label]


def test_a_vector_of_another_dimension_is_ignored() -> None:
    shares: dict[Fine, float] = dict.fromkeys(FINE, 1 / len(FINE))
    assert joined(shares, [1.0, 0.0]) is shares


def test_a_reading_moves_with_the_vector_and_only_with_one() -> None:
    text = "I went to the shop."
    plain = read_emotion(text, "wellness")
    assert read_emotion(text, "wellness", vector=[1.0, 0.0]) == plain
    assert read_emotion(text, "wellness", vector=leaning(FINE.index("fear"))).distress > plain.distress


@pytest.mark.parametrize("text", ["Ich habe Angst und bin so traurig heute.", "zzz qqq xxyy", ""])
def test_what_is_not_english_is_read_as_without_it(text: str) -> None:
    assert read_emotion(text, "dementia", vector=leaning(0)) == read_emotion(text, "dementia")
