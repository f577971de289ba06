"""Tier 2 of the coach: earlier messages that state something the current one needs to know.

Not the same words bring a message back but what it states: a request about food needs allergies and diets,
one about sport injuries and limits. Statements are read once, when they are said; a recall only compares
topics. What was superseded, and what is true of somebody else, stays away. A message that touches nothing
important brings back nothing: there are no random old messages (the coach's memory design, scenario 4;
decision D12).
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import msgspec

from memory.recall_topics import Asked, Needs, Reader, default_needs, default_reader, need
from memory.statements import (
    SAFETY,
    Sentences,
    Statement,
    StatementKind,
    last_mentioned,
    own_sentences,
    read_statements,
    read_widely,
)
from memory.statements_ends import core
from memory.statements_held import Held
from memory.statements_subjects import is_relation

__all__ = [
    "Needs",
    "Recalled",
    "Remembered",
    "Stated",
    "default_needs",
    "recall",
    "recall_batch",
    "stated",
    "stated_by",
    "suggested",
]

WORKING = 10
"""Messages of tier 1, always in the context and so never recalled (the coach's memory design)."""
_PLAINLY = 0.9
"""How much what is only told of must need an allergy for it to come back (decision D12 keeps food allergies)."""


class Stated(msgspec.Struct, frozen=True):
    """An earlier message of the person and what it states, read when it was said."""

    message_id: str
    position: int
    statements: tuple[Statement, ...]
    text: str


class Recalled(msgspec.Struct, frozen=True):
    """A message to bring back, why (topic and kind), and whether a budget may never drop it."""

    message_id: str
    score: float
    why: str
    safety: bool


class _Entry(msgspec.Struct, frozen=True):
    number: int
    stated: Stated
    statement: Statement
    groups: frozenset[str]
    core: frozenset[str]


_Alike: TypeAlias = tuple[StatementKind, frozenset[str]]
"""What a topic's need of a statement depends on: its kind, and the groups that make a difference."""


class Remembered:
    """What a person has stated so far, ready to be recalled from; grows by one message at a time.

    Reading a statement's groups and what it ends is done when it is added, so that a recall in a history of
    thousands of messages costs a few comparisons for each statement that still holds.
    """

    def __init__(self, earlier: Iterable[Stated] = (), needs: Needs | None = None) -> None:
        self._reader = Reader(needs) if needs is not None else default_reader()
        self._held = Held()
        self._entries: dict[_Alike, dict[int, _Entry]] = {}
        self._alike: dict[int, _Alike] = {}
        for stated in sorted(earlier, key=lambda one: one.position):
            self.add(stated)

    def add(self, stated: Stated) -> None:
        """Take in what the person's newest message states."""
        for statement in stated.statements:
            number, ended = self._held.add(statement)
            for gone in ended:
                if (alike := self._alike.pop(gone, None)) is not None:
                    del self._entries[alike][gone]
            if _can_return(statement, bool(ended)):
                groups = self._reader.groups(statement)
                alike = (statement.kind, self._reader.telling(statement, groups))
                self._alike[number] = alike
                entry = _Entry(number, stated, statement, groups, core(statement.value))
                self._entries.setdefault(alike, {})[number] = entry

    def recall(self, query: str, limit: int = 3, before: int | None = None) -> tuple[Recalled, ...]:
        """The messages that ``query`` needs, best first, at most ``limit``; usually none.

        Only messages at positions below ``before`` come back; what later ones ended still stays away.
        """
        asked = self._reader.asked(query)
        if asked is None:
            return ()
        best: dict[str, tuple[float, int, Recalled]] = {}
        for entry, weight, why in self._touched(asked):
            if before is not None and entry.stated.position >= before:
                continue
            score = _score(entry, weight, asked, self._reader.needs)
            message = entry.stated.message_id
            if score < self._reader.needs.floor or (message in best and best[message][0] >= score):
                continue
            kind = entry.statement.kind
            found = Recalled(message, round(score, 3), f"{why}: {kind}", kind in SAFETY)
            best[message] = (score, entry.stated.position, found)
        ranked = sorted(best.values(), key=lambda one: (-one[0], not one[2].safety, -one[1]))
        return tuple(one[2] for one in ranked[:limit])

    def _touched(self, asked: Asked) -> list[tuple[_Entry, float, str]]:
        """The entries that a topic needs, or that are named and matter for safety, in the order they were added.

        Entries of one kind that belong to the same groups are needed alike, so that is worked out once for them.
        """
        found: list[tuple[_Entry, float, str]] = []
        for (kind, groups), entries in self._entries.items():
            weight, why = _need(kind, groups, asked)
            if weight:
                found += [(entry, weight, why) for entry in entries.values()]
            elif kind in SAFETY:
                named = (entry for entry in entries.values() if not asked.words.isdisjoint(entry.core))
                found += [(entry, weight, why) for entry in named]
        return sorted(found, key=lambda one: one[0].number)


def _can_return(statement: Statement, ended: bool) -> bool:
    """Whether a statement is worth a recall: what holds now, and a denial only when it ended something."""
    if statement.negated:
        return ended or statement.kind == "equipment"
    return statement.tense != "past" or statement.kind in {"life_event", "condition"}


def _need(kind: StatementKind, groups: frozenset[str], asked: Asked) -> tuple[float, str]:
    """How much what was asked needs such a statement, and the topic that needs it most."""
    best, why = 0.0, "named"
    for topic in asked.topics:
        weight = need(topic, kind, groups)
        if weight > best:
            best, why = weight, topic.name
    return best, why


def _score(entry: _Entry, weight: float, asked: Asked, needs: Needs) -> float:
    """The score of a statement that what was asked needs by ``weight``."""
    named = not asked.words.isdisjoint(entry.core)
    if asked.tells and not named and (entry.statement.kind != "allergy" or weight < _PLAINLY):
        return 0.0
    best = _near(weight, entry, asked, needs)
    if named and (best or entry.statement.safety):
        best += needs.named_bonus
    return _whose(entry.statement, asked, needs, best)


def _near(score: float, entry: _Entry, asked: Asked, needs: Needs) -> float:
    """The score with regard to the part of the body: a movement that spares it matters less."""
    if not asked.regions or entry.statement.kind not in {"injury", "limit"}:
        return score
    hurt = entry.groups & {"lower", "upper", "trunk"}
    if not hurt:
        return score
    return score + 0.1 if score and hurt & asked.regions else score * needs.elsewhere


def _whose(statement: Statement, asked: Asked, needs: Needs, score: float) -> float:
    """The score with regard to whom the statement is about: somebody else only when the message is too."""
    subject = statement.subject.lower()
    if subject == "user":
        return score * needs.own_aside if asked.aside else score
    if subject in asked.people:
        return score + needs.other_bonus if score else 0.0
    if asked.aside and is_relation(subject):
        return score
    return score * needs.household if asked.household and is_relation(subject) else 0.0


def recall(
    query: str, earlier: Sequence[Stated], limit: int = 3, needs: Needs | None = None
) -> tuple[Recalled, ...]:
    """The messages of ``earlier`` that ``query`` needs, best first, at most ``limit``; usually none.

    ``earlier`` holds the person's messages in any order; those that state nothing may be left out. For more
    than one recall over a growing history keep a ``Remembered``.
    """
    return Remembered(earlier, needs).recall(query, limit)


def stated(
    message_id: str, position: int, text: str, asked: str | None = None, other: str | None = None
) -> Stated | None:
    """What a message of the person states, read for recall: also what only its words' company suggests.

    ``asked`` is what the companion said just before, ``other`` whom the person mentioned last. ``None``
    when the message states nothing.
    """
    said = own_sentences(text)
    sure = read_statements(said, asked, other)
    every = (*sure, *suggested(said, sure, other))
    return Stated(message_id, position, every, text) if every else None


def suggested(said: Sentences, sure: Sequence[Statement], other: str | None = None) -> tuple[Statement, ...]:
    """What only the company of its words suggests, of kinds that are not among what is ``sure``: for recall alone."""
    kinds = {one.kind for one in sure}
    return tuple(one for one in read_widely(said, other) if one.kind not in kinds)


def stated_by(messages: Sequence[tuple[str, str, str]]) -> list[Stated]:
    """What the person states in ``messages`` (id, role, text; oldest first), without those that state
    nothing.
    """
    found: list[Stated] = []
    asked: str | None = None
    other: str | None = None
    for position, (message_id, role, text) in enumerate(messages):
        if role != "user":
            asked = text
            continue
        if one := stated(message_id, position, text, asked, other):
            found.append(one)
        asked, other = None, last_mentioned(text, other)
    return found


def recall_batch(messages: Sequence[tuple[str, str, str]], query: str, limit: int = 3) -> list[str]:
    """What tier 2 adds for ``query`` beyond the last ten of ``messages`` (id, role, text; oldest first)."""
    remembered = Remembered(stated_by(messages))
    return [one.message_id for one in remembered.recall(query, limit, before=len(messages) - WORKING)]
