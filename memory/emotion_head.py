"""A second opinion on a feeling, from the vector of a message: one linear reading of all-MiniLM-L6-v2's 384 numbers.

It joins the reading by words where an embedder of that model is configured, and is trained by
``evaluation.train_emotion_head``. Each opinion counts by its logarithm, so that either may rule a label out.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from operator import mul

import msgspec

from memory.data import raw, unpacked
from memory.emotion_cues import FINE, Fine

FILE = "emotion_head.bin"
DIMENSION = 384
SHARE = 0.3  # of the opinion; chosen on the development sets, where 0.3 to 0.45 did best
FLOOR = 0.001  # the least a label is given, so that no opinion is absolute


class Head(msgspec.Struct, frozen=True):
    """The file: for each label of ``FINE`` 384 signed bytes; a label's score is its step times their sum."""

    bytes: bytes
    steps: tuple[float, ...]
    biases: tuple[float, ...]


@cache
def head() -> Head:
    """The weights that ship with the package."""
    return unpacked(raw(FILE), Head)


def joined(shares: Mapping[Fine, float], vector: Sequence[float]) -> Mapping[Fine, float]:
    """``shares`` and the vector's opinion as one, together 1; ``shares`` for a vector of another dimension."""
    if len(vector) != DIMENSION:
        return shares
    mixed: dict[Fine, float] = {
        fine: (1 - SHARE) * math.log(shares.get(fine, 0.0) + FLOOR) + SHARE * math.log(share + FLOOR)
        for fine, share in opinion(vector).items()
    }
    return _normed(mixed)


def opinion(vector: Sequence[float]) -> dict[Fine, float]:
    """The share of each fine label by the vector alone."""
    file = head()
    rows = memoryview(file.bytes).cast("b")
    scores: dict[Fine, float] = {}
    for at, fine in enumerate(FINE):
        row = rows[at * DIMENSION : (at + 1) * DIMENSION]
        scores[fine] = file.steps[at] * sum(map(mul, row, vector)) + file.biases[at]
    return _normed(scores)


def _normed(scores: Mapping[Fine, float]) -> dict[Fine, float]:
    top = max(scores.values())
    parts: dict[Fine, float] = {fine: math.exp(score - top) for fine, score in scores.items()}
    whole = sum(parts.values())
    normed: dict[Fine, float] = {fine: part / whole for fine, part in parts.items()}
    return normed
