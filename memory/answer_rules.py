"""The rules of forbidden answers, from the table `answers.toml`: when each applies and what takes it back.

The table's head explains its columns. A rule is found by the words it needs, so most of them cost nothing
for a given sentence; its expressions have bounded gaps and are compiled when they are first tried.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final, Literal, TypeAlias

import msgspec

from memory.data import table
from memory.expressions import Expression

Family: TypeAlias = Literal["reminder", "quiz", "correction", "comparison", "deficit", "session", "role"]
ALL: Final[frozenset[str]] = frozenset(
    ("reminder", "quiz", "correction", "comparison", "deficit", "session", "role")
)

_FRAGMENT = Expression(r"\{([a-z_]+)\}")
_WORD = Expression(r"[\w']+")
_LONGEST_KEY = 16


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One row of the table."""

    family: Family
    words: list[str]
    find: str
    unless: str = ""
    asked: bool | None = None
    told: bool | None = None
    offered: bool = True
    said: str = ""
    unsaid: str = ""


class Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The table: rows, the fragments their expressions share, their order of families, and acts by their words."""

    order: list[Family]
    fragments: dict[str, str]
    rule: list[Rule]
    acts_by: dict[str, str] = {}
    acts: dict[str, str] = {}


class Heard(msgspec.Struct, frozen=True):
    """What the person said last, in plain letters, whether it asks, and whether it offers to tell something."""

    text: str
    asked: bool
    offers: bool = False


def broken(plain: str, heard: Heard, families: frozenset[str]) -> tuple[str, int, int] | None:
    """The family and place of the first rule that the sentence ``plain`` breaks, in table order."""
    asked = plain.rstrip(" \"')").endswith("?")
    for number in _candidates(plain):
        rule = _rules().rule[number]
        if (
            rule.family in families
            and _applies(rule, heard, asked)
            and (span := _found(rule, plain)) is not None
        ):
            return rule.family, *span
    return None


def _applies(rule: Rule, heard: Heard, asked: bool) -> bool:
    if rule.asked is not None and rule.asked != asked:
        return False
    if rule.told is not None and rule.told == heard.asked:
        return False
    if heard.offers and not rule.offered:
        return False
    if rule.said and not expression(rule.said).search(heard.text):
        return False
    return not (rule.unsaid and expression(rule.unsaid).search(heard.text))


def _found(rule: Rule, plain: str) -> tuple[int, int] | None:
    match = expression(rule.find).search(plain)
    if match is None or (rule.unless and expression(rule.unless).search(plain)):
        return None
    return match.span()


def _candidates(plain: str) -> Sequence[int]:
    index = _index()
    found: set[int] = set()
    for word in set(_WORD.findall(plain)):
        for length in range(1, min(len(word), _LONGEST_KEY) + 1):
            found.update(index.get(word[:length], ()))
    return sorted(found)


@cache
def _rules() -> Rules:
    """The table with its rows in the order of their families."""
    rules: Rules = table("answers.toml", Rules)
    rows = sorted(rules.rule, key=lambda rule: rules.order.index(rule.family))
    return msgspec.structs.replace(rules, rule=rows)


@cache
def acts() -> Mapping[str, tuple[str, bool]]:
    """Of each word in the table the act it names, and whether it matters who does it."""
    kinds = ((_rules().acts, False), (_rules().acts_by, True))
    return {
        word: (act, by) for table_, by in kinds for act in reversed(table_) for word in table_[act].split()
    }


@cache
def _index() -> Mapping[str, Sequence[int]]:
    found: dict[str, list[int]] = {}
    for number, rule in enumerate(_rules().rule):
        for word in rule.words:
            found.setdefault(word, []).append(number)
    return found


@cache
def expression(code: str) -> re.Pattern[str]:
    """An expression of the table, its fragments written out."""
    fragments = _rules().fragments
    while _FRAGMENT.search(code):
        code = _FRAGMENT.sub(lambda match: fragments[match.group(1)], code)
    return re.compile(code)
