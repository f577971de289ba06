"""What a message tells, and what a request needs, heard by words and their like where no rule reads it.

Rules know the ways of saying a thing that somebody wrote down: "I'm allergic to nuts", "what should I eat". This knows
what is like them ("my nose got broken in sparring", "they want me in the ring on the 10th"): linear readings of words,
pairs of words, words of like meaning, and the mean of the words' vectors, learned from sentences that several people
wrote for the purpose (`evaluation.train_recall`). It is a second opinion for a recall; a fact never rests on it.
"""

import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from math import exp, sqrt
from operator import mul
from typing import Final, Literal, TypeAlias, get_args

import msgspec

from memory import wordvectors
from memory.data import raw, unpacked
from memory.lanes import packed, sums
from memory.phrases import tokens

FILE: Final = "recall.bin"
Matter: TypeAlias = Literal["body", "food", "plan", "time", "means", "life"]
"""What lasts of what somebody tells: health, eating, goals, hours and days, things and places, people and work."""
MATTERS: Final[tuple[Matter, ...]] = get_args(Matter)
OTHERS: Final = "other"  # told of somebody else
NEEDS: Final = "any"  # a request for which something told before matters
CHANGES: Final = "change"  # something is no longer as it was
TELLS: Final = (*MATTERS, OTHERS, CHANGES)
ASKS: Final = (*MATTERS, NEEDS)
FEWEST: Final = 12  # features; a message of a few words is no surer than one of several
LONGEST: Final = 400  # characters at the beginning of a message that are heard
SPREAD: Final = 2.0
"""What a feature counts at most, beside a vector of length one."""


class Weights(msgspec.Struct, frozen=True):
    """One reading: features by line, and for each a byte a label; a label's row of the vector's dimensions."""

    labels: tuple[str, ...]
    features: str
    bytes: bytes
    steps: tuple[float, ...]
    biases: tuple[float, ...]
    rows: tuple[tuple[float, ...], ...]


class File(msgspec.Struct, frozen=True):
    """The file: both readings, for each word that has a vector the class of words of like meaning it is in, 0 for
    none, what each sign counts of that a message is the latest word on the matter of another (`memory.recall_latest`),
    what is so of all first, and what each counts for the order of what is brought back (`memory.recall_order`).
    """

    tells: Weights
    asks: Weights
    classes: bytes
    latest: tuple[float, ...]
    order: tuple[float, float, float, float]


def pack(file: File) -> bytes:
    """The file's content."""
    return zlib.compress(msgspec.msgpack.encode(file), 9)


@cache
def _file() -> File:
    return unpacked(zlib.decompress(raw(FILE)), File)


def latest_weights() -> tuple[float, ...]:
    """What each sign of a latest word counts, what is so of all first."""
    return _file().latest


@cache
def order_weights() -> tuple[float, float, float, float]:
    """What each sign counts for the order of what is brought back."""
    return _file().order


@cache
def classes() -> Mapping[str, str]:
    """The class of each word that is in one, as a feature of its own."""
    named = zip(wordvectors.known_words(), _file().classes, strict=True)
    return {word: f"#{number}" for word, number in named if number}


def heard_words(text: str) -> list[str]:
    """The words of a message as they are heard: folded, numbers alike, of the marks those that ask or exclaim."""
    return [
        "0" if token[0].isdigit() else token
        for token in tokens(text[:LONGEST])
        if token[0].isalnum() or token[0] in "?!"
    ]


def features(said: Sequence[str], alike: Mapping[str, str]) -> set[str]:
    """Words, two side by side, two with one between, and classes of words."""
    found = {*said, *(alike[word] for word in said if word in alike)}
    found.update(f"{one} {two}" for one, two in pairwise(("^", *said, "$")))
    found.update(f"{one} _ {two}" for one, two in zip(said, said[2:], strict=False))
    return found


class _Reading:
    """One linear reading, made ready: features of two words are found by the first and then the second, so that most
    pairs of a message cost one look and no new string.
    """

    def __init__(self, file: Weights) -> None:
        self._file = file
        numbers = packed(file.bytes, len(file.labels))
        self._single: dict[str, int] = {}
        self._beside: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._apart: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for name, number in zip(file.features.split("\n"), numbers, strict=True):
            match name.split(" "):
                case [word]:
                    self._single[word] = number
                case [first, last]:
                    self._beside[first][last] = number
                case [first, _, last]:
                    self._apart[first][last] = number
                case _:
                    pass

    def chances(self, text: str) -> dict[str, float]:
        """How likely each label is of a message."""
        said, vector = _shown(text)
        known = self._known(said)
        lanes = sums(known, len(self._file.labels))
        share = SPREAD / sqrt(max(FEWEST, len(known)))
        return dict(zip(self._file.labels, self._scored(lanes, share, vector), strict=True))

    def _known(self, said: Sequence[str]) -> list[int]:
        """The weights of the features of what is ``said`` that are known; the same as of `features`."""
        alike = classes()
        found = {
            word: self._single[word]
            for word in (*said, *(alike[word] for word in said if word in alike))
            if word in self._single
        }
        every = [*found.values()]
        for pairs, table in (
            (pairwise(("^", *said, "$")), self._beside),
            (zip(said, said[2:], strict=False), self._apart),
        ):
            every += {
                pair: table[pair[0]][pair[1]]
                for pair in pairs
                if pair[0] in table and pair[1] in table[pair[0]]
            }.values()
        return every

    def _scored(
        self, lanes: Sequence[int], share: float, vector: wordvectors.Vector | None
    ) -> Iterator[float]:
        file = self._file
        for lane, step, bias, row in zip(lanes, file.steps, file.biases, file.rows, strict=True):
            leaning = sum(map(mul, row, vector)) if vector is not None else 0.0
            yield 1 / (1 + exp(-(lane * step * share + leaning + bias)))


@lru_cache(maxsize=2)
def _shown(text: str) -> tuple[list[str], wordvectors.Vector | None]:
    """The words of a message and their vector, for both readings."""
    said = heard_words(text)
    return said, wordvectors.sentence(said)


@cache
def _tells() -> _Reading:
    return _Reading(_file().tells)


@cache
def _asks() -> _Reading:
    return _Reading(_file().asks)


def told(text: str) -> Mapping[str, float]:
    """How likely a message tells of each of `MATTERS`, of somebody else, and of a change."""
    return _tells().chances(text)


def asked(text: str) -> Mapping[str, float]:
    """How likely a message needs to know of each of `MATTERS`, and of anything at all."""
    return _asks().chances(text)
