"""Which earlier statements a message says more of, by the words that they share.

"The sore's closed up" says in no words of ending that a pressure sore has healed, and nobody can list all that would.
But it is told later, of the same matter: what names a sore is in both. So the latest word on a matter comes before
the earlier ones, whatever it says; and where it does end something, what is outdated no longer stands above it.
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final

import msgspec

from memory import data
from memory.statements_words import known_words
from memory.text import folded, words

MOST_TIED: Final = 4
"""Of the statements that share a word, how many of the latest a message says more of."""
_CLASSES: Final = frozenset({"day", "month"})
"""Another day or month in the place of one that was named ("they moved it to Thursdays") is of the same matter too."""
_ENDINGS: Final = ("ingen", "ing", "ern", "ed", "er", "es", "en", "s", "n", "e")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    common: str
    alike: dict[str, str]


def stem(word: str) -> str:
    """``word`` without its ending, as one that is compared with others."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word  # "runn"


@cache
def _table() -> _Table:
    found: _Table = data.table("recall_threads.toml", _Table)
    return found


@cache
def _common() -> frozenset[str]:
    return frozenset(map(stem, _table().common.split()))


@cache
def _alike() -> dict[str, str]:
    """By a word without its ending, the family that stands for it ("@dairy" for cheese and for milk)."""
    return {stem(word): f"@{name}" for name, listed in _table().alike.items() for word in listed.split()}


@lru_cache(maxsize=4_096)
def tying(text: str) -> frozenset[str]:
    """The words of ``text`` that tie it to what was said of the same matter, without endings."""
    said = frozenset(map(stem, _WORD.findall(folded(text))))
    alike = _alike()
    families = {alike[word] for word in said & alike.keys()}
    return (said - _common() - alike.keys()) | families


@lru_cache(maxsize=4_096)
def classes(text: str) -> frozenset[str]:
    """The kinds of times that ``text`` names, as words of their own."""
    return frozenset(f"@{one}" for one in known_words().groups_of(words(text)) & _CLASSES)


class Threads:
    """Statements by the words of the sentences that made them."""

    def __init__(self) -> None:
        self._by: dict[str, list[int]] = {}

    def add(self, number: int, sentence: str) -> None:
        """Hold a statement, whose number is the highest so far."""
        for word in tying(sentence) | classes(sentence):
            self._by.setdefault(word, []).append(number)

    def tied(self, said: Iterable[str], first: int) -> dict[int, int]:
        """The latest statements below the number ``first`` that share words with what is ``said``, and how many."""
        found: dict[int, int] = {}
        for word in said:
            held = [number for number in self._by.get(word, ())[-4 * MOST_TIED :] if number < first]
            for number in held[-MOST_TIED:]:
                found[number] = found.get(number, 0) + 1
        return found

    def take_back(self, first: int) -> None:
        """Forget the statements from the number ``first`` on."""
        for numbers in self._by.values():
            while numbers and numbers[-1] >= first:
                numbers.pop()
