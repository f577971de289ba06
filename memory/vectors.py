"""Vectors of what was said: small, and compared exactly.

While people talk a vector is held in single precision, four bytes a number instead of the thirty-two of a tuple's. In
the store it is one byte a number, pressed so that the largest is 127, after the factor that brings what was pressed to
length one: likeness then differs by less than a hundredth, and ten thousand are read in some milliseconds.
"""

import struct
from array import array
from collections.abc import Sequence
from math import hypot
from operator import mul

import msgspec

FACTOR_BYTES = 4
LARGEST = 127


class Meaning(msgspec.Struct, frozen=True, kw_only=True):
    """What a text means: its vector of length one, and which embedder made it, since only its own compare."""

    model: str
    vector: tuple[float, ...]


def packed(vector: Sequence[float]) -> bytes:
    """``vector`` as it is held, in single precision."""
    return array("f", vector).tobytes()


def cosine(vector: Sequence[float], held: bytes) -> float | None:
    """How alike two vectors of length one are, -1 to 1; None when they are not of one dimension."""
    other = memoryview(held).cast("f")
    return sum(map(mul, vector, other)) if len(other) == len(vector) else None


def pressed(vector: Sequence[float]) -> bytes:
    """``vector`` as it is stored, a byte a number; it must have a direction."""
    largest = max(map(abs, vector))
    numbers = array("b", (round(number / largest * LARGEST) for number in vector))
    return struct.pack("<f", 1.0 / hypot(*numbers)) + numbers.tobytes()


def likeness(vector: Sequence[float], stored: bytes) -> float | None:
    """How alike ``vector``, of length one, is to a stored one, -1 to 1; None when they are not of one dimension."""
    if len(stored) != FACTOR_BYTES + len(vector):
        return None
    factor: float = struct.unpack_from("<f", stored)[0]
    total: float = sum(map(mul, vector, memoryview(stored)[FACTOR_BYTES:].cast("b")))
    return factor * total
