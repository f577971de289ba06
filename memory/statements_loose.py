"""What a sentence states in words no frame foresees: a food beside a hospital, a joint beside a screw.

People find endless ways to say that something is wrong with them. When no frame has read a sentence, the
company its words keep still tells what it is about: a word of one group, beside one that speaks of trouble,
of a doctor, of a dose. The rules are data (``statements_loose.toml``); they are kept narrow, because a fact
may rest on them.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final

from memory.statements_index import sense_at
from memory.statements_kinds import Statement
from memory.statements_rules import TURNING, Rule, most_words, rules, wide_rules
from memory.statements_subjects import first_person_or
from memory.statements_text import Plain, Sentence
from memory.statements_values import said_as
from memory.statements_words import known_words

_WITH_SUBJECT: Final = 3
"""The words of what is found that may name whose it is ("my brother's race is off")."""

_MOST_BEFORE: Final = 6
_LISTENER: Final = frozenset(
    {"you", "your", "he", "she", "his", "her", "they", "their", "du", "dein", "er", "sie"}
)


@cache
def _beside(source: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{source})\b")


def _fits(rule: Rule, words: Plain, without: bool) -> bool:
    """Whether a rule fits; ``without`` says whether a word that it must be without can be there at all."""
    if rule.group and rule.group not in words.groups:
        return False
    if not _beside(rule.beside).search(words.text):
        return False
    return not (without and rule.without and _beside(rule.without).search(words.text))


def _statement(rule: Rule, words: Plain, subject: str, sentence: str) -> Statement:
    value = ""
    if rule.group:
        spans = known_words().spans(words.said)
        first, last, _ = next(span for span in spans if rule.group in span[2])
        value = said_as(" ".join(words.said[first:last]), sentence)
    elif found := _beside(rule.beside).search(words.text):
        value = said_as(_named_by(rule, found, words.text), sentence)
    attribute = rule.attribute or rule.kind
    return Statement(rule.kind, value, subject, rule.negated, "present", attribute, sentence)


def warm() -> None:
    """Compile what tells that something was given up, which few messages need."""
    for rule in wide_rules():
        if rule.attribute in TURNING:
            _beside(rule.beside)


def _named_by(rule: Rule, found: re.Match[str], text: str) -> str:
    """What names the thing: a group, for what is given up else the words before, up to a comma."""
    if named := next(filter(None, found.groups()), ""):
        return named.strip()
    if rule.attribute != "given_up":
        return found.group(0)
    return " ".join(text[: found.start()].rpartition(",")[2].split()[-_MOST_BEFORE:])


def _fitting(among: Sequence[Rule], possible: int, first: int, words: Plain, senses: int) -> Iterator[Rule]:
    """Those of the rules that fit; the patterns of what they must be without are numbered from ``first``."""
    while possible:
        at = (possible & -possible).bit_length() - 1
        possible &= possible - 1
        if _fits(among[at], words, bool(senses >> first + at & 1)):
            yield among[at]


def loosely(sentence: Sentence, other: str | None) -> list[Statement]:
    """What the stretches of one sentence state together, when no frame has read any of them."""
    words = sentence.plain
    if not 0 < len(words.said) <= most_words():
        return []
    possible = sentence.possible
    first = sense_at("without")
    for rule in _fitting(rules(), possible.loose, first, words, possible.senses):
        subject = first_person_or(words.said, sentence.names, other)
        return [] if subject is None else [_statement(rule, words, subject, sentence.text)]
    return []


def widely(sentence: Sentence, other: str | None) -> list[Statement]:
    """What a sentence may state, for a recall: better one message too many than an allergy missed."""
    words = sentence.plain
    if not 0 < len(words.said) <= most_words():
        return []
    possible = sentence.possible
    first = sense_at("without") + len(rules())
    fitting = [*_fitting(wide_rules(), possible.wide, first, words, possible.senses)]
    subject = first_person_or(words.said, sentence.names, other) if fitting else None
    read: list[Statement] = []
    for rule in fitting:
        who = _giving_up(rule, sentence, other) if rule.attribute in TURNING else subject
        if who is not None:
            read.append(_statement(rule, words, who, sentence.text))
    return read


def _giving_up(rule: Rule, sentence: Sentence, other: str | None) -> str | None:
    """Who gives something up: whoever is spoken of by then, not whom it is given to."""
    found = _beside(rule.beside).search(sentence.plain.text)
    before = sentence.plain.text[: found.start()].count(" ") if found else 0
    said = sentence.plain.said[: before + _WITH_SUBJECT]
    who = first_person_or(said, sentence.names, other)
    return "user" if who is None and _LISTENER.isdisjoint(said) else who  # "the race is off"
