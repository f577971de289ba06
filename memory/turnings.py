"""Turns in somebody's work: "I quit my job", "I work as a gardener now" end what was; "a second job" does not.

Work is filed as what can be several at a time, so a statement alone ends nothing. What ends it is how it is said;
that is read here, beside the statement. Patterns and words are data (``turnings.toml``).
"""

import re
from collections.abc import Iterable
from functools import cache

import msgspec

from memory import data
from memory.statements_kinds import Statement
from memory.statements_values import said_as
from memory.text import sentences

WHOLE = "job"
"""Denied, it stands for all the work there was (``facts.toml``, wide)."""


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    over: tuple[str, ...]
    changed: tuple[str, ...]
    now: str
    beside: str
    not_said: str
    as_what: str
    at_whom: str
    als_was: str


class _Read(msgspec.Struct, frozen=True):
    over: re.Pattern[str]
    changed: re.Pattern[str]
    now: frozenset[str]
    beside: frozenset[str]
    not_said: frozenset[str]
    values: tuple[tuple[str, re.Pattern[str]], ...]


@cache
def _table() -> _Read:
    table: _Table = data.table("turnings.toml", _Table)
    return _Read(
        over=re.compile("|".join(table.over)),
        changed=re.compile("|".join(table.changed)),
        now=frozenset(table.now.split()),
        beside=frozenset(table.beside.split()),
        not_said=frozenset(table.not_said.split()),
        values=(
            ("job", re.compile(table.as_what)),
            ("employer", re.compile(table.at_whom)),
            ("job", re.compile(table.als_was)),
        ),
    )


def turned(text: str, read: Iterable[Statement]) -> list[Statement]:
    """The statements of a message, with what a turn in the person's work ends, and begins, put first."""
    statements = list(read)
    told = [sentence for sentence in sentences(text) if _told(sentence)]
    over = [each for each in told if _table().over.search(each.lower())]
    changed = [each for each in told if each not in over and _table().changed.search(each.lower())]
    now = [] if over or changed else [each for each in statements if _taking_over(each, told)]
    if not over and not changed and not now:
        return statements
    kept = [each for each in statements if not (_own_work(each) and _among(each.words, over))]
    attributes = dict.fromkeys(each.attribute for each in now) or ("job", "employer")
    words = (over or changed or [now[0].words])[0]
    return [*(_ended(attribute, words) for attribute in attributes), *kept, *_begun(changed, kept)]


def _told(sentence: str) -> bool:
    """Whether it tells of what is, and of the person's one and only work."""
    table = _table()
    return not sentence.endswith("?") and not _words(sentence) & (table.not_said | table.beside)


def _taking_over(statement: Statement, told: list[str]) -> bool:
    """Whether it says what the person works as now, and so no longer as before."""
    return _own_work(statement) and any(
        _words(sentence) & _table().now and _among(statement.words, [sentence]) for sentence in told
    )


def _words(sentence: str) -> set[str]:
    return set(re.findall(r"[\w'-]+", sentence.lower()))


def _own_work(statement: Statement) -> bool:
    return (
        statement.kind == "work"
        and statement.subject == "user"
        and not statement.negated
        and statement.tense == "present"
    )


def _among(words: str, said: list[str]) -> bool:
    """Whether a statement's words are in one of the sentences."""
    return bool(words) and any(
        words.strip(" .!") in sentence or sentence.strip(" .!") in words for sentence in said
    )


def _ended(attribute: str, words: str) -> Statement:
    return Statement(kind="work", value=WHOLE, negated=True, attribute=attribute, words=words)


def _begun(changed: list[str], read: list[Statement]) -> list[Statement]:
    """The new work, where it was not read as a statement already."""
    if any(_own_work(each) for each in read):
        return []
    found: list[Statement] = []
    for sentence in changed:
        for attribute, pattern in _table().values:
            match = pattern.search(sentence.lower())
            if match is not None:
                value = said_as(match["v"].strip(), sentence)
                found.append(Statement(kind="work", value=value, attribute=attribute, words=sentence))
    return found
