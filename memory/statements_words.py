"""Groups of words that several readers share: foods, parts of the body, illnesses, relations, days, trades.

The groups are data (``statements_words.toml``), so that a word is added without code. A word can stand for
all that begin or end with it, which covers inflections and German compounds.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Generic, TypeVar

import msgspec

from memory import data

_PLURALS = ("", "s", "es", "n", "en")
"""What ``*`` stands for after a phrase."""
_LONGEST = 4
"""The most words in one phrase of a group."""
_SHORTEST_END = 3
_NONE: frozenset[str] = frozenset()
_MOST_REMEMBERED = 10_000
"""Words whose groups are kept ready; what people write has no end."""


class _Groups(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    groups: dict[str, str]


Value = TypeVar("Value")


class Affixes(Generic[Value]):
    """What begins (or ends) a word, found by its outermost letters: most words are done after one look-up."""

    def __init__(self, known: Mapping[str, Value], *, ends: bool = False) -> None:
        self._ends = ends
        self._least = min(map(len, known), default=1)
        self._near: dict[str, list[tuple[str, Value]]] = {}
        for affix, value in known.items():
            edge = affix[-self._least :] if ends else affix[: self._least]
            self._near.setdefault(edge, []).append((affix, value))

    def of(self, word: str) -> list[Value]:
        """The values of the affixes that ``word`` has."""
        near = self._near.get(word[-self._least :] if self._ends else word[: self._least])
        if near is None:
            return []
        if self._ends:
            return [value for affix, value in near if word.endswith(affix)]
        return [value for affix, value in near if word.startswith(affix)]


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
        self._by_start = Affixes(self._starts)
        long = {end: names for end, names in self._ends.items() if len(end) >= _SHORTEST_END}
        self._by_end = Affixes(long, ends=True)
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
        found = self._exact.get(word, _NONE)
        for groups in (*self._by_start.of(word), *self._by_end.of(word)):
            found |= groups
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

    def all_phrases(self) -> list[tuple[str, frozenset[str]]]:
        """Every phrase of two words or more, with its groups."""
        return [(phrase, groups) for phrase, groups in self._exact.items() if " " in phrase]

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
