"""Bare answers: what "Yes, peanuts." says depends on what was asked.

The companion's question only lends the answer its kind; the words are the person's, so a question answered
with no states nothing but that, and one that is not answered states nothing at all: who passes over it
("Traffic was bad today.") has said nothing of what was asked.
"""

import re
from functools import cache
from typing import Literal

import msgspec

from memory import data
from memory.statements_kinds import StatementKind
from memory.statements_values import is_nothing
from memory.statements_words import known_words
from memory.text import folded, sentences, words


class _Asking(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: StatementKind
    pattern: str
    attribute: str = ""
    of: str = (
        ""  # groups of words (statements_words.toml) by which it is chosen where a question asks for several
    )


class _Turning(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pattern: str
    into: str


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    yes: str
    no: str
    most_words: int
    claim: str
    remark: str
    asking: tuple[_Asking, ...]
    turning: tuple[_Turning, ...]


class Answer(msgspec.Struct, frozen=True):
    """What a bare answer comes to: values of a kind, or a whole sentence to be read in its place."""

    kind: StatementKind | None = None
    attribute: str = ""
    value: str = ""
    denied: bool = False
    sentence: str = ""
    affirmed: bool = False


@cache
def _table() -> _Table:
    found: _Table = data.table("statements_answers.toml", _Table)
    return found


@cache
def _regex(source: str) -> re.Pattern[str]:
    return re.compile(source)


def _question(asked: str) -> str:
    """The last question of what the companion said, folded; empty when it asked nothing."""
    asking = [sentence for sentence in sentences(asked) if sentence.rstrip("\"') ").endswith("?")]
    return folded(asking[-1]) if asking else ""


def _turned(question: str) -> str:
    """The question as a sentence of the person ("do you like swimming?": "i like swimming")."""
    for turning in _table().turning:
        if found := _regex(turning.pattern).search(question):
            return found.expand(turning.into)
    return ""


@cache
def _leading(name: Literal["yes", "no", "claim"]) -> re.Pattern[str]:
    """One of the table's lists of words at the beginning, and the marks after it."""
    words: str = getattr(_table(), name)
    return re.compile(rf"^(?:{words})\b[ ,.!:-]*")


def claiming(question: str) -> bool:
    """Whether a question only claims something of the person ("you love jazz, don't you?")."""
    return bool(_leading("claim").match(question))


@cache
def _remark() -> re.Pattern[str]:
    return _regex(_table().remark)


def _meant(question: str, said: str) -> _Asking | None:
    """What ``question`` asks for; of several kinds the one that a word of what is ``said`` belongs to, or the first."""
    possible = [asking for asking in _table().asking if _regex(asking.pattern).search(question)]
    if len(possible) > 1:
        known = known_words().groups_of(words(said))
        possible.sort(key=lambda asking: known.isdisjoint(asking.of.split()))
    return possible[0] if possible else None


def answered(text: str, asked: str) -> Answer | None:
    """What ``text`` answers to the question that ``asked`` ends with; ``None`` when that cannot be told."""
    table = _table()
    said = folded(text).strip(" .!…")
    if "?" in said or len(said.split()) > table.most_words:
        return None
    question = _question(asked)
    if not question or claiming(question):
        return None
    yes, no = _leading("yes").match(said), _leading("no").match(said)
    led = yes or no
    rest = said[led.end() :] if led else said
    turned = _turned(question)
    if asking := _meant(question, rest):
        if no or is_nothing(rest):
            return Answer(asking.kind, asking.attribute, rest if rest and not no else "", denied=True)
        if rest:
            if not yes and _remark().search(rest):
                return None
            return Answer(asking.kind, asking.attribute, rest, affirmed=yes is not None)
        return Answer(sentence=turned) if yes and turned else None
    if yes and turned:
        return Answer(sentence=turned)
    return Answer(sentence=turned, denied=True) if no and turned else None
