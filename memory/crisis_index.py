"""Which of many phrases can be in a sentence at all, told by its letters before any pattern is tried.

Each phrase is one bit. For the two rarest words a phrase needs there are tables from a letter to the phrases it
would serve; or-ing each over the letters of a sentence, and both together, leaves three phrases of a thousand.
Of these the other words they need are looked for, and only then their pattern.
"""

from collections.abc import Iterator, Sequence

from memory.crisis_grammar import Phrase
from memory.crisis_match import Laid

_TABLES = 2


class Index:
    """Phrases, found in sentences of letters."""

    def __init__(self, phrases: Sequence[Phrase]) -> None:
        self.phrases = phrases
        self.others = [phrase.needs[_TABLES:] for phrase in phrases]
        self.serves: list[dict[str, int]] = [{} for _ in range(_TABLES)]
        self.need_less = [0] * _TABLES
        for at, phrase in enumerate(phrases):
            for rank in range(_TABLES):
                self._enter(rank, 1 << at, phrase)

    def _enter(self, rank: int, bit: int, phrase: Phrase) -> None:
        if rank >= len(phrase.needs):
            self.need_less[rank] |= bit
            return
        serves = self.serves[rank]
        for letter in phrase.needs[rank]:
            serves[letter] = serves.get(letter, 0) | bit

    def _possible(self, letters: frozenset[str]) -> int:
        possible = -1
        for serves, need_less in zip(self.serves, self.need_less, strict=True):
            served = need_less
            for letter in serves.keys() & letters:
                served |= serves[letter]
            possible &= served
            if not possible:
                return 0
        return possible

    def found(self, letters: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """The number of each phrase in the sentence from ``start`` to ``end``, and where it stands."""
        said = frozenset(letters[start:end])
        possible = self._possible(said)
        laid: Laid | None = None
        while possible:
            bit = possible & -possible
            possible ^= bit
            at = bit.bit_length() - 1
            if any(map(said.isdisjoint, self.others[at])):
                continue
            laid = laid or Laid(letters, start, end)
            for span in self.phrases[at].found(letters, start, end, laid):
                yield at, *span
