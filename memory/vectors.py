"""Vectors of what was said, as they are held while people talk: small, and compared exactly.

A vector is four bytes a number instead of the thirty-two of a tuple's: a conversation may hold dozens of them.
"""

from array import array
from collections.abc import Sequence
from operator import mul


def packed(vector: Sequence[float]) -> bytes:
    """``vector`` as it is held, in single precision."""
    return array("f", vector).tobytes()


def cosine(vector: Sequence[float], held: bytes) -> float | None:
    """How alike two vectors of length one are, -1 to 1; None when they are not of one dimension."""
    other = memoryview(held).cast("f")
    return sum(map(mul, vector, other)) if len(other) == len(vector) else None
