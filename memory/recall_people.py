"""Whom a message means by a relation: "the kid" is the son that was told of as Owen, "my other half" the wife."""

from collections.abc import Set as AbstractSet
from functools import cache

import msgspec

from memory import data
from memory.statements_kinds import Statement
from memory.statements_subjects import is_relation, relation
from memory.text import words

_NONE: frozenset[str] = frozenset()


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    akin: tuple[str, ...]


@cache
def _akin() -> dict[str, frozenset[str]]:
    table: _Table = data.table("recall_people.toml", _Table)
    every = [frozenset(relation(word) for word in listed.split()) for listed in table.akin]
    found: dict[str, frozenset[str]] = {}
    for one in every:
        for word in one:
            found[word] = found.get(word, _NONE) | one
    return found


def akin(people: AbstractSet[str]) -> frozenset[str]:
    """The relations that ``people`` may mean, themselves among them."""
    every = _akin()
    return _NONE.union(*(every[person] for person in every.keys() & people))


def relation_of(statement: Statement) -> str:
    """By which relation its sentence calls whom a statement is about ("my son Owen is 13"), else nothing."""
    said = words(statement.words)
    subject = statement.subject.lower()
    at = said.index(subject) if subject in said else 0
    return relation(said[at - 1]) if at and is_relation(said[at - 1]) else ""
