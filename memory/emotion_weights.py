"""The trained weights, and a message's scores by them: one addition a feature.

A feature's weights for all labels are packed into one whole number, three bytes a label, so that summing a message
is one integer addition for each of its features, and no library for numbers is needed.

There are two readings and a gate. One was trained on how people speak to a companion, the other on short written
comments (GoEmotions); the gate says which of the two a text is like.
"""

import zlib
from collections.abc import Callable
from functools import cache
from math import sqrt
from typing import NamedTuple

import msgspec
from msgspec import structs

from memory.data import raw, unpacked
from memory.emotion_cues import Fine
from memory.emotion_features import Features

FILE = "emotion.bin"
OFFSET = 128  # a weight is stored as a byte, 128 being nothing
LANE_BYTES = 3  # 65,000 features fit before a sum could run over into the next label
FEWEST_WORDS = 3  # a text of one word is no surer than one of three


class Weights(msgspec.Struct, frozen=True):
    """The file: names of features by line, and for each a byte a lane.

    Lanes are the labels of ``spoken``, then those of ``written``, then the gate. A lane's score is its step times
    the sum of its bytes, scaled by the number of words, plus its bias.
    """

    spoken: tuple[Fine, ...]
    written: tuple[Fine, ...]
    names: str
    bytes: bytes
    steps: tuple[float, ...]
    biases: tuple[float, ...]
    temperature: float


class Scores(NamedTuple):
    """The scores of a text: by label for each reading, for the gate, and how many of its words are known."""

    spoken: list[float]
    written: list[float]
    gate: float
    known: int


def pack(weights: Weights) -> bytes:
    """The file's content."""
    return zlib.compress(msgspec.msgpack.encode(weights), 9)


def weights() -> Weights:
    """The weights that ship with the package, as they are in the file."""
    return unpacked(zlib.decompress(raw(FILE)), Weights)


def shape() -> Weights:
    """The weights without what is kept packed: their labels, steps and biases."""
    return _tables()[0]


@cache
def _tables() -> tuple[Weights, dict[str, int]]:
    file = weights()
    size = len(file.steps) * LANE_BYTES
    lanes = bytearray(len(file.bytes) * LANE_BYTES)
    lanes[::LANE_BYTES] = file.bytes
    packed = {
        name: int.from_bytes(lanes[at * size : (at + 1) * size], "little")
        for at, name in enumerate(file.names.split("\n"))
    }
    return structs.replace(file, names="", bytes=b""), packed


def score(seen: Features) -> Scores:
    """The scores of a text with these features."""
    file, table = _tables()
    of: Callable[[str], int | None] = table.get
    words = [*filter(None, map(of, seen.words))]
    others = [*filter(None, map(of, seen.others))]
    size = len(file.steps) * LANE_BYTES
    total = (sum(words) + sum(others)).to_bytes(size, "little")
    scale = 1 / sqrt(max(len(seen.words), FEWEST_WORDS))
    nothing = OFFSET * (len(words) + len(others))
    sums = [
        low + (middle << 8) + (high << 16) - nothing
        for low, middle, high in zip(
            total[::LANE_BYTES], total[1::LANE_BYTES], total[2::LANE_BYTES], strict=True
        )
    ]
    lanes = [
        each * step * scale + bias for each, step, bias in zip(sums, file.steps, file.biases, strict=True)
    ]
    spoken = len(file.spoken)
    return Scores(lanes[:spoken], lanes[spoken:-1], lanes[-1], len(words))
