"""Words and sentences of what people write, the same for every reader.

Text is folded once (Unicode NFKC, lower case, straight quotes, one space), and split by plain rules that hold
for the languages of the companions; Chinese, Japanese and Korean, written without spaces, become one word a
character.

Readers share their work through `Remembered`: what stands between two spaces is taken apart once, however many
messages it comes in, so that reading a message is looking its words up.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from sys import intern
from typing import Final, TypeVar

from memory.expressions import Expression

T = TypeVar("T")

MOST_REMEMBERED: Final = 8_192
LONGEST_REMEMBERED: Final = 24  # characters; longer is seldom a word that comes again

_QUOTES = (('"', "“”„«»"), ("'", "’‘ʼ`´"))
_SENTENCES = (("\ufdfa", "\u0635"), ("\ufdfb", "\u062c"))
_FIRST_CJK = "\u3040"
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = Expression(r"[^\W_]+(?:'[^\W_]+)*")
_UNSPACED = Expression("[\u1100-\u11ff\u2e80-\U0010ffff]")
"""Signs that are, or fold to, ones of scripts without spaces, and some more (emoji)."""
_TITLES = "".join(
    rf"(?<!\b{title}\.)"
    for title in ("[Mm]r", "[Mm]rs", "[Mm]s", "[Dd]r", "[Pp]rof", "Hr", "Fr", "Sr", "Sra")
)
_SENTENCE_END = Expression(rf"[.!?…。！？\n](?:(?<=[。！？\n])|(?<![。！？\n]){_TITLES}[\"')\]]*\s+)")
"""A mark that ends a sentence and what follows it (but the point of "Mr. Lee"); it begins with a letter class, which is
found fast.
"""


class Remembered(dict[str, T]):
    """What ``make`` makes of single words, kept for the next time: of at most 16,384, in no order.

    What people write has no end, but most of it comes again. There are two halves: when the newer is full the
    older is given up, so that no message pays for making everything anew.
    """

    def __init__(self, make: Callable[[str], T]) -> None:
        super().__init__()
        self._make = make
        self._older: dict[str, T] = {}

    def __missing__(self, word: str) -> T:
        found = self._older.get(word)
        if found is None:
            found = self._make(word)
        if len(word) <= LONGEST_REMEMBERED:
            if len(self) >= MOST_REMEMBERED:
                self._older = dict(self)
                self.clear()
            self[intern(word)] = found
        return found


def compatible(text: str) -> str:
    """``text`` in NFKC, but for the two signs that stand for sentences (up to eighteen letters each): they stay one
    letter, their usual short form, so that nobody makes a message many times as long by them.
    """
    for sign, letter in _SENTENCES:
        if sign in text:
            text = text.replace(sign, letter)
    return unicodedata.normalize("NFKC", text)


def folded(text: str) -> str:
    """``text`` in NFKC and lower case, with straight quotes and single spaces."""
    return " ".join(runs(text))


def runs(text: str) -> list[str]:
    """What stands between the spaces of ``text``, folded."""
    if text.isascii():
        return text.replace("`", "'").lower().split()
    text = compatible(text)
    for plain, written in _QUOTES:
        for quote in written:
            if quote in text:
                text = text.replace(quote, plain)
    return text.lower().split()


def joined(parts: Remembered[tuple[str, ...]], among: Sequence[str]) -> list[str]:
    """The parts of each of ``among`` in one list."""
    return [*chain.from_iterable(map(parts.__getitem__, among))]


def words(text: str) -> list[str]:
    """The words of ``text``, folded, in order, apostrophes kept inside (``don't``)."""
    return joined(_WORDS, runs(text))


def is_spaced(text: str) -> bool:
    """Whether ``text`` is surely in a script that sets words apart; where it is, `words` splits no run of letters."""
    return text.isascii() or _UNSPACED.search(text) is None


def sentences(text: str) -> list[str]:
    """The sentences of ``text`` as written, without surrounding space; empty ones left out."""
    found: list[str] = []
    start = 0
    for mark in _SENTENCE_END.finditer(text):
        found.append(text[start : mark.start() + 1].strip())
        start = mark.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def _words(run: str) -> tuple[str, ...]:
    plain = run.isascii() or max(run) < _FIRST_CJK
    return tuple((_WORD if plain else _word_or_sign()).findall(run))


@cache
def _word_or_sign() -> re.Pattern[str]:
    """A word, or a sign of Chinese, Japanese or Korean; made when first met, because it takes long to compile."""
    return re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+(?:'[^\W_{_CJK}]+)*")


_WORDS: Final = Remembered(_words)
