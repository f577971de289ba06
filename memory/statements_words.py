"""Groups of words that several readers share: foods, parts of the body, illnesses, relations, days, trades.

The groups are data (``statements_words.toml``), so that a word is added without code. A word can stand for
all that begin or end with it, which covers inflections and German compounds.
"""

from collections.abc import Sequence
from functools import cache

import msgspec

from memory import data

_LONGEST = 4
"""The most words in one phrase of a group."""


class _Groups(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    groups: dict[str, str]


class Words(msgspec.Struct, frozen=True):
    """Which groups each word or phrase belongs to."""

    exact: dict[str, frozenset[str]]
    starts: dict[str, frozenset[str]]
    ends: dict[str, frozenset[str]]
    endings: tuple[str, ...]
    shortest_start: int

    def of(self, word: str) -> frozenset[str]:
        """The groups of one folded word or phrase."""
        found = self.exact.get(word, frozenset())
        for length in range(self.shortest_start, len(word) + 1):
            found |= self.starts.get(word[:length], frozenset())
        if word.endswith(self.endings):
            for start in range(len(word) - 2):
                found |= self.ends.get(word[start:], frozenset())
        return found

    def spans(self, said: Sequence[str]) -> list[tuple[int, int, frozenset[str]]]:
        """Each word or phrase of ``said`` that has groups, as (first, one past the last, groups)."""
        found: list[tuple[int, int, frozenset[str]]] = []
        for first in range(len(said)):
            for length in range(min(_LONGEST, len(said) - first), 0, -1):
                phrase = said[first] if length == 1 else " ".join(said[first : first + length])
                groups = self.of(phrase) if length == 1 else self.exact.get(phrase, frozenset())
                if groups:
                    found.append((first, first + length, groups))
        return found

    def groups(self, text: str) -> frozenset[str]:
        """All groups that any word or phrase of ``text`` (folded, single spaces) belongs to."""
        found: frozenset[str] = frozenset()
        for _, _, groups in self.spans(text.split()):
            found |= groups
        return found


def read_groups(groups: dict[str, str]) -> Words:
    """An index over ``groups``: name to words, ``_`` for a space, ``*`` before or after for any beginning
    or end.
    """
    exact: dict[str, frozenset[str]] = {}
    starts: dict[str, frozenset[str]] = {}
    ends: dict[str, frozenset[str]] = {}
    for name, listed in groups.items():
        for entry in listed.split():
            word = entry.replace("_", " ")
            table, key = exact, word
            if word.startswith("*"):
                table, key = ends, word[1:]
            elif word.endswith("*"):
                table, key = starts, word[:-1]
            table[key] = table.get(key, frozenset()) | {name}
    shortest = min(map(len, starts), default=99)
    return Words(exact, starts, ends, tuple(ends), shortest)


@cache
def known_words() -> Words:
    """The shared groups, read on first use."""
    return read_groups(data.table("statements_words.toml", _Groups).groups)


@cache
def group_names() -> tuple[str, ...]:
    """The names of the shared groups."""
    return tuple(data.table("statements_words.toml", _Groups).groups)
