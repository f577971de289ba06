"""When a later statement ends an earlier one.

"I moved to Berlin" ends living in Lisbon, "my knee is fine now" ends the injury, "I eat fish again" ends
being a vegetarian; "I play the piano" ends nothing. Which attributes can hold one value only is data
(``facts.toml``).
"""

import re
from functools import cache, lru_cache

import msgspec

from memory import data
from memory.statements_kinds import Statement
from memory.text import folded


class _Ending(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    attribute: str
    kinds: str
    values: str


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    single: str
    small: str
    wide: dict[str, str]
    regions: dict[str, str]
    ending: tuple[_Ending, ...]
    alike: tuple[str, ...]
    categories: dict[str, dict[str, str]]


@cache
def rules() -> _Table:
    """Single-valued attributes, words that stand for a whole kind, and what ends what."""
    found: _Table = data.table("facts.toml", _Table)
    return found


@cache
def single_valued() -> frozenset[str]:
    """The attributes that hold one value at a time."""
    return frozenset(rules().single.split())


@cache
def _small() -> frozenset[str]:
    return frozenset(rules().small.split())


@cache
def _wide() -> dict[str, frozenset[str]]:
    return {kind: frozenset(words.split()) for kind, words in rules().wide.items()}


@cache
def _regions() -> dict[str, str]:
    return {word: region for region, words in rules().regions.items() for word in words.split()}


def _stem(word: str) -> str:
    for ending in ("ing", "es", "s", "n", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


@cache
def _stems(listed: str) -> frozenset[str]:
    """The words of a table's list, without endings."""
    return frozenset(_stem(word) for word in listed.split())


@lru_cache(maxsize=16_384)
def core(value: str) -> frozenset[str]:
    """The words of ``value`` that identify it, without endings; parts of the body also by their region."""
    found = {_stem(word) for word in re.findall(r"[\w'-]+", folded(value)) if word not in _small()}
    return frozenset(found | {_regions()[word] for word in found if word in _regions()})


def same(one: str, other: str) -> bool:
    """Whether two values name the same thing (the words of one are all among the other's)."""
    first, second = core(one), core(other)
    return bool(first) and bool(second) and (first <= second or second <= first)


def touches(one: str, other: str) -> bool:
    """Whether two values share a word that identifies them."""
    return bool(core(one) & core(other))


def _comparable(one: str, other: str) -> bool:
    """Whether a denial of one kind can be about the other: a limit may have been told as an injury."""
    return one == other or any({one, other} <= set(kinds.split()) for kinds in rules().alike)


def _denies(newer: Statement, older: Statement) -> bool:
    if not _comparable(newer.kind, older.kind):
        return False
    if not newer.value:
        return newer.kind == older.kind
    if core(newer.value) & _wide().get(newer.kind, frozenset()):
        return newer.attribute == older.attribute
    return touches(newer.value, older.value)


def _contradicts(newer: Statement, older: Statement) -> bool:
    """Liking what was disliked, eating what was given up."""
    opposite = {("likes", "dislikes"), ("dislikes", "likes")}
    if (newer.attribute, older.attribute) in opposite:
        return same(newer.value, older.value)
    for ending in rules().ending:
        if newer.attribute == ending.attribute and older.kind in ending.kinds.split():
            return bool(_stems(ending.values) & core(older.value)) or touches(newer.value, older.value)
    return False


def ends(newer: Statement, older: Statement) -> bool:
    """Whether ``newer``, said later, means that ``older`` no longer holds."""
    if newer.subject.lower() != older.subject.lower() or older.negated:
        return False
    if newer.negated:
        return _denies(newer, older)
    if newer.tense == "future":
        return False
    if newer.tense == "past":
        return (
            newer.kind == older.kind
            and newer.kind in {"place", "work", "diet"}
            and same(newer.value, older.value)
        )
    if newer.kind == older.kind and newer.attribute == older.attribute and newer.attribute in single_valued():
        return older.tense != "past" and not same(newer.value, older.value)
    return _contradicts(newer, older)
