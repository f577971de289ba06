"""The crisis reader's second opinion, for English: how likely words speak of danger, learned from examples.

Phrases know the ways of saying a thing that somebody wrote down; this one adds up the weights of words, of words
side by side and of words with one between, learned from sentences written for the purpose and from everyday talk
(`evaluation/train_crisis.py`). It does two things. Where it is sure it finds what no phrase does, and where it is
sure that nothing is wrong it takes a sign away from a phrase that is known to err, never a plan in the first person.
A message is read in windows of whole sentences, and only where a word stands that speaks for danger at all.
"""

import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, repeat
from operator import add
from typing import Final, NamedTuple, TypeAlias

import msgspec

from memory.crisis_table import CrisisCategory
from memory.crisis_words import STOP
from memory.data import raw, unpacked

FILE: Final = "crisis.bin"
CATEGORIES: Final[tuple[CrisisCategory, ...]] = ("self_harm", "harm_others", "abuse", "medical")
GRAVE: Final = "grave"
LANES: Final = (*CATEGORIES, GRAVE)
OFFSET: Final = 128  # a weight is stored as a byte, 128 being nothing
BETWEEN: Final = "\ue002"
MARKS: Final = {"^": STOP, "_": BETWEEN}
_FEWEST = 16  # features; one of a few words is no surer than one of several
_WINDOW = 40  # words
_STEP = 20
_BEFORE, _AFTER = 8, 9  # words told of beside those that speak for danger

Span: TypeAlias = tuple[int, int]


class Weights(msgspec.Struct, frozen=True):
    """The file: features by line (``word``, ``word word``, ``word _ word``), and bytes for what each speaks for.

    ``danger`` has a byte a feature; ``lanes`` has one for each of ``LANES``, which count only where there is danger.
    ``triggers`` are words without one of which nothing is looked at. ``raises`` is the least chance for a sign where
    phrases find nothing, ``surer`` and ``graver`` (a score) for one of the highest severity beside a lesser one.
    ``keeps`` and ``keeps_grave`` are for each of ``CATEGORIES`` the least chances for a phrase to keep its sign.
    """

    features: str
    danger: bytes
    step: float
    bias: float
    lanes: bytes
    steps: tuple[float, ...]
    biases: tuple[float, ...]
    triggers: str
    raises: float
    surer: float
    graver: float
    keeps: tuple[float, ...]
    keeps_grave: tuple[float, ...]


class Heard(NamedTuple):
    """A run of letters and the chance that it speaks of danger."""

    start: int
    end: int
    chance: float


def pack(file: Weights) -> bytes:
    """The file's content."""
    return zlib.compress(msgspec.msgpack.encode(file), 9)


@cache
def weights() -> Weights:
    """The weights that ship with the package."""
    return unpacked(zlib.decompress(raw(FILE)), Weights)


def vocabulary(file: Weights) -> Iterator[str]:
    """The words that the features are made of."""
    seen = {word for feature in file.features.split("\n") for word in feature.split(" ")}
    yield from sorted(seen - MARKS.keys())


def features(letters: str) -> list[str]:
    """What whole sentences of ``letters`` show: letters, two side by side, two with one between."""
    row = STOP + letters + STOP
    between = [one + BETWEEN + two for one, two in zip(row, row[2:], strict=False)]
    return [*letters, *map(add, row, row[1:]), *between]


def scale(letters: int) -> float:
    """What the sum of the weights of so many ``letters`` is divided by, so that long and short ones compare."""
    return math.sqrt(max(_FEWEST, 3 * letters))


class Learned:
    """The weights, with the letters that the words of one reader have."""

    def __init__(self, file: Weights, letters: Mapping[str, str]) -> None:
        self.file = file
        known = {**letters, **MARKS}
        self.places = {
            "".join(map(known.__getitem__, name.split(" "))): at
            for at, name in enumerate(file.features.split("\n"))
        }
        danger = {name: file.danger[at] - OFFSET for name, at in self.places.items()}
        self.beside = {name: worth for name, worth in danger.items() if BETWEEN not in name}
        self.apart = {name[0] + name[2]: worth for name, worth in danger.items() if BETWEEN in name}
        self.triggers = frozenset(letters[word] for word in file.triggers.split("\n"))

    def heard(self, letters: str, sentences: Sequence[Span]) -> list[Heard]:
        """Sentences, and windows of several, where a word speaks for danger, with their chances."""
        if self.triggers.isdisjoint(letters):
            return []
        sums = _Sums(self, letters)
        return [
            Heard(start, end, self._chance(sums.worth(start, end), end - start))
            for start, end in dict.fromkeys(_windows(sentences))
            if sums.triggers[end] > sums.triggers[start]
        ]

    def bears_out(self, category: CrisisCategory, grave: bool, chance: float) -> bool:
        """Whether a phrase keeps its sign where the chance of danger is this small."""
        least = self.file.keeps_grave if grave else self.file.keeps
        return chance >= least[CATEGORIES.index(category)]

    def _chance(self, worth: int, letters: int) -> float:
        return 1 / (1 + math.exp(-(worth * self.file.step / scale(letters) + self.file.bias)))

    def about(self, letters: str) -> tuple[CrisisCategory, float]:
        """What kind of danger ``letters`` most likely speak of, and how much for the highest severity: over 0 it is."""
        file, wide = self.file, len(LANES)
        found = [self.places[name] * wide for name in features(letters) if name in self.places]
        down = scale(len(letters))
        scores = [
            sum(file.lanes[at + lane] - OFFSET for at in found) * step / down + bias
            for lane, (step, bias) in enumerate(zip(file.steps, file.biases, strict=True))
        ]
        kinds = scores[: len(CATEGORIES)]
        return CATEGORIES[kinds.index(max(kinds))], scores[-1]

    def core(self, letters: str, heard: Heard) -> tuple[Span, Span]:
        """The likeliest sentence of a run, and the part of it that speaks: from its first trigger to its last."""
        sums = _Sums(self, letters)
        first, last = max(
            _sentences(letters, heard), key=lambda each: self._chance(sums.worth(*each), each[1] - each[0])
        )
        at = [place for place in range(first, last) if letters[place] in self.triggers] or [first, last - 1]
        return (first, last), (max(first, at[0] - _BEFORE), min(last, at[-1] + _AFTER))


class _Sums:
    """The weights along a message, summed up, so that those of any part of it are a difference."""

    def __init__(self, learned: Learned, letters: str) -> None:
        row, nothing = STOP + letters + STOP, repeat(0)
        beside, apart = learned.beside.get, learned.apart.get
        self.single = [*accumulate(map(beside, letters, nothing), initial=0)]
        self.pairs = [*accumulate(map(beside, map(add, row, row[1:]), nothing), initial=0)]
        self.apart = [*accumulate(map(apart, map(add, row, row[2:]), nothing), initial=0)]
        self.triggers = [*accumulate(map(learned.triggers.__contains__, letters), initial=0)]

    def worth(self, start: int, end: int) -> int:
        """The sum of the weights of the letters from ``start`` to ``end`` and of those beside them."""
        within = self.single[end] - self.single[start] + self.pairs[end + 1] - self.pairs[start]
        return within + self.apart[end] - self.apart[start]


def _windows(sentences: Sequence[Span]) -> Iterator[Span]:
    """Each sentence; of long ones parts; and from every so many words on as many sentences as go into a window."""
    begun = -_STEP
    for number, (start, end) in enumerate(sentences):
        yield start, end
        yield from ((at, min(end, at + _WINDOW)) for at in range(start, end - _WINDOW, _STEP))
        if start - begun < _STEP and number:
            continue
        begun = start
        last = number
        while last + 1 < len(sentences) and sentences[last + 1][1] - start <= _WINDOW:
            last += 1
        yield start, sentences[last][1]


def _sentences(letters: str, heard: Heard) -> list[tuple[int, int]]:
    found, start = list[tuple[int, int]](), heard.start
    for part in letters[heard.start : heard.end].split(STOP):
        if part:
            found.append((start, start + len(part)))
        start += len(part) + 1
    return found
