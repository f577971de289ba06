"""Which of many phrases can be in a sentence at all, told by its letters before any pattern is tried.

Each phrase is one bit. Of what a phrase needs (letters, and pairs of letters side by side) the three that are met
least are entered in a table from a letter or a pair to the phrases it would serve; or-ing these over a sentence,
and all together, leaves one phrase of several thousand. Of these the other words they need are looked for, and
only then their pattern.
"""

from collections.abc import Iterator, Sequence
from operator import add
from typing import TypeAlias

from memory.crisis_grammar import Phrase
from memory.crisis_match import Laid

_TABLES = 3

Served: TypeAlias = Sequence[tuple[int, int, int] | None]
"""For letters in a row the phrases that each serves as the first, second and third of what they need."""


class Index:
    """Phrases, found in sentences of letters."""

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        self.phrases = phrases
        self.others = [phrase.needs[_TABLES:] for phrase in phrases]
        self.serves: dict[str, tuple[int, int, int]] = {}
        self.need_one = self.need_two = 0  # the phrases that do not need more
        for at, phrase in enumerate(phrases):
            self.need_one |= (len(phrase.needs) == 1) << at
            self.need_two |= (len(phrase.needs) <= 2) << at
            for rank, letters in enumerate(phrase.needs[:_TABLES]):
                for letter in letters:
                    first, second, third = self.serves.get(letter, (0, 0, 0))
                    bits = [first, second, third]
                    bits[rank] |= 1 << at
                    self.serves[letter] = (bits[0], bits[1], bits[2])

    def served(self, letters: str) -> tuple[Served, Served]:
        """What every letter of a message serves, and what every pair of neighbours does."""
        single, of = [*letters], self.serves.get
        return [*map(of, single)], [*map(of, map(add, single, single[1:]))]

    def _possible(self, served: tuple[Served, Served], start: int, end: int) -> int:
        singles, pairs = served
        first, second, third = 0, self.need_one, self.need_two
        for one, two, three in filter(None, (*singles[start:end], *pairs[start : end - 1])):
            first |= one
            second |= two
            third |= three
        return first & second & third

    def possible(self, letters: str) -> bool:
        """Whether any phrase can be in a message at all, were it one sentence."""
        return bool(self._possible(self.served(letters), 0, len(letters)))

    def found(
        self, letters: str, start: int, end: int, served: tuple[Served, Served] | None = None
    ) -> Iterator[tuple[int, int, int]]:
        """The number of each phrase in the sentence from ``start`` to ``end``, and where it stands.

        ``served`` is what ``letters`` serve, where it is at hand.
        """
        if served is None:
            possible = self._possible(self.served(letters[start:end]), 0, end - start)
        else:
            possible = self._possible(served, start, end)
        if not possible:
            return
        said = frozenset(letters[start:end]).union(map(add, letters[start:end], letters[start + 1 : end]))
        laid: Laid | None = None
        while possible:
            bit = possible & -possible
            possible ^= bit
            at = bit.bit_length() - 1
            if not self._needed(at, said):
                continue
            laid = laid or Laid(letters, start, end)
            for span in self.phrases[at].found(letters, start, end, laid):
                yield at, *span

    def _needed(self, at: int, said: frozenset[str]) -> bool:
        """Whether the other words that a phrase needs are there."""
        for letters in self.others[at]:  # noqa: SIM110  # a loop takes half the time
            if said.isdisjoint(letters):
                return False
        return True
