"""What a message is about, learned: its class of question, and which everyday matter it raises.

The patterns of `memory.frames` know what they were told; this knows what is like it. Two linear readings were
trained (`evaluation.train_questions`) on questions written for this project: one names the class, the other the
matter (wanting to go home, what day it is, where a thing is, ...). What they look at are the words of the message,
alone and in pairs, the concepts they stand for, the kinds of things in their order, and the frames found.
"""

import zlib
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import repeat
from math import exp
from sys import intern
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from memory.data import raw, unpacked
from memory.lanes import packed, sums
from memory.phrasing import Sentence
from memory.vocabulary import FUNCTION, OTHER

FILE: Final = "questions.bin"
OTHERWISE: Final = "other"  # none of the matters
LIKELY: Final = 0.05  # matters less likely than this are not kept
_PLAIN: Final = frozenset((FUNCTION, OTHER, "v"))

BREAK: Final = ""
QuestionType: TypeAlias = Literal["location", "identity", "time", "activity", "person", "general"]
_CONCEPTS, _WORDS, _KINDS = "c", "w", "k"
"""The letters of features that are concepts, words, or kinds of things."""
Feature: TypeAlias = tuple[str, ...]
"""A letter for its kind and the words it is made of; in the file they stand with spaces between."""


class Weights(msgspec.Struct, frozen=True):
    """The file: features by line, and for each a byte a lane; lanes are the classes, then the matters.

    A lane's score is its step times the sum of its bytes, plus its bias.
    """

    classes: tuple[QuestionType, ...]
    matters: tuple[str, ...]
    features: str
    bytes: bytes
    steps: tuple[float, ...]
    biases: tuple[float, ...]


class Matters(msgspec.Struct, frozen=True):
    """The class of a message, and its likely matters with their probability."""

    type: QuestionType
    matters: Mapping[str, float]


def pack(weights: Weights) -> bytes:
    """The file's content."""
    return zlib.compress(msgspec.msgpack.encode(weights), 9)


class Seen(NamedTuple):
    """What the readings look at: features that stand alone, the concepts named, each a feature, and two rows of which
    the words in one, two or three places side by side are features too.

    Sentences stand in one row with a `BREAK` between; a feature over it is none.
    """

    alone: AbstractSet[Feature]
    concepts: Sequence[str]
    words: Sequence[str]
    kinds: Sequence[str]


def seen(sentences: Sequence[Sentence], aspects: Iterable[str]) -> Seen:
    """What the readings look at in sentences that fit the patterns of ``aspects``."""
    found: set[Feature] = {("A", aspect) for aspect in aspects}
    if any(sentence.past for sentence in sentences):
        found.add(("past",))
    words, kinds, named = [BREAK], [BREAK], list[str]()
    for sentence in sentences:
        end = "?" if sentence.asks else "."
        words += ["^", *sentence.raw, end, BREAK]
        kinds += ["^", *[t.concept if t.kind in _PLAIN else t.kind for t in sentence.tokens], end, BREAK]
        named += [token.concept for token in sentence.tokens]
    return Seen(found, named, words, kinds)


def features(looked_at: Seen) -> AbstractSet[Feature]:
    """The features of what is looked at, one by one: what the readings are trained on."""
    found = {*looked_at.alone, *zip(repeat(_CONCEPTS), looked_at.concepts, strict=False)}
    for mark, row in ((_WORDS, looked_at.words), (_KINDS, looked_at.kinds)):
        found.update(zip(repeat(mark), row, strict=False))
        found.update(zip(repeat(mark), row, row[1:], strict=False))
        found.update(zip(repeat(mark), row, row[1:], row[2:], strict=False))
    return found


def read_matters(looked_at: Seen) -> Matters:
    """The class and the matters of a message of which this is looked at."""
    file, known = _tables()
    lanes = sums(known.weights(looked_at), len(file.steps))
    scores = [lane * step + bias for lane, step, bias in zip(lanes, file.steps, file.biases, strict=True)]
    classes = scores[: len(file.classes)]
    matters, all_matters = _powers(scores[len(file.classes) :])
    least = LIKELY * all_matters
    return Matters(
        type=file.classes[classes.index(max(classes))],
        matters={
            name: power / all_matters
            for name, power in zip(file.matters, matters, strict=True)
            if power > least and name != OTHERWISE
        },
    )


def _powers(scores: Sequence[float]) -> tuple[list[float], float]:
    """The exponentials of the scores, scaled alike, and their sum: a power by the sum is a share."""
    most = max(scores)
    powers = [exp(score - most) for score in scores]
    return powers, sum(powers)


class _Node:
    """Words in a row that begin a feature: the number of their own, if they are one, and what may come next."""

    __slots__ = ("number", "then")

    def __init__(self) -> None:
        self.number = _NONE
        self.then: dict[str, _Node] = {}


class _Known:
    """The features that were trained, as a tree of the words that they are made of.

    Most words in a row begin no feature, so that a message is read with about one look-up for each of its words,
    instead of one for all that it could hold.
    """

    def __init__(self, names: Iterable[Feature], numbers: Sequence[int]) -> None:
        self._numbers = numbers
        self._root = _Node()
        for number, name in enumerate(names):
            node = self._root
            for word in name:
                node = node.then.setdefault(word, _Node())
            node.number = number

    def weights(self, looked_at: Seen) -> list[int]:
        """The weights of each known feature that is there."""
        found = {*map(self._number, looked_at.alone)}
        concepts = self._root.then[_CONCEPTS].then
        found.update([concepts[concept].number for concept in looked_at.concepts if concept in concepts])
        for mark, row in ((_WORDS, looked_at.words), (_KINDS, looked_at.kinds)):
            self._in_row(row, self._root.then[mark].then, found)
        found.discard(_NONE)
        return [*map(self._numbers.__getitem__, found)]

    def _number(self, feature: Feature) -> int:
        node: _Node | None = self._root
        for word in feature:
            node = node.then.get(word) if node is not None else None
        return _NONE if node is None else node.number

    def _in_row(self, row: Iterable[str], first: Mapping[str, _Node], found: set[int]) -> None:
        second = third = _NOTHING  # what may come next after the last word, and after the last two
        for word in row:
            if third and (node := third.get(word)) is not None:
                found.add(node.number)
            third = _NOTHING
            if second and (node := second.get(word)) is not None:
                found.add(node.number)
                third = node.then
            second = _NOTHING
            if (node := first.get(word)) is not None:
                found.add(node.number)
                second = node.then


@cache
def _tables() -> tuple[Weights, _Known]:
    """The file without what is kept apart of it, and its features with the weights of each in one number."""
    file = unpacked(zlib.decompress(raw(FILE)), Weights)
    names = (tuple(map(intern, name.split())) for name in file.features.split("\n"))
    known = _Known(names, packed(file.bytes, len(file.steps)))
    return msgspec.structs.replace(file, features="", bytes=b""), known


_NONE: Final = -1
_NOTHING: Final[Mapping[str, _Node]] = {}
