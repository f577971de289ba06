"""The crisis reader's second opinion: how likely words speak of danger, learned from examples.

Phrases know the ways of saying a thing that somebody wrote down; this one adds up the weights of words, of words
side by side and of words with one between, learned from sentences written for the purpose and from everyday talk
(`evaluation/train_crisis.py`). It does two things. Where it is sure it finds what no phrase does, and where it hears
no danger it takes the sign away from a phrase, sooner from one that stands alone, never from a plan in the first
person. Of German and Spanish there are few examples: there they say nothing against a phrase of words they never had.
A message is read in windows of whole sentences, and only where a word stands that speaks for danger at all.
"""

import math
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, chain, compress, repeat
from operator import add, ge, sub
from typing import Final, NamedTuple

import msgspec

from memory.crisis_rows import Row, number
from memory.crisis_sentences import LONGEST, Span, windows, within
from memory.crisis_table import CrisisCategory
from memory.crisis_words import STOP
from memory.data import raw, unpacked
from memory.once import once

FILES: Final = {"en": "crisis.bin", "de": "crisis_de.bin", "es": "crisis_es.bin"}
CATEGORIES: Final[tuple[CrisisCategory, ...]] = ("self_harm", "harm_others", "abuse", "medical")
GRAVE: Final = "grave"
LANES: Final = (*CATEGORIES, GRAVE)
OFFSET: Final = 128  # a weight is stored as a byte, 128 being nothing
BETWEEN: Final = "\ue002"
MARKS: Final = {"^": STOP, "_": BETWEEN}
_FEWEST = 16  # features; one of a few words is no surer than one of several
_UNLIKELY = 1e-9
_COMMONER = 1.5  # a word in twice as many features is met nearly three times as often
_TELLS: Final = 64  # words; in more the common ones add up to what no part of them says
_BEFORE, _AFTER = 8, 9  # words told of beside those that speak for danger


class Weights(msgspec.Struct, frozen=True):
    """The file: features by line (``word``, ``word word``, ``word _ word``), and bytes for what each speaks for.

    ``danger`` has a byte a feature; ``lanes`` has one for each of ``LANES``, which count only where there is danger.
    ``triggers`` are words without one of which nothing is looked at. ``raises`` is the least chance for a sign where
    phrases find nothing, ``surer`` and ``graver`` (a score) for one of the highest severity beside a lesser one.
    ``keeps`` and ``keeps_grave`` are for each of ``CATEGORIES`` the least chances for a phrase to keep its sign, the
    second for one of the highest severity; ``alone`` and ``alone_grave`` where it is the only one in the message.
    Of a language with few examples every word is a trigger, and what they never had speaks for itself: ``met`` are the
    words of phrases that they did have, though nothing was learned of them; without it there are examples enough.
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
    alone: tuple[float, ...]
    alone_grave: tuple[float, ...]
    met: str | None = None


class Sums(NamedTuple):
    """Weights summed up along a message: a part is worth the sum ``to`` its end, less that ``before`` its start."""

    before: list[int]
    to: list[int]


class Heard(NamedTuple):
    """A run of letters and the chance that it speaks of danger."""

    start: int
    end: int
    chance: float


def pack(file: Weights) -> bytes:
    """The file's content."""
    return zlib.compress(msgspec.msgpack.encode(file), 9)


@cache
def weights(name: str) -> Weights:
    """The weights of a language that ship with the package."""
    return unpacked(zlib.decompress(raw(FILES[name])), Weights)


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
        self.beside = {number(name): worth for name, worth in danger.items() if BETWEEN not in name}
        self.apart = {number(name[0] + name[2]): worth for name, worth in danger.items() if BETWEEN in name}
        self.triggers = frozenset(number(letters[word]) for word in file.triggers.split("\n"))
        self.met = None if file.met is None else self._met(file.met.split("\n"), letters)
        self.raises = [self._least(file.raises, size) for size in range(LONGEST + 1)]

    def _met(self, words: Sequence[str], letters: Mapping[str, str]) -> frozenset[str]:
        """The letters that examples had: those of features, and of ``words`` of which nothing was learned."""
        single = (name for name in self.places if len(name) == 1)
        return frozenset(chain(single, (letters[word] for word in words if word in letters)))

    def _least(self, chance: float, letters: int) -> float:
        """What so many letters must be worth at least for a chance, and a little less, so that rounding hides none."""
        within = min(max(chance, _UNLIKELY), 1 - _UNLIKELY)
        return (math.log(within / (1 - within)) - self.file.bias) / self.file.step * scale(letters) - 1

    def often(self) -> dict[str, float]:
        """About how often letters are met in talk: a common word is one of many features."""
        count = Counter(chain.from_iterable(self.places))
        total = sum(count.values())
        return {letter: (times / total) ** _COMMONER for letter, times in count.items()}

    def hearing(self, row: Row, sentences: Sequence[Span]) -> "Hearing":
        """What is heard in a message of ``sentences``, each looked at when it is asked for."""
        return Hearing(self, row, sentences)

    def needed(self, category: CrisisCategory, grave: bool) -> float:
        """The least chance of danger where a phrase of ``category`` keeps its sign."""
        return (self.file.keeps_grave if grave else self.file.keeps)[CATEGORIES.index(category)]

    def needed_alone(self, category: CrisisCategory, grave: bool) -> float:
        """The least chance of danger where it keeps its sign though no other phrase has one."""
        return (self.file.alone_grave if grave else self.file.alone)[CATEGORIES.index(category)]

    def sums(self, row: Row) -> Sums:
        """The weights of a message, of its letters, of two side by side and of two with one between, summed up."""
        known, nothing = self.beside.get, repeat(0)
        beside = [*map(known, row.beside, nothing)]
        single, apart = map(known, row.codes, nothing), map(self.apart.get, row.apart, nothing)
        before = [*accumulate(map(add, map(add, single, apart), beside), initial=0)]
        return Sums(before, [*map(add, before, beside)])

    def chance(self, worth: int, letters: int) -> float:
        """How likely it is that so many letters, whose weights sum up to ``worth``, speak of danger."""
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


class Hearing:
    """What the weights make of one message; little of it is ever asked for, so it is worked out then.

    Heard is a sentence, or a window of several, where a word speaks for danger.
    """

    def __init__(self, learned: Learned, row: Row, sentences: Sequence[Span]) -> None:
        self.learned = learned
        self.row = row
        self.sentences = sentences
        self.known: dict[Span, float | None] = {}

    @once
    def windows(self) -> list[Span]:
        """The sentences and windows that are looked at, in the order in which that is done."""
        return windows(self.sentences)

    @once
    def sums(self) -> Sums:
        """The weights of all of it."""
        return self.learned.sums(self.row)

    def sure(self) -> Heard | None:
        """The likeliest run of those that are a sign by themselves; of equals the first."""
        if self.learned.triggers.isdisjoint(self.row.codes):
            return None
        heard = (Heard(*run, chance) for run in self._perhaps() if (chance := self._chance(run)) is not None)
        return max(filter(self._is_sure, heard), key=lambda each: each.chance, default=None)

    def core(self, heard: Heard) -> tuple[Span, Span]:
        """The likeliest sentence of a run, and the part of it that speaks: from its first trigger to its last."""
        first, last = max(within(self.row.letters, (heard.start, heard.end)), key=self._chance_of)
        triggers = map(self.learned.triggers.__contains__, self.row.codes[first:last])
        at = [*compress(range(first, last), triggers)] or [first, last - 1]
        return (first, last), (max(first, at[0] - _BEFORE), min(last, at[-1] + _AFTER))

    def bears_out(self, found: Span, sentence: Span, least: float, *, apart: bool = False) -> bool:
        """Whether the chance of danger of ``sentence`` is ``least``, or that of what is heard around ``found``.

        Beside much talk no few words are heard: ``apart``, and in a sentence that does not end, those of ``found``
        suffice.
        """
        own = self._chance(sentence)
        if own is not None and own < least and (apart or sentence[1] - sentence[0] > _TELLS):
            own = self._chance(found)
        if own is not None:
            return own >= least
        start, end = found
        near = (self._chance(run) for run in self.windows if run[0] < end and start < run[1])
        return any(chance is not None and chance >= least for chance in near)

    def is_new(self, found: Span) -> bool:
        """Whether the few examples never had the word that ``found`` begins or ends with: they say nothing of it."""
        letters, met = self.row.letters, self.learned.met
        return met is not None and not {letters[found[0]], letters[found[1] - 1]} <= met

    def _perhaps(self) -> Iterator[Span]:
        """The windows whose weights may suffice for a sign."""
        sums, (starts, ends) = self.sums, zip(*self.windows, strict=True)
        worths = map(sub, map(sums.to.__getitem__, ends), map(sums.before.__getitem__, starts))
        least = map(self.learned.raises.__getitem__, map(sub, ends, starts))
        return compress(self.windows, map(ge, worths, least))

    def _chance(self, run: Span) -> float | None:
        """The chance that a run speaks of danger, added up once; None where no word of it does."""
        if run not in self.known:
            start, end = run
            silent = self.learned.triggers.isdisjoint(self.row.codes[start:end])
            self.known[run] = None if silent else self._chance_of(run)
        return self.known[run]

    def _chance_of(self, run: Span) -> float:
        start, end = run
        return self.learned.chance(self.sums.to[end] - self.sums.before[start], end - start)

    def _is_sure(self, heard: Heard) -> bool:
        """Whether a run is a sign by itself: a part of a long message, of which there are many, must be surer.

        A sentence that does not end is judged by its parts.
        """
        file = self.learned.file
        return (
            heard.end - heard.start <= _TELLS
            and heard.chance >= file.raises
            and (heard.chance >= file.surer or self._is_whole((heard.start, heard.end)))
        )

    def _is_whole(self, run: Span) -> bool:
        """Whether a run is the message, or a sentence that was not cut."""
        whole = run == (self.sentences[0][0], self.sentences[-1][1])
        return whole or (run[1] - run[0] < LONGEST and run in self.sentences)
