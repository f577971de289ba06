"""Groups of words that several readers share: foods, parts of the body, illnesses, relations, days, trades.

The groups are data (``statements_words.toml``), so that a word is added without code. A word can stand for
all that begin or end with it, which covers inflections and German compounds.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import compress
from typing import Generic, TypeVar

import msgspec

from memory import data
from memory.text import Remembered

_PLURALS = ("", "s", "es", "n", "en")
"""What ``*`` stands for after a phrase."""
_LONGEST = 4
"""The most words in one phrase of a group."""
_SHORTEST_END = 3
_EDGE = 3
"""Letters by which a longer beginning or end is found."""
_NONE: frozenset[str] = frozenset()


class _Groups(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    groups: dict[str, str]


Value = TypeVar("Value")


class Affixes(Generic[Value]):
    """What begins (or ends) a word, found by its outermost letters: most words are done after a look-up or two."""

    def __init__(self, known: Mapping[str, Value], *, ends: bool = False) -> None:
        self._short = {affix: value for affix, value in known.items() if len(affix) < _EDGE}
        self._cuts = [
            slice(-size, None) if ends else slice(size) for size in sorted(set(map(len, self._short)))
        ]
        self._edge = slice(-_EDGE, None) if ends else slice(_EDGE)
        self._has = str.endswith if ends else str.startswith
        self._near: dict[str, list[tuple[str, Value]]] = {}
        for affix, value in known.items():
            if affix not in self._short:
                self._near.setdefault(affix[self._edge], []).append((affix, value))

    def of(self, word: str) -> list[Value]:
        """The values of the affixes that ``word`` has."""
        found = [self._short[part] for cut in self._cuts if (part := word[cut]) in self._short]
        if near := self._near.get(word[self._edge]):
            has = self._has
            found += [value for affix, value in near if has(word, affix)]
        return found


class Words:
    """Which groups each word or phrase belongs to."""

    def __init__(self, groups: dict[str, str]) -> None:
        self._exact: dict[str, frozenset[str]] = {}
        self._starts: dict[str, frozenset[str]] = {}
        self._ends: dict[str, frozenset[str]] = {}
        for name, listed in groups.items():
            for entry in listed.split():
                self._put(entry.replace("_", " "), name)
        self._by_start = Affixes(self._starts)
        long = {end: names for end, names in self._ends.items() if len(end) >= _SHORTEST_END}
        self._by_end = Affixes(long, ends=True)
        self.openers: dict[str, tuple[frozenset[str], ...]] = {}
        """The first words of phrases, with the groups of each phrase."""
        for phrase, names in self._exact.items():
            if " " in phrase:
                opener = phrase.split(" ", 1)[0]
                self.openers[opener] = (*self.openers.get(opener, ()), names)
        self.of: Callable[[str], frozenset[str]] = Remembered(self._look_up).__getitem__
        """The groups of one folded word."""
        self._follow: dict[str, set[str]] = {}  # what comes second in a phrase, by what comes first
        for phrase in self._exact:
            if " " in phrase:
                opener, second, *_ = phrase.split(" ")
                self._follow.setdefault(opener, set()).add(second)

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

    def _look_up(self, word: str) -> frozenset[str]:
        found = self._exact.get(word, _NONE)
        for groups in (*self._by_start.of(word), *self._by_end.of(word)):
            found |= groups
        return found

    def phrases(self, said: Sequence[str]) -> list[tuple[int, int, frozenset[str]]]:
        """Each phrase of two words or more that has groups: first, one past the last, groups."""
        follow = self._follow
        opening = compress(range(len(said) - 1), map(follow.__contains__, said))
        return [
            (first, first + length, groups)
            for first in opening
            if said[first + 1] in follow[said[first]]
            for length in range(min(_LONGEST, len(said) - first), 1, -1)
            if (groups := self._exact.get(" ".join(said[first : first + length])))
        ]

    def spans(self, said: Sequence[str]) -> list[tuple[int, int, frozenset[str]]]:
        """Each phrase and word of ``said`` that has groups, in order, the longer first."""
        single = [(first, first + 1, groups) for first, groups in enumerate(map(self.of, said)) if groups]
        phrases = self.phrases(said)
        return sorted(single + phrases, key=lambda one: (one[0], -one[1])) if phrases else single

    def groups(self, text: str) -> frozenset[str]:
        """All groups that any word or phrase of ``text`` (folded, single spaces) belongs to."""
        return self.groups_of(text.split())

    def groups_of(self, said: Sequence[str]) -> frozenset[str]:
        """All groups that any word or phrase of ``said`` belongs to."""
        single = filter(None, map(self.of, said))
        return _NONE.union(*single, *[groups for _, _, groups in self.phrases(said)])


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
