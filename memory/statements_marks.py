"""A stretch as patterns see it: every word of a group they name stands as one mark.

A pattern says ``{condition}`` where any of hundreds of words may stand. Instead of trying them all, the
words of the stretch are looked up once and those of the group are replaced by a rune and a number, which is
what the pattern looks for.
"""

import re
from functools import cache

from memory.expressions import Expression
from memory.statements_words import group_names, known_words

_FIRST = 0x16A0
_LAST = 0x16EA
"""The runes: letters that ``\\w`` takes for parts of words and that nobody types."""
_MARK = Expression(f"[{chr(_FIRST)}-{chr(_LAST)}](\\d+)")


@cache
def marks() -> dict[str, str]:
    """The rune of each group."""
    return {name: chr(_FIRST + number) for number, name in enumerate(sorted(group_names()))}


class Marked:
    """One stretch with the groups of its words: its tokens, and the same as one text."""

    __slots__ = ("_plain", "_spans", "_texts", "said")

    def __init__(self, said: list[str], plain: str) -> None:
        self.said = said
        self._spans: list[tuple[int, int, frozenset[str]]] | None = None
        self._plain = plain
        self._texts: dict[frozenset[str], str] = {}

    @property
    def spans(self) -> list[tuple[int, int, frozenset[str]]]:
        """Each phrase and word that has groups, in order, the longer first."""
        if self._spans is None:
            self._spans = known_words().spans(self.said)
        return self._spans

    def seen(self, groups: frozenset[str]) -> str:
        """The text in which every word of ``groups`` is one mark."""
        if not groups:
            return self._plain
        if (seen := self._texts.get(groups)) is None:
            seen = self._texts[groups] = self._mark(groups)
        return seen

    def _mark(self, groups: frozenset[str]) -> str:
        seen: list[str] = []
        at = 0
        for number, (first, last, has) in enumerate(self.spans):
            if first < at or has.isdisjoint(groups):
                continue
            seen += self.said[at:first]
            seen.append(f"{marks()[min(has & groups)]}{number}")
            at = last
        return " ".join(seen + self.said[at:])

    def plain(self, seen: str) -> str:
        """``seen`` with its marks turned back into the words they stand for."""
        return seen if seen.isascii() or not self._texts else _MARK.sub(self._words, seen)

    def _words(self, mark: re.Match[str]) -> str:
        number = int(mark.group(1))
        if number >= len(self.spans):
            return ""  # somebody did type a rune
        first, last, _ = self.spans[number]
        return " ".join(self.said[first:last])
