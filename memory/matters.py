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
from typing import Final, TypeAlias

import msgspec

from memory.data import raw
from memory.frames import QuestionType
from memory.lanes import packed, sums
from memory.phrasing import Sentence, concepts
from memory.vocabulary import FUNCTION, OTHER

FILE: Final = "questions.bin"
OTHERWISE: Final = "other"  # none of the matters
LIKELY: Final = 0.12  # matters less likely than this are not kept
_PLAIN: Final = frozenset((FUNCTION, OTHER, "v"))


BREAK: Final = ""
Feature: TypeAlias = tuple[str, ...]
"""A letter for its kind and the words it is made of; in the file they stand with spaces between."""


class Weights(msgspec.Struct, frozen=True):
    """The file: features by line, and for each a byte a lane; lanes are the classes, then the matters.

    A lane's score is its step times the sum of its bytes, plus its bias. ``likes`` has by line a word the training
    never met and the nearest one that it did.
    """

    classes: tuple[QuestionType, ...]
    matters: tuple[str, ...]
    features: str
    likes: str
    bytes: bytes
    steps: tuple[float, ...]
    biases: tuple[float, ...]


class Matters(msgspec.Struct, frozen=True):
    """The class of a message, how likely it is, and its likely matters with their probability."""

    type: QuestionType
    sure: float
    matters: Mapping[str, float]


def pack(weights: Weights) -> bytes:
    """The file's content."""
    return zlib.compress(msgspec.msgpack.encode(weights), 9)


def features(
    sentences: Sequence[Sentence], type_by_grammar: str, aspects: Iterable[str], like: Mapping[str, str]
) -> AbstractSet[Feature]:
    """What the readings look at; ``like`` has for unfamiliar words the familiar ones nearest to them.

    Sentences stand in one row with a `BREAK` between; a feature over it is none.
    """
    found: set[Feature] = {("A", aspect) for aspect in aspects}
    if found:
        found.add(("F", type_by_grammar))
    found.add(("G", type_by_grammar))
    if any(sentence.past for sentence in sentences):
        found.add(("past",))
    familiar = [_familiar(each, like) for each in sentences if not like.keys().isdisjoint(each.raw)]
    words, kinds = [BREAK], [BREAK]
    for sentence in (*sentences, *familiar):
        end = "?" if sentence.asks else "."
        words += ["^", *sentence.raw, end, BREAK]
        kinds += ["^", *[t.concept if t.kind in _PLAIN else t.kind for t in sentence.tokens], end, BREAK]
        found.update(zip(repeat("c"), [token.concept for token in sentence.tokens], strict=False))
    for mark, row in (("w", words), ("k", kinds)):
        found.update(zip(repeat(mark), row, strict=False))
        found.update(zip(repeat(mark), row, row[1:], strict=False))
        found.update(zip(repeat(mark), row, row[1:], row[2:], strict=False))
    return found


@cache
def likes() -> Mapping[str, str]:
    """For words the training never met the nearest that it did."""
    pairs = (line.partition(" ") for line in _tables()[0].likes.splitlines())
    return {word: like for word, _, like in pairs}


def read_matters(found: AbstractSet[Feature]) -> Matters:
    """The class and the matters of a message with these features."""
    file, numbers = _tables()
    known = [*filter(None, map(numbers.get, found))]
    lanes = sums(known, len(file.steps))
    scores = [lane * step + bias for lane, step, bias in zip(lanes, file.steps, file.biases, strict=True)]
    classes, all_classes = _powers(scores[: len(file.classes)])
    matters, all_matters = _powers(scores[len(file.classes) :])
    sure = max(classes)
    least = LIKELY * all_matters
    return Matters(
        type=file.classes[classes.index(sure)],
        sure=sure / all_classes,
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


def _familiar(sentence: Sentence, like: Mapping[str, str]) -> Sentence:
    """The sentence in words the training met: a shawl is like a scarf."""
    raw = tuple(like.get(word, word) for word in sentence.raw)
    return msgspec.structs.replace(sentence, raw=raw, tokens=tuple(concepts(raw)))


@cache
def _tables() -> tuple[Weights, dict[Feature, int]]:
    """The file without what is kept apart of it, and the weights of each feature in one number."""
    file = msgspec.msgpack.decode(zlib.decompress(raw(FILE)), type=Weights)
    names = [tuple(map(intern, name.split())) for name in file.features.split("\n")]
    numbers: dict[Feature, int] = dict(zip(names, packed(file.bytes, len(file.steps)), strict=True))
    return msgspec.structs.replace(file, features="", bytes=b""), numbers
