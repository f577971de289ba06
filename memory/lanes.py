"""Weights of many labels added up at once.

A feature's weights are bytes, one a label, 128 being nothing. They are packed into one whole number, two bytes a
label, so that summing a message is one addition for each of its features, and no library for numbers is needed.
"""

from collections.abc import Sequence
from functools import cache
from struct import Struct
from typing import Final

OFFSET: Final = 128
_LANE_BYTES: Final = 2
_AT_ONCE: Final = 257  # so many features fit before a sum could run over into the next label


def packed(weights: bytes, labels: int) -> list[int]:
    """The numbers of features whose ``weights`` stand one behind the other, ``labels`` bytes each."""
    lanes = bytearray(len(weights) * _LANE_BYTES)
    lanes[::_LANE_BYTES] = weights
    size = labels * _LANE_BYTES
    return [int.from_bytes(lanes[at : at + size], "little") for at in range(0, len(lanes), size)]


def sums(numbers: Sequence[int], labels: int) -> list[int]:
    """For each label the sum of the weights in ``numbers``, nothing counting as 0."""
    lanes, nothing = _lanes(labels), OFFSET * len(numbers)
    parts = [
        lanes.unpack(sum(numbers[at : at + _AT_ONCE]).to_bytes(lanes.size, "little"))
        for at in range(0, max(len(numbers), 1), _AT_ONCE)
    ]
    if len(parts) == 1:
        return [part - nothing for part in parts[0]]
    return [sum(part) - nothing for part in zip(*parts, strict=True)]


@cache
def _lanes(labels: int) -> Struct:
    return Struct(f"<{labels}H")
