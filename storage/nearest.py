"""The stored vectors most like one: compared exactly, with numpy where it is installed.

Without numpy the newest thousand are compared, since each costs some fifteen microseconds on the store's thread.
"""

import importlib
from collections.abc import Sequence
from functools import cache
from heapq import nlargest
from typing import Any

from memory.vectors import FACTOR_BYTES, likeness

LEAST_LIKE = 0.25  # below it texts have nothing to do with one another, and no search finds them
MOST_COMPARED = 50_000
MOST_WITHOUT_NUMPY = 1_000


def most_compared() -> int:
    """How many vectors a search may compare here."""
    return MOST_COMPARED if numpy_here() is not None else MOST_WITHOUT_NUMPY


def nearest(vector: Sequence[float], held: Sequence[tuple[int, bytes]], limit: int) -> list[int]:
    """The numbers of the ``limit`` vectors in ``held`` most like ``vector``, the best first.

    Those of another dimension, and those too far away, are never among them.
    """
    alike = [each for each in held if len(each[1]) == FACTOR_BYTES + len(vector)]
    if not alike:
        return []
    numpy = numpy_here()
    scores = one_by_one(vector, alike) if numpy is None else at_once(numpy, vector, alike)
    best = nlargest(limit, range(len(alike)), key=lambda at: (scores[at], -at))
    return [alike[at][0] for at in best if scores[at] >= LEAST_LIKE]


def one_by_one(vector: Sequence[float], held: Sequence[tuple[int, bytes]]) -> list[float]:
    """How alike ``vector`` is to each of ``held``, without numpy."""
    return [likeness(vector, stored) or 0.0 for _, stored in held]


def at_once(numpy: Any, vector: Sequence[float], held: Sequence[tuple[int, bytes]]) -> list[float]:
    """The same with numpy."""
    row = numpy.dtype([("factor", "<f4"), ("numbers", "i1", (len(vector),))])
    rows = numpy.frombuffer(b"".join([stored for _, stored in held]), dtype=row)
    alike = rows["numbers"].astype(numpy.float32) @ numpy.array(vector, dtype=numpy.float32)
    scores: list[float] = (alike * rows["factor"]).tolist()
    return scores


@cache
def numpy_here() -> Any | None:  # Any: it is optional
    """Numpy, where it is installed."""
    try:
        return importlib.import_module("numpy")
    except ImportError:
        return None
