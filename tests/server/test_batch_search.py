"""`fireside search`: a dialogue and questions in, the messages that answer them out."""

import json
from typing import Any

from server.batch import answers, search

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
