"""Facts: what holds of a person, each with the messages that say so.

Somebody proposes (a statement read here, a model, the person's own command), code decides, on the same
subject and attribute: a new value ends the old one where only one can hold, is added where several can, and
is a mention where it is known. Only the person's own words ground a fact; what the companion claims never
does. What the person edited is never overwritten: a later statement against it waits until they decide
(decision D19).
"""

from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

from memory.statements import Statement, StatementKind, last_mentioned, read_statements, takes_back
from memory.statements_ends import core, ends, rules, same
from memory.statements_senses import never_said
from memory.statements_subjects import is_pronoun
from memory.text import folded
from memory.turnings import turned

Scheme: TypeAlias = Literal["wellness", "desktop", "plain"]
"""How facts are filed: the seven categories of the wellness companion, the six of the desktop one, or by
kind.
"""

Status: TypeAlias = Literal["active", "superseded", "retracted"]

_PAST = "past_"
_PAST_KEPT: frozenset[StatementKind] = frozenset({"work", "place", "condition"})


class Fact(msgspec.Struct, frozen=True):
    """One thing that holds or held of ``subject``; ``evidence`` names the person's messages that say so."""

    subject: str
    attribute: str
    value: str
    category: str
    status: Status
    evidence: tuple[str, ...]
    kind: StatementKind


class HeldFact(msgspec.Struct, frozen=True):
    """A stored, active fact as the decision needs it. ``edited`` facts were made or changed by the person."""

    id: str
    statement: Statement
    edited: bool = False


class Add(msgspec.Struct, frozen=True, tag=True):
    """It is new: keep it, and end the facts ``superseded``, which it replaces."""

    superseded: tuple[str, ...] = ()


class Mention(msgspec.Struct, frozen=True, tag=True):
    """It is known: count another mention of ``fact``."""

    fact: str


class Retract(msgspec.Struct, frozen=True, tag=True):
    """It takes back or ends ``facts`` and is no fact itself; ``never_true`` when the person denies having
    said it.
    """

    facts: tuple[str, ...]
    never_true: bool


class Wait(msgspec.Struct, frozen=True, tag=True):
    """It goes against ``facts``, which the person edited: it waits as a proposal and is shown."""

    facts: tuple[str, ...]


class Ignore(msgspec.Struct, frozen=True, tag=True):
    """It says nothing that could be kept (a denial of what was never held)."""


Decision: TypeAlias = Add | Mention | Retract | Wait | Ignore


def _known(active: Sequence[HeldFact], proposed: Statement) -> HeldFact | None:
    """The active fact that already says what is proposed."""
    for held in active:
        one = held.statement
        alike = (one.kind, one.subject.lower()) == (proposed.kind, proposed.subject.lower())
        filed = one.attribute == proposed.attribute or one.kind not in {"preference", "relation"}
        if alike and filed and same(one.value, proposed.value):
            return held
    return None


def supersede(active: Sequence[HeldFact], proposed: Statement, *, by_person: bool = False) -> Decision:
    """What ``proposed`` does to the ``active`` facts of one person.

    ``by_person`` says that it is the person's own edit or command, which alone may go against an edited fact.
    """
    ended = [held for held in active if ends(proposed, held.statement)]
    locked = [held for held in ended if held.edited]
    if locked and not by_person:
        return Wait(tuple(held.id for held in locked))
    if proposed.negated:
        if not ended:
            return Ignore()
        return Retract(tuple(held.id for held in ended), takes_back(proposed.words))
    known = _known(active, proposed)
    if known is not None and known not in ended:
        return Mention(known.id)
    return Add(tuple(held.id for held in ended))


def category(kind: StatementKind, scheme: Scheme) -> str:
    """The category of a kind of statement in ``scheme``."""
    return rules().categories.get(scheme, {}).get(kind, kind)


class _Ledger:
    """The facts of a dialogue while it is read, in the order in which they were said."""

    def __init__(self, scheme: Scheme) -> None:
        self.scheme: Scheme = scheme
        self.facts: dict[str, Fact] = {}
        self.active: dict[str, HeldFact] = {}

    def take(self, message_id: str, statement: Statement) -> None:
        decision = supersede(list(self.active.values()), statement)
        match decision:
            case Add(superseded=ended):
                self._end(ended, "superseded")
                self._add(message_id, statement)
            case Mention(fact=fact):
                kept = self.facts[fact]
                if message_id not in kept.evidence:
                    self.facts[fact] = msgspec.structs.replace(kept, evidence=(*kept.evidence, message_id))
            case Retract(facts=ended, never_true=never):
                self._end(ended, "retracted" if never else "superseded")
            case Wait() | Ignore():
                pass

    def deny(self, claim: str) -> None:
        """The person says that what the companion has just claimed was never said: nothing of it is kept."""
        claimed = core(claim)
        gone = [fact for fact, held in self.active.items() if core(held.statement.value) <= claimed]
        self._end(gone, "retracted")

    def _end(self, facts: Sequence[str], status: Status) -> None:
        for fact in facts:
            self.facts[fact] = msgspec.structs.replace(self.facts[fact], status=status)
            del self.active[fact]

    def _add(self, message_id: str, statement: Statement) -> None:
        key = f"{len(self.facts)}"
        kept = kept_as(statement)
        filed = category(kept.kind, self.scheme)
        fact = Fact(kept.subject, kept.attribute, kept.value, filed, "active", (message_id,), kept.kind)
        self.facts[key] = fact
        self.active[key] = HeldFact(key, kept)


def kept_as(statement: Statement) -> Statement:
    """How a statement is kept: what held in the past is filed apart from what holds."""
    past = statement.tense == "past" and statement.kind in _PAST_KEPT
    if not past or statement.attribute.startswith(_PAST):
        return statement
    return msgspec.structs.replace(statement, attribute=f"{_PAST}{statement.attribute}")


def worth_keeping(statement: Statement) -> bool:
    """Whether a statement can be a fact: what it says is known, and of whom."""
    if is_pronoun(statement.subject.lower()):
        return False
    if statement.tense == "past" and not statement.negated:
        return statement.kind == "life_event" or statement.kind in _PAST_KEPT
    return statement.negated or bool(statement.value)


def facts_from(messages: Sequence[tuple[str, str, str]], scheme: Scheme | None = "plain") -> tuple[Fact, ...]:
    """The facts that ``messages`` (id, role, text; oldest first) state, with what superseded what.

    Nothing where ``scheme`` is ``None``: the policy keeps no facts.
    """
    if scheme is None:
        return ()
    ledger = _Ledger(scheme)
    for said in said_in(messages):
        match said:
            case Said(message=message, statement=statement):
                ledger.take(message, statement)
            case Denied(claim=claim):
                ledger.deny(claim)
    return tuple(ledger.facts.values())


def stated(text: str) -> tuple[Statement, ...]:
    """What a text that stands alone states, as far as it can be kept or ends what is kept."""
    return tuple(each for each in turned(text, read_statements(text)) if worth_keeping(each))


class Said(msgspec.Struct, frozen=True):
    """A statement of the person that can be a fact, or can end one, and the message it is in."""

    message: str
    statement: Statement


class Denied(msgspec.Struct, frozen=True):
    """The person says in ``message`` that they never said what the companion had just claimed."""

    message: str
    claim: str


def said_in(messages: Sequence[tuple[str, str, str]]) -> Iterator[Said | Denied]:
    """What the person's words in ``messages`` (id, role, text; oldest first) say for facts, in order."""
    asked: str | None = None
    other: str | None = None
    for message_id, role, text in messages:
        if role != "user":
            asked = text
            continue
        if asked and never_said(folded(text)):
            yield Denied(message_id, asked)
        for statement in turned(text, read_statements(text, asked, other)):
            if worth_keeping(statement):
                yield Said(message_id, statement)
        asked, other = None, last_mentioned(text, other)
