"""What a model server of ours answers when it is asked for embeddings.

A vector is the sum of a fixed random direction for each word, so texts that share words have similar vectors, and
the same text has the same one everywhere. It is not of length one, as those of many servers are not.
"""

from collections.abc import Iterator
from functools import cache
from random import Random

import msgspec

from loadtest.model_dialects import Json
from loadtest.model_play import Step, chunk
from loadtest.model_script import Script

CHAT_OF = {"/api/embed": "/api/chat", "/v1/embeddings": "/v1/chat/completions"}
"""The path of the same dialect's chat, whose refusals it shares."""


@cache
def direction(word: str, dimension: int) -> tuple[float, ...]:
    """The direction of one word."""
    chance = Random(word)  # the same everywhere, no secret
    return tuple(chance.gauss(0.0, 1.0) for _ in range(dimension))


def vector_of(text: str, dimension: int) -> list[float]:
    """The vector of ``text``."""
    words = text.casefold().replace("?", " ").replace(".", " ").split() or [""]
    return [
        round(sum(column), 6) for column in zip(*(direction(word, dimension) for word in words), strict=True)
    ]


def embeddings(path: str, question: Json, script: Script) -> bytes:
    """The answer to a question for vectors, in the dialect of ``path``."""
    asked = question.get("input", "")
    texts: list[str] = [asked] if isinstance(asked, str) else asked
    vectors = [vector_of(text, script.dimension) for text in texts]
    if script.fault == "empty":
        vectors = []
    if path == "/api/embed":
        return msgspec.json.encode({"model": question.get("model"), "embeddings": vectors})
    # Not in order: clients go by the index.
    listed = [{"object": "embedding", "index": at, "embedding": each} for at, each in enumerate(vectors)]
    return msgspec.json.encode({"object": "list", "data": listed[::-1], "usage": {"prompt_tokens": 1}})


def vectors_body(script: Script, answer: bytes) -> Iterator[Step]:
    """The steps of a good status's body, the script's fault included."""
    if script.fault == "stall_first":
        yield 0.0, "hang"
    half = len(answer) // 2
    yield script.first_token, chunk(answer[:half])
    match script.fault:
        case "stall":
            yield 0.0, "hang"
        case "cut":
            yield 0.0, "close"
        case "reset":
            yield 0.0, "reset"
        case "half_json":
            yield 0.0, b"0\r\n\r\n"
        case "garbage":
            yield 0.0, chunk(bytes(range(256))) + b"0\r\n\r\n"
        case _:
            yield 0.0, chunk(answer[half:]) + b"0\r\n\r\n"
    yield 0.0, "end"
