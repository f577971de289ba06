"""What a sentence states in words no frame foresees: a food beside a hospital, a joint beside a screw.

People find endless ways to say that something is wrong with them. When no frame has read a sentence, the
company its words keep still tells what it is about: a word of one group, beside one that speaks of trouble,
of a doctor, of a dose. The rules are data (``statements_loose.toml``); they are kept narrow, because a fact
may rest on them.
"""

import re
from collections.abc import Sequence
from functools import cache

import msgspec

from memory import data
from memory.statements_kinds import Statement, StatementKind
from memory.statements_subjects import first_person_or
from memory.statements_text import Stretch
from memory.statements_values import said_as
from memory.statements_words import known_words


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a sentence states when a word of ``group`` is in it, one of ``beside`` and none of ``without``."""

    kind: StatementKind
    beside: str
    group: str = ""
    attribute: str = ""
    negated: bool = False
    without: str = ""


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    most_words: int
    rule: tuple[Rule, ...]
    wide: tuple[Rule, ...]


@cache
def _table() -> _Table:
    found: _Table = data.table("statements_loose.toml", _Table)
    return found


@cache
def _beside(source: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{source})\b")


def rules() -> tuple[Rule, ...]:
    """What a sentence states that no frame has read; the first that fits decides."""
    return _table().rule


def wide_rules() -> tuple[Rule, ...]:
    """What a sentence may state, for a recall."""
    return _table().wide


@cache
def loose_groups() -> frozenset[str]:
    """The groups one of whose words the loose rules look for."""
    return frozenset(rule.group for rule in _table().rule)


def may_be_loose(said: Sequence[str]) -> bool:
    """Whether a sentence of these words could fit a rule at all."""
    known = known_words()
    return any(not loose_groups().isdisjoint(known.of(word)) for word in said)


class _Words(msgspec.Struct, frozen=True):
    """The words of a sentence that state something, with their groups."""

    said: list[str]
    text: str
    spans: list[tuple[int, int, frozenset[str]]]
    groups: frozenset[str]
    names: frozenset[str]
    sentence: str


def _words(stretches: list[Stretch]) -> _Words | None:
    plain = [one for one in stretches if not (one.asks or one.supposes or one.tells)]
    said = [word for one in plain for word in [*one.said, ","]]
    if not said or len(said) > _table().most_words:
        return None
    spans = known_words().spans(said)
    groups = frozenset[str]().union(*(has for _, _, has in spans))
    return _Words(said, " ".join(said), spans, groups, plain[0].names, plain[0].sentence)


def _fits(rule: Rule, words: _Words) -> bool:
    if rule.group and rule.group not in words.groups:
        return False
    if not _beside(rule.beside).search(words.text):
        return False
    return not (rule.without and _beside(rule.without).search(words.text))


def _statement(rule: Rule, words: _Words, subject: str) -> Statement:
    value = ""
    if rule.group:
        first, last, _ = next(span for span in words.spans if rule.group in span[2])
        value = said_as(" ".join(words.said[first:last]), words.sentence)
    elif found := _beside(rule.beside).search(words.text):
        value = said_as(found.group(0), words.sentence)
    attribute = rule.attribute or rule.kind
    return Statement(rule.kind, value, subject, rule.negated, "present", attribute, words.sentence)


def loosely(stretches: list[Stretch], possible: int, other: str | None) -> list[Statement]:
    """What the stretches of one sentence state together, when no frame has read any of them.

    ``possible`` says by a bit each which of the rules can fit at all.
    """
    words = _words(stretches)
    if words is None:
        return []
    for at, rule in enumerate(rules()):
        if possible >> at & 1 and _fits(rule, words):
            subject = first_person_or(words.said, words.names, other)
            return [] if subject is None else [_statement(rule, words, subject)]
    return []


def widely(stretches: list[Stretch], possible: int, other: str | None) -> list[Statement]:
    """What a sentence may state, for a recall: better one message too many than an allergy missed.

    ``possible`` says by a bit each which of the wide rules can fit at all.
    """
    words = _words(stretches)
    subject = first_person_or(words.said, words.names, other) if words else None
    if words is None or subject is None:
        return []
    return [
        _statement(rule, words, subject)
        for at, rule in enumerate(wide_rules())
        if possible >> at & 1 and _fits(rule, words)
    ]
