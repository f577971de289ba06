"""Which patterns can match in a sentence at all, told by its words before any of them is tried.

Each pattern is one bit, once for each thing it must find: a cue of its frame, a word of the frame's company, and the
words it needs itself. A word's number says what it serves; or-ing the numbers of a sentence and laying the ranks over
one another leaves the few patterns that have all they need, usually none.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, reduce
from operator import or_  # pyright: ignore[reportUnknownVariableType]  # its stub has no types
from typing import NamedTuple

from memory.statements_frames import frames
from memory.statements_loose import rules, wide_rules
from memory.statements_needs import DIGITS, MOST_NEEDS, needs
from memory.statements_text import reading
from memory.statements_words import Affixes, known_words

_MOST_REMEMBERED = 10_000
"""Words whose numbers are kept ready; what people write has no end."""
_RANKS = 2 + MOST_NEEDS
_RUN = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_PEOPLE = frozenset({"relation", "name"})
_NAMES_SOMEBODY = 1
_OPENS_PHRASE = 2


def _union(numbers: Iterable[int], start: int = 0) -> int:
    found: int = reduce(or_, numbers, start)  # pyright: ignore[reportUnknownArgumentType]  # its stub has no types
    return found


class Possible(NamedTuple):
    """What a text may hold, as bits: patterns of frames, loose rules, wide rules; ``people``: that it names somebody;
    ``phrases``: that a phrase may begin in it, so that a frame may be taken as called for by a word of one alone.
    """

    patterns: int
    loose: int
    wide: int
    people: int
    phrases: int


class _Serves(dict[str, int]):
    """What each word serves, worked out when it is first met."""

    def __init__(self, index: "Index") -> None:
        super().__init__()
        self._index = index

    def __missing__(self, word: str) -> int:
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        self[word] = found = self._index.serves(word)
        return found


class Index:
    """The patterns of all frames, then the loose rules, then the wide ones, as bits in that order."""

    def __init__(self) -> None:
        self.first = [0]
        for frame in frames().all:
            self.first.append(self.first[-1] + len(frame.patterns))
        self._frame_of = [number for number, frame in enumerate(frames().all) for _ in frame.patterns]
        self._loose = self.first[-1]
        self._wide = self._loose + len(rules())
        self._size = self._wide + len(wide_rules())
        self._exact: dict[str, int] = {}
        self._company: dict[str, int] = {}
        self._groups: dict[str, int] = dict.fromkeys(_PEOPLE, _NAMES_SOMEBODY << self._size * _RANKS)
        self._always = 0
        starts: dict[str, int] = {}
        ends: dict[str, int] = {}
        self._enter_all(starts, ends)
        self._starts = Affixes(starts)
        self._ends = Affixes(ends, ends=True)
        self._opened = self._by_opener()
        self._words = _Serves(self)

    def _enter_all(self, starts: dict[str, int], ends: dict[str, int]) -> None:
        for number, frame in enumerate(frames().all):
            for at, pattern in enumerate(frame.patterns, self.first[number]):
                self._enter_company(at, frame.company)
                self._enter_needs(at, pattern.source, starts, ends)
        for at, rule in enumerate((*rules(), *wide_rules()), self._loose):
            self._always |= 1 << at + self._size
            if rule.group:
                self._groups[rule.group] = self._groups.get(rule.group, 0) | 1 << at
            else:
                self._always |= 1 << at
            self._enter_needs(at, rule.beside, starts, ends)

    def _enter_company(self, at: int, company: Iterable[str]) -> None:
        bit = 1 << at + self._size
        if not company:
            self._always |= bit
        for word in company:
            self._company[word] = self._company.get(word, 0) | bit

    def _enter_needs(self, at: int, source: str, starts: dict[str, int], ends: dict[str, int]) -> None:
        found = needs(source)
        for rank in range(MOST_NEEDS):
            bit = 1 << at + (2 + rank) * self._size
            if rank >= len(found):
                self._always |= bit
                continue
            for word in found[rank]:
                table, entry = self._exact, word
                if word.startswith("@"):
                    table, entry = self._groups, word[1:]
                elif word.startswith("*"):
                    table, entry = ends, word[1:]
                elif word.endswith("*"):
                    table, entry = starts, word[:-1]
                table[entry] = table.get(entry, 0) | bit

    def _by_opener(self) -> dict[str, int]:
        """What the phrases serve that begin with a word: taken as there when their first word is."""
        found: dict[str, int] = {}
        for phrase, groups in known_words().all_phrases():
            first = phrase.split(" ", 1)[0]
            bits = self._of_groups(groups) | self._cues(frames().of_groups(groups))
            found[first] = found.get(first, _OPENS_PHRASE << self._size * _RANKS) | bits
        return found

    def _cues(self, numbers: Iterable[int]) -> int:
        """The bits of all patterns of the frames of these numbers, in the rank of the cues."""
        return _union((1 << self.first[n + 1]) - (1 << self.first[n]) for n in numbers)

    def _of_groups(self, groups: Iterable[str]) -> int:
        return _union(self._groups.get(group, 0) for group in groups)

    def serves(self, word: str) -> int:
        """What a word as written serves; a contraction serves what the words do that it stands for."""
        low = word.lower()
        parts = reading().contractions.get(low)
        if parts is not None:
            return _union(map(self._of, parts.split()))
        return self._of(low[:-2]) | self._of("'s") if low.endswith("'s") else self._of(low)

    def _of(self, word: str) -> int:
        found = self._opened.get(word, 0) | self._company.get(word, 0)
        if groups := known_words().of(word):
            found |= self._of_groups(groups)
        if numbers := frames().of_word(word):
            found |= self._cues(numbers)
        if _DIGIT.search(word):
            found |= self._exact.get(DIGITS, 0)
        for run in (word,) if word.isalnum() else _RUN.findall(word):
            found |= self._exact.get(run, 0)
            for bits in (*self._starts.of(run), *self._ends.of(run)):
                found |= bits
        return found

    def possible(self, said: Sequence[str]) -> Possible:
        """What can be in a text of the words ``said``."""
        each: Callable[[str], int] = self._words.__getitem__
        some: Iterable[int] = filter(None, map(each, said))  # pyright: ignore[reportUnknownArgumentType]  # its stub
        served = _union(some, self._always)
        size = self._size
        bits = served
        for rank in range(1, _RANKS):
            bits &= served >> rank * size
        return Possible(
            bits & (1 << self._loose) - 1,
            bits >> self._loose & (1 << self._wide - self._loose) - 1,
            bits >> self._wide & (1 << size - self._wide) - 1,
            served >> size * _RANKS & _NAMES_SOMEBODY,
            served >> size * _RANKS & _OPENS_PHRASE,
        )

    def called(self, said: Sequence[str]) -> list[tuple[int, int]]:
        """The frames that the words of a stretch call for, in order of precedence, and as bits from the first those of
        their patterns that are possible in it; frames without any are left out.
        """
        possible = self.possible(said)
        patterns = possible.patterns
        if not patterns:
            return []
        found: list[tuple[int, int]] = []
        while patterns:
            number = self._frame_of[(patterns & -patterns).bit_length() - 1]
            first, last = self.first[number], self.first[number + 1]
            found.append((number, patterns >> first & (1 << last - first) - 1))
            patterns = patterns >> last << last
        if possible.phrases:
            called = frames().called_by(said)
            return [each for each in found if each[0] in called]
        return found


@cache
def index() -> Index:
    """The index over all tables, made on first use."""
    return Index()
