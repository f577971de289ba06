"""Which of many phrases can be in a sentence at all, told by its letters before any pattern is tried.

Each phrase is found by its anchor: of what it needs (letters, and pairs of letters side by side) that which is met
least. Most words of a message are the anchor of none. Of the phrases whose anchor stands in a sentence the other
words they need are looked for, and only then their pattern.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain
from operator import add, itemgetter
from typing import TypeAlias

from memory.crisis_grammar import Phrase
from memory.crisis_match import Laid
from memory.once import once

Span: TypeAlias = tuple[int, int]


class Index:
    """Phrases, found in sentences of letters."""

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        self.phrases = phrases
        self.letters = [tuple(map(_letters, phrase.needs[3:])) for phrase in phrases]
        self.beside = [tuple(filter(_has_pairs, phrase.needs[1:])) for phrase in phrases]
        self.anchors = _table(phrase.needs[0] for phrase in phrases)
        second, third = (_table(_letters(_nth(phrase, rank)) for phrase in phrases) for rank in (1, 2))
        self.others = {letter: (second.get(letter, 0), third.get(letter, 0)) for letter in {*second, *third}}
        self.no_second = _bits(at for at, phrase in enumerate(phrases) if len(phrase.needs) < 2)
        self.no_third = _bits(at for at, phrase in enumerate(phrases) if len(phrase.needs) < 3)

    @once
    def _single(self) -> re.Pattern[str]:
        """A letter that is an anchor."""
        return re.compile(_one_of(letters for letters in self.anchors if len(letters) == 1))

    @once
    def _pair(self) -> re.Pattern[str]:
        """Two letters that may be an anchor; a table is asked whether they are."""
        pairs = [letters for letters in self.anchors if len(letters) > 1]
        return re.compile(f"{_one_of(map(itemgetter(0), pairs))}(?={_one_of(map(itemgetter(1), pairs))})")

    def warm(self) -> None:
        """Lay out the phrases and compile the patterns now."""
        self.lay_out()
        self.possible("", [])

    def lay_out(self) -> None:
        """Lay out every phrase now."""
        for phrase in self.phrases:
            phrase.lay_out()

    def possible(self, letters: str, sentences: Sequence[Span]) -> list[tuple[int, Span]]:
        """The number of each phrase that can be in a sentence, with that sentence."""
        found, starts = list[tuple[int, Span]](), [start for start, _ in sentences]
        for number, met in sorted(self._anchored(letters, sentences, starts).items()):
            found += [(at, sentences[number]) for at in self._needed(met, letters[slice(*sentences[number])])]
        return found

    def _anchored(self, letters: str, sentences: Sequence[Span], starts: Sequence[int]) -> dict[int, int]:
        """For the number of each sentence that has one the phrases whose anchor it has."""
        found: dict[int, int] = {}
        hits = [(match.start(), 1) for match in self._single.finditer(letters)]
        hits += [(match.start(), 2) for match in self._pair.finditer(letters)]
        for at, size in hits:
            met = self.anchors.get(letters[at : at + size])
            if met is None:
                continue
            number = bisect_right(starts, at) - 1
            while number >= 0 and sentences[number][1] >= at + size:  # pieces of a long one overlap
                found[number] = found.get(number, 0) | met
                number -= 1
        return found

    def found(self, letters: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """The number of each phrase in the sentence from ``start`` to ``end``, and where it stands."""
        said, anchors = letters[start:end], self.anchors.get
        met = reduce(int.__or__, filter(None, map(anchors, chain(said, map(add, said, said[1:])))), 0)
        numbers = self._needed(met, said) if met else ()
        if numbers:
            laid = Laid(letters, start, end)
            for at in numbers:
                yield from ((at, *span) for span in self.phrases[at].found(letters, start, end, laid))

    def _needed(self, met: int, said: str) -> list[int]:
        """The numbers of the phrases whose anchor was ``met`` and whose other words are ``said`` as well."""
        second, third = self.no_second, self.no_third
        for one, other in filter(None, map(self.others.get, said)):
            second |= one
            third |= other
        met &= second & third
        if not met:
            return []
        numbers = [at for at in _places(met) if not any(each.isdisjoint(said) for each in self.letters[at])]
        if not any(map(self.beside.__getitem__, numbers)):
            return numbers
        lacking = frozenset(chain(said, map(add, said, said[1:]))).isdisjoint
        return [at for at in numbers if not any(map(lacking, self.beside[at]))]


def _table(needs: Iterable[frozenset[str]]) -> dict[str, int]:
    """For each of the letters or pairs in ``needs`` the numbers of those it is in, as bits."""
    found: dict[str, int] = {}
    for at, needed in enumerate(needs):
        for letters in needed:
            found[letters] = found.get(letters, 0) | 1 << at
    return found


def _nth(phrase: Phrase, rank: int) -> frozenset[str]:
    return phrase.needs[rank] if rank < len(phrase.needs) else frozenset()


def _letters(needed: frozenset[str]) -> frozenset[str]:
    """Single letters, one of which stands where one of ``needed`` does."""
    return frozenset(letters[-1] for letters in needed)


def _has_pairs(needed: frozenset[str]) -> bool:
    return any(len(letters) > 1 for letters in needed)


def _one_of(letters: Iterable[str]) -> str:
    """A pattern for one of ``letters``, none of which means anything in a pattern; without any for none."""
    every = "".join(sorted(set(letters)))
    return f"[{every}]" if every else "(?!)"


def _bits(places: Iterable[int]) -> int:
    return sum(1 << at for at in places)


def _places(bits: int) -> Iterator[int]:
    """The places of the bits that are set, from the lowest."""
    while bits:
        bit = bits & -bits
        bits ^= bit
        yield bit.bit_length() - 1
