"""How much the weights of any part of a message can come to at most, without looking each of them up.

Looking up every word, every two side by side and every two with one between takes longer than all else that is
read. So the words that weights are known for fall into 256 classes, the most used ones each into one of its own, and
what two classes can be worth beside each other is a byte in a table of all pairs: a bound, and mostly the very weight.
Bytes are looked up without making a string of each pair.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate
from operator import add
from typing import Final, NamedTuple

from memory.crisis_words import STOP

OFFSET: Final = 128  # a bound is a byte, 128 being nothing
_CLASSES: Final = 256
_OWN: Final = 112  # classes of one word; the first stands for words without weights, the last are shared
_LETTERS: Final = 1 << 16
_UTF_16: Final = f"utf-16-{sys.byteorder[0]}e"


class Over(NamedTuple):
    """Sums along a message: a part is worth at most the sum ``to`` its end, less that ``before`` its start."""

    before: list[int]
    to: list[int]


class Bounds:
    """The classes of letters, and what each letter and each two classes are worth at most."""

    def __init__(self, beside: Mapping[str, int], apart: Mapping[str, int]) -> None:
        pairs = [name for name in (*beside, *apart) if len(name) > 1]
        used = [letter for letter, _ in Counter("".join(pairs)).most_common()]
        shared = _CLASSES - _OWN
        kinds = [*range(1, _OWN), *(_OWN + at % shared for at in range(max(0, len(used) - _OWN + 1)))]
        self.kinds = _filled(0, zip(map(ord, used), kinds, strict=False))
        alone = ((ord(name), worth + OFFSET) for name, worth in beside.items() if len(name) == 1)
        self.single = _filled(OFFSET, alone)
        self.beside = self._table({name: worth for name, worth in beside.items() if len(name) > 1})
        self.apart = self._table(apart)

    def _table(self, worths: Mapping[str, int]) -> bytes:
        """For each two classes the most that two of their letters are worth, where two of them are worth anything."""
        table, pairs = bytearray([OFFSET]) * _LETTERS, "".join(worths)
        firsts, seconds = (
            bytes(map(self.kinds.__getitem__, map(ord, row))) for row in (pairs[::2], pairs[1::2])
        )
        for at, one, other, worth in zip(
            _pairs(firsts, seconds), firsts, seconds, worths.values(), strict=True
        ):
            alone = one < _OWN and other < _OWN
            table[at] = worth + OFFSET if alone else max(table[at], worth + OFFSET)
        return bytes(table)

    def over(self, letters: str) -> Over:
        """The bounds, summed up along ``letters``."""
        codes = memoryview(letters.encode(_UTF_16)).cast("H").tolist()
        edge = self.kinds[ord(STOP)]
        row = bytes((edge, *map(self.kinds.__getitem__, codes), edge))
        beside = [*map(self.beside.__getitem__, _pairs(row, row[1:]))]
        apart = map(self.apart.__getitem__, _pairs(row, row[2:]))
        single = map(self.single.__getitem__, codes)
        before = [*accumulate(map(add, map(add, single, apart), beside), initial=0)]
        return Over(before, [*map(add, before, beside)])


def _filled(nothing: int, places: Iterable[tuple[int, int]]) -> bytes:
    table = bytearray([nothing]) * _LETTERS
    for at, value in places:
        table[at] = value
    return bytes(table)


def summed(worth: float, letters: int) -> float:
    """What ``worth``, of so many letters, is as a difference of such sums, in which nothing counts as `OFFSET`."""
    return worth + OFFSET * (3 * letters + 1)


def _pairs(firsts: bytes, seconds: bytes) -> list[int]:
    """Each of ``seconds`` with the one of ``firsts`` in its place, as a number of two bytes."""
    both = bytearray(2 * len(seconds))
    both[::2] = firsts[: len(seconds)]
    both[1::2] = seconds
    return memoryview(both).cast("H").tolist()
