"""A message in the letters of one language, and the way back from a letter to the words as they were written.

Most messages hold no sign of danger, and one that does holds it in one sentence. So words are traced to their places
only where a sign is, and of a long message only around that sentence.
"""

from collections.abc import Sequence
from typing import Final

from memory.crisis_match import Laid
from memory.crisis_rows import Row
from memory.crisis_sentences import Span, sentences
from memory.crisis_words import (
    STOP,
    Spelled,
    Speller,
    open_quotes,
    tokens,
    tokens_between,
)
from memory.once import once
from memory.text import Remembered

_FEW = 64  # runs; a message of so few is traced as a whole
_LETTERS_BEFORE, _TOKENS_BEFORE = 16, 6  # before a sentence, more than any guard looks at
_ENDS: Final = ".,!?:"


def _tokens(run: str) -> tuple[str, ...]:
    """The tokens of a run in lower case; most are a word and perhaps a mark."""
    word = run[:-1] if run[-1:] in _ENDS else run
    if len(word) > 1 and word.isascii() and word.isalpha():
        return (word, run[-1]) if len(word) < len(run) else (word,)
    return tuple(tokens(run))


TOKENS: Final = Remembered(_tokens)


class Written:
    """A message in lower case as the runs that stand between its spaces, with the letters that each has in English."""

    def __init__(self, low: str, runs: Sequence[str], noted: Sequence[str]) -> None:
        self.low = low
        self.runs = runs
        self.noted = noted

    @once
    def ends(self) -> list[int]:
        """For each end of a sentence the number of the run that it is in."""
        return [at for at, each in enumerate(self.noted) if STOP in each for _ in range(each.count(STOP))]

    def tokens(self, first: int, last: int) -> list[str]:
        """The tokens of the runs from ``first`` on, before ``last``."""
        runs = self.runs[first:last]
        return tokens_between(" ".join(runs), [*map(TOKENS.__getitem__, runs)])


class Message:
    """A message in letters, and where its sentences are."""

    def __init__(
        self, text: str, speller: Speller, letters: str | None = None, written: Written | None = None
    ) -> None:
        self.text = text
        self.speller = speller
        self.written = written
        self.letters = self._whole.letters if letters is None else letters
        self.sentences = sentences(self.letters)
        self.laid: dict[Span, Laid] = {}
        self.traced: dict[int, Spelled] = {}

    @once
    def _whole(self) -> Spelled:
        """The message with the token behind every letter."""
        written = self.written
        found = written.tokens(0, len(written.runs)) if written else tokens(self.text)
        return self.speller.spelled(self.text, found)

    @once
    def row(self) -> Row:
        """Its letters as numbers."""
        return Row(self.letters)

    def laid_out(self, sentence: Span) -> Laid:
        """A sentence, laid out once for all phrases."""
        known = self.laid.get(sentence)
        if known is None:
            known = self.laid[sentence] = Laid(self.letters, *sentence)
        return known

    def spelled(self, sentence: Span) -> Spelled:
        """The tokens behind the letters of a sentence, and behind some before it."""
        number = self.letters.count(STOP, 0, sentence[0])
        known = self.traced.get(number)
        if known is None:
            known = self.traced[number] = self._around(sentence, number) or self._whole
        return known

    def _around(self, sentence: Span, number: int) -> Spelled | None:
        """A sentence, the ``number``-th, and as many before it as guards look at; None where that is the message.

        Set phrases are rewritten in one sentence, so a part that begins and ends with one has its very letters.
        """
        written = self.written
        if written is None or len(written.runs) < _FEW or written.low != self.text.lower():
            return None
        first, begin, enough = number, sentence[0], sentence[0] - _LETTERS_BEFORE
        while first and begin > enough:
            first -= 1
            begin = self.letters.rfind(STOP, 0, begin - 1) + 1 if first else 0
        return self._part(written, first, begin, sentence) if first else None

    def _part(self, written: Written, first: int, begin: int, sentence: Span) -> Spelled | None:
        """From the sentence numbered ``first``, of which the first letter is ``begin``, to the end of ``sentence``."""
        run = written.ends[first - 1]
        ends = first + self.letters.count(STOP, begin, sentence[1])
        last = written.ends[ends] + 1 if ends < len(written.ends) else len(written.runs)
        at = sum(map(len, written.runs[:run])) + run
        size = sum(map(len, written.runs[run:last])) + last - run - 1
        found = self.speller.spelled(self.text[at : at + size], written.tokens(run, last))
        here = -1
        for _ in range(first - written.ends.index(run)):
            here = found.letters.find(STOP, here + 1)
        found.first, found.quoted = begin - here - 1, open_quotes(written.low[:at])
        same = found.letters[here + 1 :].startswith(self.letters[begin : sentence[1]])
        return found if same and found.places[sentence[0] - found.first] >= _TOKENS_BEFORE else None
