"""The crisis reader of one language: from a message to the signs of danger in it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from msgspec import Struct

from memory.crisis_grammar import Alphabet
from memory.crisis_guards import Found, Watch
from memory.crisis_index import Index
from memory.crisis_table import CrisisCategory, Language, language
from memory.crisis_words import STOP, Speller, plain, remember, runs, tokens

OTHERS: Final = ("de", "es")
LANGUAGES: Final = ("en", *OTHERS)
ORDER: Final[tuple[CrisisCategory, ...]] = ("self_harm", "abuse", "harm_others", "medical")
HIGHEST: Final = 3
_ALWAYS = "en"
_MARKS_ENOUGH = 3
_WORDS_A_MARK = 8
_WORDS_ENOUGH = 2 * _MARKS_ENOUGH * _WORDS_A_MARK  # so many that the most marks are asked for in any case
_LONGEST_SENTENCE = 160  # words; people who leave out full stops go on for long
_OVERLAP = 40
_SENTENCE = re.compile(f"[^{STOP}]+")


class Sign(Struct, frozen=True):
    """A sign of danger in a message; with severity 0 it counts only together with another."""

    category: CrisisCategory
    severity: int
    words: str
    tag: str


class Reader:
    """The crisis reader of one language."""

    def __init__(self, tables: Language) -> None:
        self.alphabet = Alphabet(tables)
        entries = [(rule, self.alphabet.phrase(each)) for rule in tables.rules for each in rule.phrases]
        self.rules = [rule for rule, _ in entries]
        self.index = Index([phrase for _, phrase in entries])
        self.watch = Watch(tables.guards, self.alphabet)
        self.speller = Speller(tables.spelling, self.alphabet.letters)
        self.marks = frozenset(map(plain, tables.marks))
        self.pairs = tables.pairs

    def signs(self, text: str, written: Sequence[str] | None) -> list[Sign]:
        """The signs of danger in ``text``, whose ``runs`` are ``written``, the gravest first.

        What no guard sets aside counts. After one of the highest severity no more are looked at.
        """
        if written is not None and not any(self._found(self.speller.letters(written))):
            return []  # most messages end here, without a word being traced to its place
        spelled = self.speller.spelled(text, tokens(text))
        kept: list[Sign] = []
        meant = self.watch.over(spelled)
        told: set[tuple[CrisisCategory, int, str]] = set()
        for each in sorted(self._found(spelled.letters), key=_gravity, reverse=True):
            rule = each.rule
            if (rule.category, rule.severity, rule.tag) not in told and meant(each):
                told.add((rule.category, rule.severity, rule.tag))
                kept.append(Sign(rule.category, rule.severity, spelled.said(each.start, each.end), rule.tag))
                if rule.severity == HIGHEST:
                    break
        return kept

    def _found(self, letters: str) -> Iterator[Found]:
        for first, last in _sentences(letters):
            for at, start, end in self.index.found(letters, first, last):
                yield Found(self.rules[at], start, end, (first, last))


def _sentences(letters: str) -> Iterator[tuple[int, int]]:
    """Where sentences begin and end; one without an end comes in pieces that overlap, so that time is linear."""
    for match in _SENTENCE.finditer(letters):
        start, end = match.span()
        while end - start > _LONGEST_SENTENCE:
            yield start, start + _LONGEST_SENTENCE
            start += _LONGEST_SENTENCE - _OVERLAP
        yield start, end


def _gravity(found: Found) -> tuple[int, int, int]:
    return found.rule.severity, -ORDER.index(found.rule.category), found.end - found.start


@cache
def reader(name: str) -> Reader:
    """The reader of a language, made on first use."""
    return Reader(language(name))


@cache
def marks(name: str) -> frozenset[str]:
    """The words by which a language is known: its marks, and what its phrases need and English has not."""
    own = reader(name)
    return (own.marks | own.alphabet.letters.keys()) - reader(_ALWAYS).speller.known.keys()


class _Marked(dict[str, tuple[tuple[str, str], ...]]):
    """The marks of other languages in what stands between two spaces, each with its language."""

    def __missing__(self, run: str) -> tuple[tuple[str, str], ...]:
        words = [plain(token) for token in tokens(run)]
        found = tuple((name, word) for name in OTHERS for word in words if word in marks(name))
        return remember(self, run, found)


_MARKED: Final = _Marked()


def signs(text: str) -> list[Sign]:
    """The signs of danger in ``text``: as English, and as any other language it has words of."""
    written = runs(text)
    spoken = _spoken(tokens(text)) if written is None else _seem_spoken(text, written)
    return [sign for name in spoken for sign in reader(name).signs(text, written)]


def _seem_spoken(text: str, written: Sequence[str]) -> Sequence[str]:
    """The languages ``text`` is read in; without or with many marks that is plain, else all words are counted."""
    different = set(written)
    marked = set[tuple[str, str]]().union(*map(_MARKED.__getitem__, different))
    if not marked:
        return (_ALWAYS,)
    count = Counter(name for name, _ in marked)
    if len(different) > _WORDS_ENOUGH or all(number >= _MARKS_ENOUGH for number in count.values()):
        return [name for name in LANGUAGES if name == _ALWAYS or count[name] >= _MARKS_ENOUGH]
    return _spoken(tokens(text))


def _spoken(found: Sequence[str]) -> list[str]:
    seen = {plain(token) for token in set(found)}
    enough = min(_MARKS_ENOUGH, max(1, len(seen) // _WORDS_A_MARK))
    return [name for name in LANGUAGES if name == _ALWAYS or len(seen & marks(name)) >= enough]
