"""In what sense a thing is said: denied, taken back, over, or still to come.

The patterns are data (``statements_senses.toml``), over lower-case text with contractions written out. ``senses``
says by a bit each, in the order of `NAMES`, which of them can be in the sentence at all.
"""

import re
from functools import cache
from typing import Final

import msgspec

from memory import data
from memory.statements_kinds import StatementKind, Tense

_EVENTS: frozenset[StatementKind] = frozenset({"place", "work", "life_event"})
_HURT_STAYS: frozenset[StatementKind] = frozenset({"allergy", "injury", "limit", "medication"})
"""Kinds for which "years ago" says when it began, not that it is over."""


NAMES: Final = ("denied", "taken_back", "put_in_mouth", "once", "over", "was", "will")
_DENIED, _TAKEN_BACK, _PUT_IN_MOUTH, _ONCE, _OVER, _WAS, _WILL = (1 << at for at in range(len(NAMES)))
ALL: Final = -1
"""Any of them may be there."""


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    denied: str
    taken_back: str
    that_was_never_said: str
    put_in_mouth: str
    once: str
    over: str
    was: str
    will: str


@cache
def _pattern(name: str) -> re.Pattern[str]:
    table: _Table = data.table("statements_senses.toml", _Table)
    source: str = getattr(table, name)
    return re.compile(rf"\b(?:{source})\b")


def sources() -> tuple[str, ...]:
    """The patterns of `NAMES`."""
    table: _Table = data.table("statements_senses.toml", _Table)
    return tuple(str(getattr(table, name)) for name in NAMES)


def denied(text: str, senses: int = ALL) -> bool:
    """Whether the words between a subject and what is said of it deny it."""
    return bool(senses & _DENIED and _pattern("denied").search(text))


def taken_back(text: str, senses: int = ALL) -> bool:
    """Whether ``text`` denies that something was ever said or true ("I never said I was vegan")."""
    return bool(senses & _TAKEN_BACK and _pattern("taken_back").search(text))


def never_said(text: str) -> bool:
    """Whether a whole message only takes back what was just claimed of the person ("I never said that")."""
    return bool(_pattern("that_was_never_said").match(text))


def put_in_mouth(text: str, senses: int = ALL) -> bool:
    """Whether somebody else is said to have said it ("you said I love jazz")."""
    return bool(senses & _PUT_IN_MOUTH and _pattern("put_in_mouth").search(text))


def tense(kind: StatementKind, stretch: str, verb: str, senses: int = ALL, *, fixed: bool) -> Tense:
    """When a statement holds: ``stretch`` is all around it, ``verb`` the words before its value.

    A ``fixed`` pattern carries its own tense; only "used to" and its like change it.
    """
    if senses & _OVER and _pattern("over").search(stretch):
        return "past"
    if senses & _ONCE and kind not in _HURT_STAYS and _pattern("once").search(stretch):
        return "past"
    if senses & _WAS and not fixed and _pattern("was").search(verb):
        return "past"
    return "future" if senses & _WILL and kind in _EVENTS and _pattern("will").search(stretch) else "present"
