"""`fireside search`: a dialogue and questions in, the messages that answer them out."""

import importlib.util
import json
from collections.abc import Sequence
from typing import Any

import pytest

from generation.onnx import unit
from server.batch import answers, search
from server.models import embedding_at_once

TALK: dict[str, Any] = {  # a line of JSON
    "id": 7,
    "messages": [
        {
            "id": "D1:1",
            "role": "user",
            "speaker": "Mel",
            "text": "I ran a charity race last Saturday.",
            "session": 1,
        },
        {"id": "D1:2", "role": "assistant", "speaker": "Cara", "text": "Well done!", "session": 1},
        {
            "id": 3,
            "role": "user",
            "speaker": None,
            "text": "I play the clarinet",
            "session": None,
            "date": "x",
        },
    ],
    "queries": [
        {"id": "q1", "query": "When did Mel run a race for charity?", "limit": 1},
        {"id": 2, "query": "Which instrument?"},
        {"id": "q3", "query": "zebra"},
    ],
}


def test_each_query_has_its_messages_the_best_first() -> None:
    (found,) = answers(search, [json.dumps(TALK).encode()])
    assert found["id"] == 7
    assert found["results"]["q1"] == ["D1:1"]
    assert found["results"]["2"][0] == 3
    assert found["results"]["q3"] == []


def test_a_line_that_cannot_be_read_is_answered_in_its_place() -> None:
    lines = [b'{"id": "a"}', json.dumps(TALK).encode()]
    first, second = answers(search, lines)
    assert first["id"] == "a"
    assert "messages" in first["error"]
    assert second["id"] == 7


def by_letters(texts: Sequence[str]) -> list[tuple[float, ...]]:
    """An embedder for which a text means its vowels."""
    return [unit([0.1 + text.lower().count(vowel) for vowel in "aeiou"]) for text in texts]


def test_with_an_embedder_what_means_the_same_joins_what_has_the_words() -> None:
    line = json.dumps(TALK).encode()
    (plain,) = answers(search, [line])
    (found,) = answers(lambda each: search(each, by_letters), [line])
    assert found["results"]["q1"] == ["D1:1"]
    assert set(plain["results"]["2"]) < set(found["results"]["2"])
    assert plain["results"]["q3"] == []
    assert found["results"]["q3"]


@pytest.mark.skipif(
    importlib.util.find_spec("onnxruntime") is None, reason="the extra meaning is not installed"
)
@pytest.mark.onnx
def test_the_encoder_in_the_process_finds_what_shares_no_word() -> None:
    talk = {
        "id": 1,
        "messages": [
            {"id": 1, "role": "user", "text": "The stairs make my knees ache."},
            {"id": 2, "role": "user", "text": "We painted the fence green."},
        ],
        "queries": [{"id": "q", "query": "painful joints", "limit": 1}],
    }
    line = json.dumps(talk).encode()
    assert next(answers(search, [line]))["results"]["q"] == []
    with embedding_at_once("onnx") as embed:
        assert next(answers(lambda each: search(each, embed), [line]))["results"]["q"] == [1]
