"""Which of many phrases can be in a sentence at all, told by its letters before any pattern is tried.

Each phrase is one bit. For each word a phrase needs there is a table from a letter to the phrases it would
serve; or-ing the tables over the letters of a sentence leaves the few phrases that have all they need.
"""

from collections.abc import Iterator, Sequence

from memory.crisis_grammar import Phrase

_MOST_NEEDS = 4  # the rarest words of a phrase; more are left to its pattern


class Index:
    """Phrases, found in sentences of letters."""

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        self.phrases = phrases
        self.serves: list[dict[str, int]] = [{} for _ in range(_MOST_NEEDS)]
        self.need_less = [0] * _MOST_NEEDS
        for at, phrase in enumerate(phrases):
            for rank in range(_MOST_NEEDS):
                self._enter(rank, 1 << at, phrase)

    def _enter(self, rank: int, bit: int, phrase: Phrase) -> None:
        if rank >= len(phrase.needs):
            self.need_less[rank] |= bit
            return
        serves = self.serves[rank]
        for letter in phrase.needs[rank]:
            serves[letter] = serves.get(letter, 0) | bit

    def _possible(self, letters: set[str]) -> int:
        possible = -1
        for serves, need_less in zip(self.serves, self.need_less, strict=True):
            served = need_less
            for letter in letters:
                if letter in serves:
                    served |= serves[letter]
            possible &= served
            if not possible:
                return 0
        return possible

    def found(self, letters: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """The number of each phrase in the sentence from ``start`` to ``end``, and where it stands."""
        possible = self._possible(set(letters[start:end]))
        while possible:
            bit = possible & -possible
            possible ^= bit
            at = bit.bit_length() - 1
            for span in self.phrases[at].found(letters, start, end):
                yield at, *span
