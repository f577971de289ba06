"""Static word vectors: how near in meaning two words or two short messages are, without a model.

The vectors were distilled beforehand from a small sentence encoder (`evaluation.distil_words`), so that words no
table knows still stand near those it knows. They say what a text is about, not what it says of it: *is she coming*
and *is she gone* are near. Use them as one sign among others.

The file is read on first use (some 20 ms), never on import. A vector is a tuple of floats of unit length.
"""

import zlib
from collections.abc import Iterable
from functools import cache, lru_cache
from math import sqrt
from operator import mul

import msgspec

from memory.data import raw, unpacked
from memory.text import words

FILE = "words.bin"
Vector = tuple[float, ...]


class Vectors(msgspec.Struct, frozen=True):
    """The file: words by line, and for each ``dimensions`` signed bytes and one byte of weight (255 is 1)."""

    dimensions: int
    words: str
    vectors: bytes
    weights: bytes


def pack(file: Vectors) -> bytes:
    """The file's content."""
    return zlib.compress(msgspec.msgpack.encode(file), 9)


def vector(word: str) -> Vector | None:
    """The vector of ``word`` (folded), of length one; None when it is not known."""
    return _vector(word) if word in _places() else None


def known_words() -> Iterable[str]:
    """The words that have a vector, in the order of the alphabet."""
    return _places().keys()


def weight(word: str) -> float:
    """How much ``word`` tells, from 0 (as common as *the*) to 1; 0 when it is not known."""
    at = _places().get(word)
    return 0.0 if at is None else _file().weights[at] / 255


def sentence(said: Iterable[str]) -> Vector | None:
    """The mean of the vectors of the words ``said`` by their weight, of length one; None when none is known.

    The words are folded, in any order; of a word said twice both count.
    """
    places = _places()
    known = [word for word in said if word in places]
    if not known:
        return None
    total = [sum(column) for column in zip(*map(_weighted, known), strict=True)]
    return _unit(total)


def message(text: str) -> Vector | None:
    """What ``text`` is about or how it feels as one vector of length one, whatever the order of its words.

    For readers that weigh a whole message, such as that of emotion: the mean over all its words by their weight.
    """
    return sentence(words(text))


def similarity(one: Vector, other: Vector) -> float:
    """The cosine of two vectors, from -1 to 1."""
    total: float = sum(map(mul, one, other))
    return total


@cache
def _file() -> Vectors:
    return unpacked(zlib.decompress(raw(FILE)), Vectors)


@cache
def _places() -> dict[str, int]:
    return {word: at for at, word in enumerate(_file().words.split("\n"))}


@lru_cache(maxsize=4_096)
def _vector(word: str) -> Vector:
    file = _file()
    start = _places()[word] * file.dimensions
    return _unit(memoryview(file.vectors)[start : start + file.dimensions].cast("b").tolist())


@lru_cache(maxsize=4_096)
def _weighted(word: str) -> Vector:
    share = weight(word)
    return tuple(share * number for number in _vector(word))


def _unit(numbers: Iterable[float]) -> Vector:
    found = tuple(numbers)
    length = sqrt(sum(map(mul, found, found))) or 1.0
    return tuple(number / length for number in found)
