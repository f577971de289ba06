"""Sets of many things as the bits of one whole number: the quickest way to put hundreds of them together."""

from collections.abc import Iterable
from functools import reduce
from operator import or_  # pyright: ignore[reportUnknownVariableType]  # its stub has no types


def union(numbers: Iterable[int], start: int = 0) -> int:
    """The bits of all ``numbers`` and of ``start``."""
    found: int = reduce(or_, numbers, start)  # pyright: ignore[reportUnknownArgumentType]  # its stub has no types
    return found
