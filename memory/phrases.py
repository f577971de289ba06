"""Phrases found in a message, word by word.

A phrase is words in order, folded; ``_`` stands for up to three words of any kind. Phrases are looked up by
their first word, so a table of thousands costs no more than one of ten.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Final, Generic, NamedTuple, TypeVar

from memory.expressions import Expression
from memory.text import Remembered, joined, runs

Name = TypeVar("Name")

_TOKEN = Expression(r"[^\W_]+(?:'[^\W_]+)*|[.,!?;:…—-]+")
_GAP = "_"
_GAP_WORDS = 3


class Phrase(NamedTuple, Generic[Name]):
    """What follows a phrase's first word, and what the phrase stands for."""

    rest: tuple[str, ...]
    name: Name


class Entry(NamedTuple, Generic[Name]):
    """The phrases that share a first word: by their second word, and those whose second word is open or missing.

    Most phrases begin with a word as common as "i"; looking at two words at once spares trying them all.
    """

    by_second: Mapping[str, tuple[Phrase[Name], ...]]
    open: tuple[Phrase[Name], ...]


Index = Mapping[str, Entry[Name]]


class Found(NamedTuple, Generic[Name]):
    """A phrase in a text: what it stands for, and the tokens it takes."""

    name: Name
    start: int
    end: int


def tokens(text: str) -> list[str]:
    """The words of ``text``, folded, with its punctuation marks as tokens of their own."""
    return joined(_TOKENS, runs(text))


def _tokens(run: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(run))


_TOKENS: Final = Remembered(_tokens)


def split(text: str | list[str]) -> list[str]:
    """The tokens of ``text``, which may be given as such by who reads it several times."""
    return tokens(text) if isinstance(text, str) else text


def index(phrases: Iterable[tuple[str, Name]]) -> Index[Name]:
    """``phrases`` by their first two words, the longest first."""
    seconds: dict[str, dict[str, list[Phrase[Name]]]] = {}
    for phrase, name in phrases:
        first, *rest = phrase.split()
        second = rest[0] if rest else _GAP
        seconds.setdefault(first, {}).setdefault(second, []).append(Phrase(tuple(rest), name))
    return {first: _entry(rows) for first, rows in seconds.items()}


def _entry(rows: Mapping[str, list[Phrase[Name]]]) -> Entry[Name]:
    ordered = {second: tuple(sorted(found, key=lambda row: -len(row.rest))) for second, found in rows.items()}
    return Entry(ordered, ordered.pop(_GAP, ()))


def find(text: Sequence[str], phrases: Index[Name]) -> list[Found[Name]]:
    """The phrases in the tokens of a text, in order; for one name the longest of overlapping ones."""
    found: list[Found[Name]] = []
    taken: dict[Name, int] = {}  # where the last find of each name ends
    last = len(text) - 1
    for start in compress(range(len(text)), map(phrases.__contains__, text)):
        by_second, others = phrases[text[start]]
        near = by_second.get(text[start + 1], ()) if start < last else ()
        for rest, name in (*near, *others) if near else others:
            if name in taken and taken[name] > start:
                continue
            end = _end(text, start, rest) if rest else start + 1
            if end:
                taken[name] = end
                found.append(Found(name, start, end))
    return found


def _end(text: Sequence[str], start: int, rest: tuple[str, ...]) -> int:
    """The token after the phrase that begins at ``start``, 0 when it is not there."""
    at = start + 1
    gap = False
    for word in rest:
        if word == _GAP:
            gap = True
            continue
        if gap:
            reach = text[at : at + _GAP_WORDS + 1]
            if word not in reach:
                return 0
            at, gap = at + reach.index(word) + 1, False
        elif at < len(text) and text[at] == word:
            at += 1
        else:
            return 0
    return at
