"""A message in letters as numbers, made once for all that looks its letters up.

Whoever looks up every letter, every two side by side and every two with one between does so by number: those of a
whole message are made at once, and none of them is a string.
"""

import sys
from array import array
from typing import Final

from memory.crisis_words import STOP
from memory.once import once

_UTF_16: Final = f"utf-16-{sys.byteorder[0]}e"


class Row:
    """The letters of a message, before and after which sentences end: ``codes`` has a number for each."""

    def __init__(self, letters: str) -> None:
        self.letters = letters
        self._bounded = _codes(STOP + letters + STOP)
        self.codes = self._bounded[1:-1].tolist()

    @once
    def beside(self) -> list[int]:
        """Each letter with the one before it as one number, and the end with the last."""
        return _pairs(self._bounded, 1)

    @once
    def apart(self) -> list[int]:
        """The two on both sides of each letter as one number."""
        return _pairs(self._bounded, 2)


def number(letters: str) -> int:
    """The number of one letter, or of two."""
    return ord(letters) if len(letters) == 1 else _pairs(_codes(letters), 1)[0]


def _codes(letters: str) -> "array[int]":
    return array("H", letters.encode(_UTF_16))


def _pairs(codes: "array[int]", distance: int) -> list[int]:
    """Each two that are so far from each other as one number, no single one's."""
    both = array("H", bytes(4 * (len(codes) - distance)))
    both[::2], both[1::2] = codes[:-distance], codes[distance:]
    return memoryview(both).cast("B").cast("I").tolist()
