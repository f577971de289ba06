"""The crisis reader of one language: from a message to the signs of danger in it."""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Final

from msgspec import Struct

from memory.crisis_grammar import Alphabet
from memory.crisis_guards import Found, Over, Watch
from memory.crisis_index import Index
from memory.crisis_learned import Hearing, Learned, Weights, vocabulary, weights
from memory.crisis_message import Message
from memory.crisis_sentences import Span
from memory.crisis_table import CrisisCategory, Language, language
from memory.crisis_words import Speller, plain
from memory.once import once

ALWAYS: Final = "en"
OTHERS: Final = ("de", "es")
LANGUAGES: Final = (ALWAYS, *OTHERS)
ORDER: Final[tuple[CrisisCategory, ...]] = ("self_harm", "abuse", "harm_others", "medical")
HIGHEST: Final = 3


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
        self.learned: Learned | None = None
        if learned is not None:
            self.learned = self._heard(learned)
            self.alphabet.often = self.learned.often()
            self.alphabet.rare = min(self.alphabet.often.values()) / 2
        entries = [(rule, self.alphabet.phrase(each)) for rule in tables.rules for each in rule.phrases]
        self.rules = [rule for rule, _ in entries]
        self.index = Index([phrase for _, phrase in entries])
        self.watch = Watch(tables.guards, self.alphabet)
        self.words = frozenset(self.alphabet.letters)
        self.speller = Speller(tables.spelling, self.alphabet.letters)
        self.marks = frozenset(map(plain, tables.marks))
        self.pairs = tables.pairs

    def _heard(self, file: Weights) -> Learned:
        """What was learned, in the letters of this language."""
        self.alphabet.spelled(vocabulary(file))
        return Learned(file, self.alphabet.letters)

    def warm(self) -> None:
        """Lay out every phrase and compile every pattern now, so that no message waits for them."""
        self.index.lay_out()
        self.watch.warm(self.rules)

    def signs(self, text: str) -> list[Sign]:
        """The signs of danger in ``text``, whatever language it is in."""
        return self.found(Message(text, self.speller))

    def found(self, message: Message) -> list[Sign]:
        """The signs of danger in a message, the gravest first.

        What no guard sets aside counts. After one of the highest severity no more are looked at.
        """
        reading = _Reading(self, message)
        kept = [*reading.kept()]
        return [*kept, *reading.learned(max((sign.severity for sign in kept), default=0))]


class _Reading:
    """One message, read by one reader."""

    def __init__(self, reader: Reader, message: Message) -> None:
        self.reader = reader
        self.message = message
        self.standing: dict[tuple[int, int], list[Found]] = {}

    @once
    def meant(self) -> Over:
        """The guards."""
        return self.reader.watch.over(self.message.row, self.message.spelled)

    @once
    def hearing(self) -> Hearing | None:
        """What was learned, set over the message."""
        learned, message = self.reader.learned, self.message
        return None if learned is None else learned.hearing(message.row, message.sentences)

    def kept(self) -> Iterator[Sign]:
        """What phrases find and nothing sets aside, each once."""
        told: set[tuple[CrisisCategory, int, str]] = set()
        for each in self._found():
            rule = each.rule
            severity = rule.severity if self._borne_out(each) and self._not_alone(each) else 0
            if (rule.category, severity, rule.tag) not in told and self.meant(each):
                told.add((rule.category, severity, rule.tag))
                words = self.message.spelled(each.sentence).said(each.start, each.end)
                yield Sign(rule.category, severity, words, rule.tag)
                if severity == HIGHEST:
                    break

    def _found(self) -> Iterator[Found]:
        """What phrases find, the gravest first and of equals the longest; what is not asked for is not looked for."""
        for rank in sorted(self.ranks, reverse=True):
            if rank not in self.standing:
                found = [each for at, sentence in self.ranks[rank] for each in self._standing(at, sentence)]
                found.sort(key=lambda each: each.end - each.start, reverse=True)
                self.standing[rank] = found
            yield from self.standing[rank]

    @once
    def ranks(self) -> dict[tuple[int, int], list[tuple[int, Span]]]:
        """The phrases that can be in a sentence, by how grave they are."""
        reader, message = self.reader, self.message
        ranks: defaultdict[tuple[int, int], list[tuple[int, Span]]] = defaultdict(list)
        for at, sentence in reader.index.possible(message.row, message.sentences):
            rule = reader.rules[at]
            ranks[rule.severity, -ORDER.index(rule.category)].append((at, sentence))
        return ranks

    def _standing(self, at: int, sentence: Span) -> Iterator[Found]:
        """Where the phrase of a number stands in a sentence."""
        phrase, rule, message = self.reader.index.phrases[at], self.reader.rules[at], self.message
        for start, end in phrase.found(message.letters, *sentence, message.laid_out(sentence)):
            yield Found(rule, start, end, sentence)

    def _borne_out(self, found: Found) -> bool:
        """Whether what was learned leaves ``found`` its sign: a plan always, the rest unless it hears nothing."""
        rule, hearing = found.rule, self.hearing
        if hearing is None or rule.stands or hearing.is_new((found.start, found.end)):
            return True
        least = hearing.learned.needed(rule.category, rule.severity == HIGHEST)
        return least <= 0 or _heard(hearing, found, least)

    def _not_alone(self, found: Found) -> bool:
        """Whether ``found`` is not the one thing in the message that speaks for danger.

        A single phrase in words that speak against it is mostly a sprain, a game or a figure of speech; two rarely are.
        A plan needs no company, nor do words that are plain enough.
        """
        rule, hearing = found.rule, self.hearing
        if hearing is None or not rule.severity or rule.stands or hearing.is_new((found.start, found.end)):
            return True
        least = hearing.learned.needed_alone(rule.category, rule.severity == HIGHEST)
        if _heard(hearing, found, least):
            return True
        meant = (other for other in self._found() if other.rule.severity and self._borne_out(other))
        return sum(1 for _ in islice(filter(self.meant, meant), 2)) == 2

    def learned(self, known: int) -> Iterator[Sign]:
        """The sign of what was learned, where it is sure; beside one of severity ``known`` only a graver one."""
        learned, letters = self.reader.learned, self.message.letters
        if learned is None or self.hearing is None or known == HIGHEST:
            return
        sure = self.hearing.sure()
        if sure is None:
            return
        category, grave = learned.about(letters[sure.start : sure.end])
        if known and (sure.chance < learned.file.surer or grave < learned.file.graver):
            return
        sentence, (start, end) = self.hearing.core(sure)
        severity = HIGHEST if grave > 0 else HIGHEST - 1
        yield Sign(category, severity, self.message.spelled(sentence).said(start, end), "")


def _heard(hearing: Hearing, found: Found, least: float) -> bool:
    """Whether what was learned hears danger in ``found``; of harming oneself also where the rest is small talk."""
    apart = found.rule.category == "self_harm"
    return hearing.bears_out((found.start, found.end), found.sentence, least, apart=apart)


@cache
def reader(name: str) -> Reader:
    """The reader of a language, made on first use."""
    return Reader(language(name), weights(name))
