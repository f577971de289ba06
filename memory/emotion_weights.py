"""The trained weights, and a message's scores by them: one addition a feature.

There are two readings and a gate. One was trained on how people speak to a companion, the other on short written
comments (GoEmotions); the gate says which of the two a text is like.
"""

import zlib
from functools import cache
from itertools import chain, repeat
from math import sqrt
from typing import Final, NamedTuple

import msgspec
from msgspec import structs

from memory.data import raw, unpacked
from memory.emotion_cues import Fine
from memory.emotion_features import Features
from memory.lanes import packed, sums

FILE = "emotion.bin"
FEWEST_WORDS = 3  # a text of one word is no surer than one of three
_NONE: Final[dict[str, int]] = {}
_following = dict[str, int].get


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
    return _tables().shape


class _Tables(NamedTuple):
    """The packed weights of features, and where they are: of single ones, and of pairs by their first, then second."""

    shape: Weights
    numbers: list[int]
    single: dict[str, int]
    pairs: dict[str, dict[str, int]]


@cache
def _tables() -> _Tables:
    file = weights()
    numbers = [0, *packed(file.bytes, len(file.steps))]  # so that no feature is at 0
    single, pairs = dict[str, int](), dict[str, dict[str, int]]()
    for at, name in enumerate(file.names.split("\n"), 1):
        first, beside, second = name.partition(" ")
        if beside:
            pairs.setdefault(first, {})[second] = at
        else:
            single[name] = at
    return _Tables(structs.replace(file, names="", bytes=b""), numbers, single, pairs)


def score(seen: Features) -> Scores:
    """The scores of a text with these features."""
    file, numbers, single, pairs = _tables()
    words = [*filter(None, map(single.get, seen.words))]
    after = map(pairs.get, seen.row, repeat(_NONE))
    others = {*map(single.get, seen.more), *map(_following, after, seen.row[1:])}
    found = [*map(numbers.__getitem__, chain(words, filter(None, others)))]
    scale = 1 / sqrt(max(len(seen.words), FEWEST_WORDS))
    totals = sums(found, len(file.steps))
    lanes = [
        each * step * scale + bias for each, step, bias in zip(totals, file.steps, file.biases, strict=True)
    ]
    spoken = len(file.spoken)
    return Scores(lanes[:spoken], lanes[spoken:-1], lanes[-1], len(words))
