"""The stored vectors most like one: compared exactly, with numpy where it is installed.

Without numpy the newest thousand are compared, since each costs some fifteen microseconds on the store's thread.
"""

import importlib
from collections.abc import Sequence
from functools import cache
from heapq import nlargest
from typing import Any

from memory.vectors import FACTOR_BYTES, likeness, pressed

LEAST_LIKE = 0.25  # below it texts have nothing to do with one another, and no search finds them
MOST_WITHOUT_NUMPY = 1_000
NUMBER_BYTES = 8
AT_A_TIME = 98_304  # numbers; a library for matrices asks for further threads from some hundred thousand on


def held(number: int, vector: bytes) -> bytes:
    """A pressed ``vector`` as it is held for searching: after the number of what it is of."""
    return number.to_bytes(NUMBER_BYTES, "little") + vector


def nearest(vector: Sequence[float], content: bytes, limit: int) -> list[int]:
    """The numbers of the ``limit`` vectors most like ``vector``, the best first; never one that is too far away.

    ``content`` is what is held, one after the other, all of one dimension; of another one nothing is found.
    """
    size = NUMBER_BYTES + FACTOR_BYTES + len(vector)
    if not content or len(content) % size:
        return []
    numpy = numpy_here()
    return one_by_one(vector, content, limit) if numpy is None else at_once(numpy, vector, content, limit)


def one_by_one(vector: Sequence[float], content: bytes, limit: int) -> list[int]:
    """The same without numpy."""
    size = NUMBER_BYTES + FACTOR_BYTES + len(vector)
    rows = [content[start : start + size] for start in range(0, len(content), size)]
    scores = [(likeness(vector, row[NUMBER_BYTES:]) or 0.0, -at) for at, row in enumerate(rows)]
    best = [-at for score, at in nlargest(limit, scores) if score >= LEAST_LIKE]
    return [int.from_bytes(rows[at][:NUMBER_BYTES], "little") for at in best]


def at_once(numpy: Any, vector: Sequence[float], content: bytes, limit: int) -> list[int]:
    """The same with numpy: ten thousand vectors take some two milliseconds.

    A stretch at a time, so that nothing but the stored bytes is held whole and one thread does it.
    """
    form = [("number", "<i8"), ("factor", "<f4"), ("parts", "i1", (len(vector),))]
    rows = numpy.frombuffer(content, dtype=numpy.dtype(form))
    (asked,) = numpy.frombuffer(held(0, pressed(vector)), dtype=numpy.dtype(form))
    parts, direction = rows["parts"], asked["parts"].astype("f4")
    products = numpy.empty(len(rows), "f4")
    step = max(1, AT_A_TIME // len(vector))
    for start in range(0, len(rows), step):
        numpy.dot(parts[start : start + step].astype("f4"), direction, out=products[start : start + step])
    scores = products * (rows["factor"] * asked["factor"])
    near = numpy.flatnonzero(scores >= LEAST_LIKE)
    if len(near) > limit > 0:  # sorting all of them takes a third of the time
        near = near[scores[near] >= numpy.partition(scores[near], -limit)[-limit]]
    best = near[numpy.argsort(-scores[near], kind="stable")][:limit]
    found: list[int] = rows["number"][best].tolist()
    return found


@cache
def numpy_here() -> Any | None:  # Any: it is optional
    """Numpy, where it is installed."""
    try:
        return importlib.import_module("numpy")
    except ImportError:
        return None
