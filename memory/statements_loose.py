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


class _Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: StatementKind
    group: str
    beside: str
    attribute: str = ""
    negated: bool = False
    without: str = ""


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rule: tuple[_Rule, ...]
    most_words: int


@cache
def _table() -> _Table:
    found: _Table = data.table("statements_loose.toml", _Table)
    return found


@cache
def _beside(source: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{source})\b")


@cache
def _groups() -> frozenset[str]:
    return frozenset(rule.group for rule in _table().rule)


def may_be_loose(said: Sequence[str]) -> bool:
    """Whether a sentence of these words could fit a rule at all."""
    known = known_words()
    return any(not _groups().isdisjoint(known.of(word)) for word in said)


def loosely(stretches: list[Stretch], other: str | None) -> list[Statement]:
    """What the stretches of one sentence state together, when no frame has read any of them."""
    plain = [one for one in stretches if not (one.asks or one.supposes or one.tells)]
    said = [word for one in plain for word in [*one.said, ","]]
    if not said or len(said) > _table().most_words:
        return []
    spans = known_words().spans(said)
    present = frozenset[str]().union(*(groups for _, _, groups in spans))
    text = " ".join(said)
    for rule in _table().rule:
        if rule.group not in present or not _beside(rule.beside).search(text):
            continue
        if rule.without and _beside(rule.without).search(text):
            continue
        subject = first_person_or(said, plain[0].names, other)
        if subject is None:
            return []
        first, last, _ = next(span for span in spans if rule.group in span[2])
        sentence = plain[0].sentence
        value = said_as(" ".join(said[first:last]), sentence)
        return [
            Statement(
                rule.kind, value, subject, rule.negated, "present", rule.attribute or rule.kind, sentence
            )
        ]
    return []
