"""Groups of words that several readers share: foods, parts of the body, illnesses, relations, days, trades.

The groups are data (``statements_words.toml``), so that a word is added without code. A word can stand for
all that begin or end with it, which covers inflections and German compounds.
"""

from collections.abc import Sequence
from functools import cache

import msgspec

from memory import data

_PLURALS = ("", "s", "es", "n", "en")
"""What ``*`` stands for after a phrase."""
_LONGEST = 4
"""The most words in one phrase of a group."""
_MOST_REMEMBERED = 10_000
"""Words whose groups are kept ready; what people write has no end."""


class _Groups(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    groups: dict[str, str]


class Words:
    """Which groups each word or phrase belongs to."""

    def __init__(self, groups: dict[str, str]) -> None:
        self._exact: dict[str, frozenset[str]] = {}
        self._starts: dict[str, frozenset[str]] = {}
        self._ends: dict[str, frozenset[str]] = {}
        self._memo: dict[str, frozenset[str]] = {}
        for name, listed in groups.items():
            for entry in listed.split():
                self._put(entry.replace("_", " "), name)
        self._endings = tuple(self._ends)
        self._shortest = min(map(len, self._starts), default=99)
        self._openers = frozenset(phrase.split(" ", 1)[0] for phrase in self._exact if " " in phrase)

    def _put(self, word: str, name: str) -> None:
        table, key = self._exact, word
        if word.startswith("*"):
            table, key = self._ends, word[1:]
        elif word.endswith("*") and " " in word:
            for ending in _PLURALS:
                self._put(word[:-1] + ending, name)
            return
        elif word.endswith("*"):
            table, key = self._starts, word[:-1]
        table[key] = table.get(key, frozenset()) | {name}

    def of(self, word: str) -> frozenset[str]:
        """The groups of one folded word."""
        found = self._memo.get(word)
        if found is None:
            if len(self._memo) >= _MOST_REMEMBERED:
                self._memo.clear()
            self._memo[word] = found = self._look_up(word)
        return found

    def _look_up(self, word: str) -> frozenset[str]:
        found = self._exact.get(word, frozenset())
        for length in range(self._shortest, len(word) + 1):
            found |= self._starts.get(word[:length], frozenset())
        if word.endswith(self._endings):
            for start in range(len(word) - 2):
                found |= self._ends.get(word[start:], frozenset())
        return found

    def phrases(self, said: Sequence[str]) -> list[tuple[int, int, frozenset[str]]]:
        """Each phrase of two words or more that has groups: first, one past the last, groups."""
        return [
            (first, first + length, groups)
            for first, word in enumerate(said)
            if word in self._openers
            for length in range(min(_LONGEST, len(said) - first), 1, -1)
            if (groups := self._exact.get(" ".join(said[first : first + length])))
        ]

    def spans(self, said: Sequence[str]) -> list[tuple[int, int, frozenset[str]]]:
        """Each phrase and word of ``said`` that has groups, in order, the longer first."""
        single = [(first, first + 1, groups) for first, word in enumerate(said) if (groups := self.of(word))]
        phrases = self.phrases(said)
        return sorted(single + phrases, key=lambda one: (one[0], -one[1])) if phrases else single

    def groups(self, text: str) -> frozenset[str]:
        """All groups that any word or phrase of ``text`` (folded, single spaces) belongs to."""
        found: frozenset[str] = frozenset()
        for _, _, groups in self.spans(text.split()):
            found |= groups
        return found


def read_groups(groups: dict[str, str]) -> Words:
    """An index over ``groups``: ``_`` stands for a space, ``*`` for any beginning or end of a word."""
    return Words(groups)


@cache
def known_words() -> Words:
    """The shared groups, read on first use."""
    return read_groups(data.table("statements_words.toml", _Groups).groups)


@cache
def group_names() -> tuple[str, ...]:
    """The names of the shared groups."""
    return tuple(data.table("statements_words.toml", _Groups).groups)
