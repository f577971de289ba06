"""Whose a statement is: the person's own, or someone else's.

The words before a match are walked backwards over helpers ("is still", "has always been") to the nearest
one that can be a subject. A stretch whose grammatical subject is some thing ("the hero is allergic") states
nothing about anybody here.
"""

from collections.abc import Sequence
from functools import cache

import msgspec

from memory import data
from memory.statements_words import known_words


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    speaker: str
    listener: str
    others: str
    everyone: str
    nominative: str
    articles: str
    verbs: str
    characters: str
    helpers: str
    of_one: str
    says: str
    joins: str
    addressed: str
    same: dict[str, str]


class _Sets(msgspec.Struct, frozen=True):
    speaker: frozenset[str]
    listener: frozenset[str]
    others: frozenset[str]
    everyone: frozenset[str]
    nominative: frozenset[str]
    articles: frozenset[str]
    verbs: frozenset[str]
    characters: frozenset[str]
    helpers: frozenset[str]
    of_one: frozenset[str]
    says: frozenset[str]
    joins: frozenset[str]
    addressed: frozenset[str]
    same: dict[str, str]


class Whose(msgspec.Struct, frozen=True):
    """The subject found: ``name`` is ``user``, a name or a relation, ``None`` when nobody here is meant.

    ``explicit`` is false when no subject stood there and the speaker, or the one before, is assumed. ``at``
    is the number of words before the subject's last word.
    """

    name: str | None
    explicit: bool
    at: int


_SUBJECT_WITHIN = 2
"""A name is a subject only among the first words of a sentence."""
_PEOPLE = frozenset({"relation", "name"})

_RELATIVE = frozenset({"who", "whose", "that"})
_OWN = frozenset({"i", "we", "me", "us", "my", "our"})


@cache
def _sets() -> _Sets:
    table = data.table("statements_subjects.toml", _Table)
    return _Sets(
        frozenset(table.speaker.split()),
        frozenset(table.listener.split()),
        frozenset(table.others.split()),
        frozenset(table.everyone.split()),
        frozenset(table.nominative.split()),
        frozenset(table.articles.split()),
        frozenset(table.verbs.split()),
        frozenset(table.characters.split()),
        frozenset(table.helpers.split()),
        frozenset(table.of_one.split()),
        frozenset(table.says.split()),
        frozenset(table.joins.split()),
        frozenset(table.addressed.split()),
        table.same,
    )


def is_relation(word: str) -> bool:
    """Whether ``word`` names a relation (sister, colleague, dog)."""
    return "relation" in known_words().of(word)


def is_name(word: str) -> bool:
    """Whether ``word`` is a well-known first name."""
    return "name" in known_words().of(word)


def is_pronoun(word: str) -> bool:
    """Whether ``word`` only points at somebody else (he, their)."""
    return word in _sets().others


def relation(word: str) -> str:
    """One word for a relation that is called by several (mum: mother)."""
    return _sets().same.get(word, word)


def _named(word: str, names: frozenset[str]) -> bool:
    if is_relation(word) or not word.isalpha():
        return False
    return is_name(word) or (word in names and not known_words().of(word))


def whose(before: Sequence[str], names: frozenset[str], carried: str | None, other: str | None) -> Whose:
    """Whose a statement is, from the words before it.

    ``names`` are the words written with a capital inside the sentence, ``carried`` the subject of the stretch
    before in the same sentence, ``other`` the last person mentioned who is not the speaker.
    """
    sets = _sets()
    blocked = False
    for at in range(len(before) - 1, -1, -1):
        word = before[at]
        if word in sets.speaker and (not blocked or word in sets.nominative):
            return Whose("user", True, at + 1)
        if is_relation(word) and (not blocked or at <= 1):
            return Whose(relation(word), True, at + 1)
        if word in sets.others and not blocked:
            return Whose(other or word, True, at + 1)
        if word in sets.listener or word in sets.everyone:
            return Whose(None, True, at + 1)
        if not blocked and _named(word, names):
            return Whose(word, True, at + 1)
        if word not in sets.helpers and word not in {"'s", ","}:
            if not blocked and at and before[at - 1] in sets.articles and before[-1] in sets.verbs:
                return Whose(None, True, at + 1)  # "the hero is allergic": some thing or character
            blocked = True
    return Whose(None, True, 0) if blocked else Whose(carried or "user", False, 0)


def who_is_told_of(before: Sequence[str], said: Sequence[str], names: frozenset[str]) -> str | None:
    """Whom a stretch that begins with "who" and those after it are about ("my brother, who I live with, is …")."""
    if said[0] not in _RELATIVE or not before:
        return None
    if is_relation(before[-1]):
        return relation(before[-1])
    return before[-1] if _named(before[-1], names) and is_name(before[-1]) else None


def of_one(word: str) -> bool:
    """Whether ``word`` is a verb that nobody uses of themselves (is, hat, tiene)."""
    return word in _sets().of_one


def without_aside(before: list[str], match: str) -> list[str]:
    """``before`` without what is told of a person in passing, where the verb after it cannot be the speaker's ("my
    mate who I train with has …").
    """
    for at, word in enumerate(before):
        if at and word in _RELATIVE and is_relation(before[at - 1]):
            told = reversed((*before[at + 1 :], match.split(" ", 1)[0]))
            verb = next((one for one in told if one in _sets().of_one or one in _OWN), "")
            return before[:at] if verb in _sets().of_one else before
    return before


def first_person_or(said: Sequence[str], names: frozenset[str], other: str | None) -> str | None:
    """Whom a whole sentence is about: the first person it names, the speaker when it names nobody.

    ``None`` when its first words speak of the listener, of people at large, or of some character.
    """
    sets = _sets()
    for at, word in enumerate(said):
        if word in sets.listener or (word in sets.everyone and word not in {"one", "ones"}):
            return None
        if (is_relation(word) or word in sets.others) and not _sets().says.isdisjoint(said[at + 1 : at + 2]):
            continue  # "she said no jumping"
        if is_relation(word) and not _with_me(said, at):
            ahead = said[at + 1] if at + 1 < len(said) else ""
            return ahead if ahead and _named(ahead, names) else relation(word)
        if word in sets.others and word != "they":
            return other
        if at < _SUBJECT_WITHIN and _named(word, names) and is_name(word):
            return word
        if word in sets.speaker and not any(map(is_relation, said[at + 1 : at + 3])):
            return "user"
    return None if said[0] in sets.characters else "user"


def _with_me(said: Sequence[str], at: int) -> bool:
    """Whether the relation at a place is only addressed ("Coach, I …"), or does something with the speaker ("dad and
    me", "me and my dad").
    """
    after = said[at + 1 : at + 3]
    if len(after) == 2 and (after[0] in _sets().joins and after[1] in _OWN):
        return True
    if at == 0 and after and (after[0] in _OWN or after[0] == ","):
        return said[0] in _sets().addressed
    return (
        at > 1
        and said[at - 1] in _sets().joins | {"my"}
        and not {*said[max(0, at - 3) : at]}.isdisjoint({"me", "myself"})
    )


def inside(said: str, names: frozenset[str], other: str | None) -> Whose:
    """Whose a statement is when its subject stands inside the match ("gives my daughter hives")."""
    words = said.split()
    if not words:
        return Whose("user", False, 0)
    if len(words) > 1 and words[0] in _sets().speaker and not is_relation(words[-1]):
        return Whose("user", True, 0)
    return whose(words, names, None, other)


def mentioned(said: Sequence[str], names: frozenset[str], other: str | None) -> str | None:
    """The last person in ``said`` who is not the speaker, else ``other``."""
    found = other
    for at, groups in enumerate(map(known_words().of, said)):
        if not groups or _PEOPLE.isdisjoint(groups):
            continue
        word = said[at]
        if "relation" in groups:
            ahead = said[at + 1] if at + 1 < len(said) else ""
            found = ahead if ahead and _named(ahead, names) else relation(word)
        elif (word in names or word == said[0]) and not (at and is_relation(said[at - 1])):
            found = word
    return found
