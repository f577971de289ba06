"""Which of many phrases can be in a sentence at all, told by its letters before any pattern is tried.

Each phrase is found by its anchor: of what it needs (letters, and pairs of letters side by side) that which is met
least. Most words of a message are the anchor of none. Of the phrases whose anchor stands in a sentence the other
words they need are looked for, and only then their pattern.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeAlias

from memory.bits import union
from memory.crisis_grammar import Phrase
from memory.crisis_match import Laid
from memory.crisis_rows import Row, number

Span: TypeAlias = tuple[int, int]


class Index:
    """Phrases, found in sentences of letters, which are looked up by number."""

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        self.phrases = phrases
        self.letters = [tuple(_numbers(_letters(each)) for each in phrase.needs[3:]) for phrase in phrases]
        self.beside = [tuple(map(_numbers, filter(_has_pairs, phrase.needs[1:]))) for phrase in phrases]
        self.anchors = _table(phrase.needs[0] for phrase in phrases)
        others = [*(_nth(phrase, 1) for phrase in phrases), *(_nth(phrase, 2) for phrase in phrases)]
        self.others = _table(map(_letters, others))  # the second need of each, then the third
        self.no_others = sum(1 << at for at, needed in enumerate(others) if not needed)

    def lay_out(self) -> None:
        """Lay out every phrase now."""
        for phrase in self.phrases:
            phrase.lay_out()

    def possible(self, row: Row, sentences: Sequence[Span]) -> list[tuple[int, Span]]:
        """The number of each phrase that can be in a sentence, with that sentence."""
        anchors = self.anchors.get
        single, pairs = [*map(anchors, row.codes)], [*map(anchors, row.beside)]
        found: list[tuple[int, Span]] = []
        for start, end in sentences:
            met = union(filter(None, chain(single[start:end], pairs[start + 1 : end])))
            if met:
                found += [(at, (start, end)) for at in self._needed(met, row, start, end)]
        return found

    def found(self, row: Row, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """The number of each phrase in the sentence from ``start`` to ``end``, and where it stands."""
        said = chain(row.codes[start:end], row.beside[start + 1 : end])
        met = union(filter(None, map(self.anchors.get, said)))
        numbers = self._needed(met, row, start, end) if met else ()
        if numbers:
            laid = Laid(row.letters, start, end)
            for at in numbers:
                yield from ((at, *span) for span in self.phrases[at].found(row.letters, start, end, laid))

    def _needed(self, met: int, row: Row, start: int, end: int) -> list[int]:
        """The numbers of the phrases whose anchor was ``met`` and whose other words stand there as well."""
        said = row.codes[start:end]
        served = union(filter(None, map(self.others.get, said)), self.no_others)
        met &= served & served >> len(self.phrases)
        if not met:
            return []
        numbers = [at for at in _places(met) if not any(each.isdisjoint(said) for each in self.letters[at])]
        if not any(map(self.beside.__getitem__, numbers)):
            return numbers
        lacking = frozenset(chain(said, row.beside[start + 1 : end])).isdisjoint
        return [at for at in numbers if not any(map(lacking, self.beside[at]))]


def _table(needs: Iterable[frozenset[str]]) -> dict[int, int]:
    """For each of the letters or pairs in ``needs`` the numbers of those it is in, as bits."""
    found: dict[int, int] = {}
    for at, needed in enumerate(needs):
        for each in _numbers(needed):
            found[each] = found.get(each, 0) | 1 << at
    return found


def _numbers(needed: frozenset[str]) -> frozenset[int]:
    return frozenset(map(number, needed))


def _nth(phrase: Phrase, rank: int) -> frozenset[str]:
    return phrase.needs[rank] if rank < len(phrase.needs) else frozenset()


def _letters(needed: frozenset[str]) -> frozenset[str]:
    """Single letters, one of which stands where one of ``needed`` does."""
    return frozenset(letters[-1] for letters in needed)


def _has_pairs(needed: frozenset[str]) -> bool:
    return any(len(letters) > 1 for letters in needed)


def _places(bits: int) -> Iterator[int]:
    """The places of the bits that are set, from the lowest."""
    while bits:
        bit = bits & -bits
        bits ^= bit
        yield bit.bit_length() - 1
