"""Which earlier statement a message means that gives something up or puts another thing in its place.

Nobody says "my goal of running the Great North Run has ended"; people say "the race is off", "scrap that", "sold the
rower", "I'd rather walk". That a message changes something is told by its words; what it changes is told by what it
shares with what was said before: the words that name it, the kind that a word stands for, or only that it was said
just before. What shares nothing with an earlier statement ends none. Used for a recall alone, never for a fact.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from typing import Final, NamedTuple

import msgspec

from memory import data, statements_loose
from memory.recall_ties import stem
from memory.statements_ends import core
from memory.statements_kinds import Statement
from memory.statements_words import known_words
from memory.text import folded
from memory.text import words as words_of

MOST_CHANGES: Final = 6
"""Of what one message gives up: more is nothing that anybody says."""
LOOKED_AT: Final = 200
"""Of the latest statements, how many a message can mean that names none."""
JUST_BEFORE: Final = 4
"""How many messages further back what "that" points at may have been said, the companion's among them."""
_WORD: Final = re.compile(r"[^\W_]+")
_HEALTH: Final = frozenset({"body", "sport", "condition", "medicine"})
_LONG: Final = 5  # letters of a word by which it is found in a longer one ("Halbmarathon")


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kinds: str
    ailing: str
    replaced: str
    pointed_at: str
    pointing: str
    small: str
    weak: str
    health: str
    stands_for: dict[str, str]


class Before(NamedTuple):
    """An earlier statement that still holds: its number, whose message it is, and where that stood."""

    number: int
    kind: str
    statement: Statement
    position: int


@cache
def _table() -> _Table:
    found: _Table = data.table("recall_ends.toml", _Table)
    return found


@cache
def _among(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


@cache
def _stands_for() -> dict[str, frozenset[str]]:
    """By a word, the kinds that it stands for."""
    listed = {kind: _among(words) for kind, words in _table().stands_for.items()}
    every = frozenset[str]().union(*listed.values())
    return {word: frozenset(kind for kind, words in listed.items() if word in words) for word in every}


def warm() -> None:
    """Load the table, and compile what finds a change, now."""
    _stands_for()
    statements_loose.warm()


@cache
def _stems(listed: str) -> frozenset[str]:
    return frozenset(map(stem, _among(listed)))


@cache
def _naming_nothing() -> frozenset[str]:
    """Words that stand for a whole kind, or only point, without endings."""
    return frozenset(map(stem, _stands_for())) | _stems(_table().pointing)


@lru_cache(maxsize=512)
def _naming(text: str) -> frozenset[str]:
    """The words of ``text`` that name something, without endings."""
    return frozenset(stem(word) for word in _WORD.findall(folded(text)) if word not in _among(_table().small))


def _shared(words: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """Those of ``words`` that are among ``others``, or part of a longer one, or the other way round."""
    same = words & others
    apart = [word for word in words - same if len(word) >= _LONG]
    if not apart:
        return same
    long = [other for other in others if len(other) >= _LONG]
    return same | {word for word in apart if any(word in other or other in word for other in long)}


def meant(change: Statement, before: Sequence[Before], stated: Iterable[str], position: int) -> list[Before]:
    """What of ``before`` (the latest first) a ``change`` means, of a message at ``position`` that states ``stated``."""
    table = _table()
    if change.attribute == "cleared":
        return _cleared(before, change)
    among = [one for one in before if one.kind in _among(table.kinds)]
    here = _among(table.replaced).intersection(stated)
    if change.attribute == "replaced":
        return _latest(among, here)
    words = _WORD.findall(folded(change.value))
    standing = frozenset[str]().union(*(_stands_for().get(word, ()) for word in words))
    named = _naming(change.value) - _naming_nothing()
    named = named - _stems(table.weak) or named
    if named and (found := _named(among, named)):
        return found
    if standing:
        return [one for kind in sorted(standing) for one in _latest(among, frozenset({kind}))]
    if not named and not _among(table.pointing).isdisjoint(words):
        near = [one for one in among if position - one.position <= JUST_BEFORE]
        return _latest(near, here or _among(table.pointed_at))
    return []


def overtakes(change: Statement) -> bool:
    """Whether what a ``change`` means may hold still: then it only comes after what changed."""
    return change.attribute == "cleared"


def _of_health(said: str) -> bool:
    """Whether words of the body, of sport, or of those who treat somebody are among what is ``said``."""
    spoken = words_of(said)
    return not _among(_table().health).isdisjoint(spoken) or not _HEALTH.isdisjoint(
        known_words().groups_of(spoken)
    )


def _cleared(before: Sequence[Before], change: Statement) -> list[Before]:
    """What ails somebody and is named, by its value or in its sentence; else the latest of it."""
    named, ailing = core(change.value), [one for one in before if one.kind in _among(_table().ailing)]
    found = [one for one in ailing if not named.isdisjoint(core(one.statement.value))]
    found = found or [one for one in ailing if not named.isdisjoint(core(one.statement.words))]
    if found:
        return found
    if not _of_health(change.words):
        return []  # "the car is fixed"
    return [one for one in ailing if one.position == ailing[0].position]


def _named(among: Sequence[Before], named: frozenset[str]) -> list[Before]:
    """What shares at least half of what is named: by their values; else the latest whose sentence has it all. What
    else that sentence states in the same words ends with it.
    """
    found = [one for one in among if 2 * len(_shared(named, _naming(one.statement.value))) >= len(named)]
    if not found:
        found = [one for one in among if len(_shared(named, _naming(one.statement.words))) == len(named)][:1]
    ended = {one.statement.words: _naming(one.statement.value) for one in found}
    return [
        one
        for one in among
        if one in found or not _naming(one.statement.value).isdisjoint(ended.get(one.statement.words, ()))
    ]


def _latest(among: Sequence[Before], kinds: frozenset[str]) -> list[Before]:
    """The statements of these kinds in the latest message that has any."""
    fitting = [one for one in among if one.kind in kinds]
    return [one for one in fitting if one.position == fitting[0].position]
