import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.data import raw
from memory.emotion_cues import FINE, cues
from memory.emotion_features import features
from memory.emotion_weights import FILE, Weights, score, weights
from memory.lanes import OFFSET
from memory.phrases import tokens

ONE_MEGABYTE = 1_000_000


def slow_score(seen: set[str], words: int, file: Weights) -> list[float]:
    """The same sum, label by label, as one would write it on paper."""
    size, names = len(file.steps), file.names.split("\n")
    rows = {name: file.bytes[at * size : (at + 1) * size] for at, name in enumerate(names) if name in seen}
    scale = max(words, 3) ** -0.5
    return [
        sum(row[lane] - OFFSET for row in rows.values()) * file.steps[lane] * scale + file.biases[lane]
        for lane in range(size)
    ]


def test_the_weights_are_under_a_megabyte() -> None:
    assert len(raw(FILE)) < ONE_MEGABYTE


def test_each_fine_label_has_a_lane_and_each_feature_its_bytes() -> None:
    file = weights()
    assert set(file.spoken) == set(FINE)
    assert len(file.steps) == len(file.biases) == len(file.spoken) + len(file.written) + 1
    assert len(file.bytes) == len(file.steps) * len(file.names.split("\n"))


@given(st.lists(st.sampled_from("i am not so happy sad nobody came the sun is out , ?".split())))  # noqa: SIM905  # a sentence to draw from
def test_the_packed_sum_is_the_sum(words: list[str]) -> None:
    text = tokens(" ".join(words))
    seen = features(text, cues(text))
    result = score(seen)
    expected = slow_score({*seen.words, *seen.others}, len(seen.words), weights())
    assert [*result.spoken, *result.written, result.gate] == pytest.approx(expected, abs=1e-6)


def test_a_denied_word_is_a_feature_of_its_own() -> None:
    seen = features(tokens("I am not happy"), [])
    assert {"!happy", "not happy"} <= seen.others
    assert len(seen.words) == 4


def test_denial_ends_with_the_clause() -> None:
    seen = features(tokens("Not today, happy dog"), [])
    assert "!today" in seen.others
    assert "!happy" not in seen.others


def test_what_is_said_twice_counts_once() -> None:
    once = features(tokens("sad"), [])
    twice = features(tokens("sad sad sad"), [])
    assert once.words == twice.words == {"sad"}
    assert once.others < twice.others
