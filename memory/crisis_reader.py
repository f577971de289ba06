"""The crisis reader of one language: from a message to the signs of danger in it."""

import re
from collections.abc import Iterable, Sequence
from functools import cache

from msgspec import Struct

from memory.crisis_grammar import Alphabet, Phrase
from memory.crisis_guards import Found, Watch
from memory.crisis_table import CrisisCategory, Language, Rule, language
from memory.crisis_words import STOP, Speller, plain, tokens

LANGUAGES = ("en", "de", "es")
_ALWAYS = "en"
_MARKS_ENOUGH = 3
_WORDS_A_MARK = 8
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
        self.phrases: list[tuple[Rule, Phrase]] = []
        self.by_letter: dict[str, list[int]] = {}
        for rule in tables.rules:
            for source in rule.phrases:
                self._add(rule, self.alphabet.phrase(source))
        self.watch = Watch(tables.guards, self.alphabet)
        self.speller = Speller(tables.spelling, self.alphabet.letters)
        self.marks = frozenset(map(plain, tables.marks))
        self.pairs = tables.pairs

    def _add(self, rule: Rule, phrase: Phrase) -> None:
        for letter in phrase.needs[0]:
            self.by_letter.setdefault(letter, []).append(len(self.phrases))
        self.phrases.append((rule, phrase))

    def signs(self, text: str, found: Sequence[str]) -> list[Sign]:
        """The signs of danger in ``text``, whose tokens are ``found``, that no guard sets aside."""
        spelled = self.speller.spelled(text, found)
        return [
            Sign(each.rule.category, each.rule.severity, spelled.said(each.start, each.end), each.rule.tag)
            for each in self.watch.kept(list(self._found(spelled.letters)), spelled)
        ]

    def _found(self, letters: str) -> Iterable[Found]:
        if self.by_letter.keys().isdisjoint(letters):
            return
        for sentence in _SENTENCE.finditer(letters):
            present = frozenset(sentence.group())
            tried = {at for letter in present & self.by_letter.keys() for at in self.by_letter[letter]}
            for at in tried:
                rule, phrase = self.phrases[at]
                if any(needed.isdisjoint(present) for needed in phrase.needs[1:]):
                    continue
                for start, end in phrase.found(letters, sentence.start(), sentence.end()):
                    yield Found(rule, start, end)


@cache
def reader(name: str) -> Reader:
    """The reader of a language, made on first use."""
    return Reader(language(name))


@cache
def marks(name: str) -> frozenset[str]:
    """The words by which a language is known: its marks, and what its phrases need and English has not."""
    own = reader(name)
    return own.marks | (own.alphabet.letters.keys() - reader(_ALWAYS).speller.known.keys())


def signs(text: str) -> list[Sign]:
    """The signs of danger in ``text``: as English, and as any other language it has words of."""
    found = tokens(text)
    seen = {plain(token) for token in set(found)}
    enough = min(_MARKS_ENOUGH, max(1, len(seen) // _WORDS_A_MARK))
    spoken = [name for name in LANGUAGES if name == _ALWAYS or len(seen & marks(name)) >= enough]
    return [sign for name in spoken for sign in reader(name).signs(text, found)]
