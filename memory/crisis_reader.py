"""The crisis reader of one language: from a message to the signs of danger in it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from msgspec import Struct

from memory.crisis_grammar import Alphabet
from memory.crisis_guards import Found, Over, Watch
from memory.crisis_index import Index
from memory.crisis_learned import Heard, Learned, Weights, vocabulary, weights
from memory.crisis_table import CrisisCategory, Language, Rule, language
from memory.crisis_words import (
    STOP,
    Spelled,
    Speller,
    between_spaces,
    lone,
    lowered,
    plain,
    tokens,
    tokens_between,
)
from memory.expressions import Expression
from memory.text import Remembered

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
_SENTENCE = Expression(f"[^{STOP}]+")


class Sign(Struct, frozen=True):
    """A sign of danger in a message; with severity 0 it counts only together with another."""

    category: CrisisCategory
    severity: int
    words: str
    tag: str


class Reader:
    """The crisis reader of one language."""

    def __init__(self, tables: Language, learned: Weights | None = None) -> None:
        self.alphabet = Alphabet(tables)
        entries = [(rule, self.alphabet.phrase(each)) for rule in tables.rules for each in rule.phrases]
        self.rules = [rule for rule, _ in entries]
        self.index = Index([phrase for _, phrase in entries])
        self.watch = Watch(tables.guards, self.alphabet)
        if learned is not None:
            self.alphabet.spelled(vocabulary(learned))
        self.learned = None if learned is None else Learned(learned, self.alphabet.letters)
        self.speller = Speller(tables.spelling, self.alphabet.letters)
        self.marks = frozenset(map(plain, tables.marks))
        self.pairs = tables.pairs

    def signs(self, text: str, seen: str | None, traced: Callable[[], Sequence[str]]) -> list[Sign]:
        """The signs of danger in ``text``, the gravest first; ``traced`` gives its tokens.

        ``seen`` are its letters where they are at hand. What no guard sets aside counts. After one of the highest
        severity no more are looked at.
        """
        met = None if seen is None else self._met(seen)
        if met is not None and not (met.found or met.sure):
            return []  # most messages end here, without a word being traced to its place
        spelled = self.speller.spelled(text, traced())
        if met is None or spelled.letters != seen:
            met = self._met(spelled.letters)
        meant = self.watch.over(spelled)
        kept = [*self._kept(spelled, met, meant)]
        return [*kept, *self._learned(spelled, met, meant, max((sign.severity for sign in kept), default=0))]

    def _met(self, letters: str) -> "_Met":
        """What phrases and what was learned make of a message."""
        sentences, served = [*_sentences(letters)], self.index.served(letters)
        found = [
            Found(self.rules[at], start, end, (first, last))
            for first, last in sentences
            for at, start, end in self.index.found(letters, first, last, served)
        ]
        if self.learned is None:
            return _Met(found, [], None)
        heard = self.learned.heard(letters, sentences)
        sure = (each for each in heard if self._is_sure(each, sentences))
        return _Met(found, heard, max(sure, key=lambda each: each.chance, default=None))

    def _is_sure(self, heard: Heard, sentences: Sequence[tuple[int, int]]) -> bool:
        """Whether a run is a sign by itself: a part of a long message, of which there are many, must be surer."""
        if self.learned is None or heard.chance < self.learned.file.raises:
            return False
        run = heard.start, heard.end
        whole = run == (sentences[0][0], sentences[-1][1]) or (
            run in sentences and run[1] - run[0] < _LONGEST_SENTENCE
        )
        return whole or heard.chance >= self.learned.file.surer

    def _kept(self, spelled: Spelled, met: "_Met", meant: Over) -> Iterator[Sign]:
        """What phrases found and nothing sets aside, each once."""
        told: set[tuple[CrisisCategory, int, str]] = set()
        for each in sorted(met.found, key=_gravity, reverse=True):
            rule = each.rule
            severity = rule.severity if self._borne_out(each, met.heard) else 0
            if (rule.category, severity, rule.tag) not in told and meant(each):
                told.add((rule.category, severity, rule.tag))
                yield Sign(rule.category, severity, spelled.said(each.start, each.end), rule.tag)
                if severity == HIGHEST:
                    break

    def _borne_out(self, found: Found, heard: Sequence[Heard]) -> bool:
        """Whether what was learned leaves ``found`` its sign: a plan always, the rest unless it is sure of nothing."""
        if self.learned is None or found.rule.kind == "plan":
            return True
        own = [each.chance for each in heard if (each.start, each.end) == found.sentence]
        near = (each.chance for each in heard if each.start < found.end and found.start < each.end)
        chance = own[0] if own else max(near, default=0.0)
        grave = found.rule.severity == HIGHEST
        return self.learned.bears_out(found.rule.category, grave, chance)

    def _learned(self, spelled: Spelled, met: "_Met", meant: Over, known: int) -> Iterator[Sign]:
        """The sign of what was learned, where it is sure; beside one of severity ``known`` only a graver one."""
        learned, sure = self.learned, met.sure
        if learned is None or sure is None or known == HIGHEST:
            return
        category, grave = learned.about(spelled.letters[sure.start : sure.end])
        if known and (sure.chance < learned.file.surer or grave < learned.file.graver):
            return
        sentence, (start, end) = learned.core(spelled.letters, sure)
        severity = HIGHEST if grave > 0 else HIGHEST - 1
        if meant.told_as_such(Found(Rule(category, severity, "own", []), start, end, sentence)):
            return
        yield Sign(category, severity, spelled.said(start, end), "")


class _Met(NamedTuple):
    """What phrases found in a message, how likely its parts speak of danger, and the likeliest when that is sure."""

    found: list[Found]
    heard: list[Heard]
    sure: Heard | None


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
    return Reader(language(name), weights() if name == _ALWAYS else None)


@cache
def marks(name: str) -> frozenset[str]:
    """The words by which a language is known: its marks, and what its phrases need and English has not."""
    own = reader(name)
    return (own.marks | own.alphabet.letters.keys()) - reader(_ALWAYS).speller.known.keys()


class Run(NamedTuple):
    """What stands between two spaces: its letters in English, the marks of other languages in it, its tokens."""

    letters: str
    marked: tuple[tuple[str, str], ...]
    lone: str
    tokens: tuple[str, ...]


def _run(written: str) -> Run:
    found = tokens(written)
    words = [plain(token) for token in found]
    marked = tuple((name, word) for name in OTHERS for word in words if word in marks(name))
    return Run(reader(_ALWAYS).speller.run(found), marked, lone(written), tuple(found))


RUNS: Final = Remembered(_run)


def signs(text: str) -> list[Sign]:
    """The signs of danger in ``text``: as English, and as any other language it has words of."""
    low = lowered(text)
    written = low.split(" ")
    letters, marked, lones, parts = zip(*map(RUNS.__getitem__, written), strict=True)
    if not between_spaces(low, "".join(lones)):
        found = tokens(text)
        return [sign for name in _spoken(found) for sign in reader(name).signs(text, None, lambda: found)]

    def traced() -> Sequence[str]:
        return tokens_between(low, parts)

    signs = reader(_ALWAYS).signs(text, reader(_ALWAYS).speller.joined(letters), traced)
    if any(marked):
        for name in _seem_spoken(text, written, set[tuple[str, str]]().union(*marked)):
            other = reader(name)
            seen = other.speller.joined(map(other.speller.met_runs.__getitem__, written))
            if other.index.possible(seen):
                signs += other.signs(text, seen, traced)
    return signs


def _seem_spoken(text: str, written: Sequence[str], marked: Iterable[tuple[str, str]]) -> Sequence[str]:
    """The other languages that a text with ``marked`` words is read in; when these are few all words are counted."""
    count = Counter(name for name, _ in marked)
    if len(set(written)) > _WORDS_ENOUGH or all(number >= _MARKS_ENOUGH for number in count.values()):
        return [name for name in OTHERS if count[name] >= _MARKS_ENOUGH]
    return [name for name in _spoken(tokens(text)) if name != _ALWAYS]


def _spoken(found: Sequence[str]) -> list[str]:
    seen = {plain(token) for token in set(found)}
    enough = min(_MARKS_ENOUGH, max(1, len(seen) // _WORDS_A_MARK))
    return [name for name in LANGUAGES if name == _ALWAYS or len(seen & marks(name)) >= enough]
