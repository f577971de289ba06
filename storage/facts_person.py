"""The person's hold on what is remembered: they add, put right, pin, forget, and take their last change back.

Each of these keeps what it replaced, so that it can be taken back once; what was forgotten is kept for that
alone, until their next change or for a day.
"""

import sqlite3
from collections.abc import Sequence
from typing import assert_never

import msgspec

from companions.changes import Landed, Outcome, Refused
from companions.fact_changes import (
    NOTE,
    FactAdded,
    FactEdited,
    FactPinned,
    FactsForgotten,
    Keeping,
    MemoryUndone,
    PersonsChange,
    SummaryEdited,
    SummaryForgotten,
)
from memory.facts import Add, HeldFact, Mention, Retract, supersede
from memory.statements_ends import core
from memory.statements_kinds import Statement
from memory.text import folded
from storage.facts import Fact, fact_of, facts_of
from storage.facts_held import End, Evidence, New, end, keep, mention, source
from storage.facts_removed import settle, take
from storage.facts_undo import Before, Undo, put_back
from storage.forgetting import mark, marks_of
from storage.memories import CONFLICT, changed, keep_undo, outdated, remembering, undo_of
from storage.removing import withdraw_results
from storage.rows import Row
from storage.summaries_person import summary_edited, summary_forgotten

UNKNOWN = Refused("memory.unknown")
FULL = Refused("policy.refused")


def by_person(db: sqlite3.Connection, change: PersonsChange) -> Outcome:
    """Do what the person wants with what is remembered of them, or refuse and change nothing."""
    if outdated(db, change, change.expects):
        return CONFLICT
    if isinstance(change, MemoryUndone):
        return _undone(db, change)
    before = Before(db, change)
    outcome = _done(db, change)
    if not isinstance(outcome, Landed):
        return outcome
    settle(db, change)
    undo = before.against(db, change)
    if undo.items or undo.marks:
        changed(db, change)
        keep_undo(db, change, msgspec.msgpack.encode(undo))
    return outcome


def _done(
    db: sqlite3.Connection,
    change: FactAdded | FactEdited | FactPinned | FactsForgotten | SummaryEdited | SummaryForgotten,
) -> Outcome:
    match change:
        case FactAdded():
            return _added(db, change)
        case FactEdited():
            return _edited(db, change)
        case FactPinned():
            return _pinned(db, change)
        case FactsForgotten():
            return _forgotten(db, change)
        case SummaryEdited():
            return summary_edited(db, change)
        case SummaryForgotten():
            return summary_forgotten(db, change)
        case _:
            assert_never(change)


# ---------------------------------------------------------------- remember this


def _added(db: sqlite3.Connection, change: FactAdded) -> Outcome:
    """In a talk what cannot be kept is let be: the message lands all the same."""
    if not remembering(db, user=change.user, companion=change.companion):
        return FULL if change.message is None else Landed()
    evidence = _evidence(db, change)
    if change.message is not None and (not evidence or _forgotten_since(db, change, evidence)):
        return Landed()
    facts = facts_of(db, user=change.user, companion=change.companion)
    known = _known(facts, change)
    if known is not None:
        _mention(db, change, known, evidence)
        return Landed()
    ended = _ended(facts, change)
    full = change.keeping.hard_limit is not None and len(facts) >= change.keeping.hard_limit
    if full and not ended:
        return FULL if change.message is None else Landed()
    _keep(db, change, evidence)
    stored = _said(db, change.fact)
    for fact in ended:
        end(db, fact, End(said=stored, at=change.at, by=change.fact))
    return Landed()


def _forgotten_since(db: sqlite3.Connection, change: FactAdded, evidence: tuple[Evidence, ...]) -> bool:
    """A message that comes again does not bring back what was forgotten after it."""
    about = change.statement or Statement(kind="identity", value=change.text)
    until = marks_of(db, user=change.user, companion=change.companion).forgotten_until(about)
    return evidence[-1].said < until


def _evidence(db: sqlite3.Connection, change: FactAdded) -> tuple[Evidence, ...]:
    if change.message is None:
        return ()
    rows: list[Row] = db.execute(
        """
        SELECT stored, at, id FROM messages
        WHERE id = ? AND user_id = ? AND companion = ? AND role = 'user' AND removed = 0
        """,
        (change.message, change.user, change.companion),
    ).fetchall()
    return tuple(Evidence(said, at, message) for said, at, message in rows)


def added_fact(db: sqlite3.Connection, change: FactAdded) -> Fact:
    """The fact that an addition came to: a new one, or the one that said it already."""
    found = fact_of(db, user=change.user, companion=change.companion, id=change.fact)
    if found is not None:
        return found
    known = _known(facts_of(db, user=change.user, companion=change.companion), change)
    assert known is not None  # it was not kept because it is known
    return known


def _known(facts: Sequence[Fact], change: FactAdded) -> Fact | None:
    """The same words, in whatever case; or a fact that states the same."""
    for fact in facts:
        if fact.status == "active" and folded(fact.value) == folded(change.text):
            return fact
    if change.statement is None or change.statement.negated:
        return None
    decision = supersede(_held(facts), change.statement, by_person=True)
    if not isinstance(decision, Mention):
        return None
    return next(fact for fact in facts if fact.id == decision.fact)


def _ended(facts: Sequence[Fact], change: FactAdded) -> tuple[str, ...]:
    if change.statement is None:
        return ()
    decision = supersede(_held(facts), change.statement, by_person=True)
    match decision:
        case Add(superseded=gone) | Retract(facts=gone):
            return gone
        case _:
            return ()


def _held(facts: Sequence[Fact]) -> list[HeldFact]:
    found = [fact.held for fact in facts if fact.status == "active"]
    return [held for held in found if held is not None]


def _mention(db: sqlite3.Connection, change: FactAdded, fact: Fact, evidence: tuple[Evidence, ...]) -> None:
    """It is known: now the person has asked for it, and one is as sure as of what they ask for."""
    mention(db, change, fact.id, evidence)
    sure = change.keeping.explicit
    db.execute("UPDATE facts SET began = MAX(began, ?), enabled = 1 WHERE id = ?", (sure, fact.id))
    if change.message is None:
        source(db, change, fact.id, ("command", change.source))


def _keep(db: sqlite3.Connection, change: FactAdded, evidence: tuple[Evidence, ...]) -> None:
    stated = change.statement is not None and not change.statement.negated
    statement = Statement(kind="identity", value=change.text, attribute=NOTE)
    if change.statement is not None and stated:
        statement = msgspec.structs.replace(change.statement, value=change.text)
    new = New(
        id=change.fact,
        statement=statement,
        kind=statement.kind if stated else "note",
        category=change.category,
        language=change.language,
        origin="said",
        status="active",
        began=change.keeping.explicit,
        evidence=evidence,
        source=None if change.message is not None else ("command", change.source),
    )
    keep(db, change, new, change.keeping)


def _said(db: sqlite3.Connection, fact: str) -> int:
    row: tuple[int] = db.execute("SELECT said FROM facts WHERE id = ?", (fact,)).fetchone()
    return row[0]


# ---------------------------------------------------------------- put right, pin


def _edited(db: sqlite3.Connection, change: FactEdited) -> Outcome:
    fact = fact_of(db, user=change.user, companion=change.companion, id=change.fact)
    if fact is None:
        return UNKNOWN
    if fact.status not in ("active", "proposed"):
        return CONFLICT
    if fact.status == "proposed":
        take(db, fact, facts_of(db, user=change.user, companion=change.companion))
    now = fact.id
    if change.text is not None and change.text != fact.value:
        now = _new_version(db, change, fact, change.text)
    if change.category is not None:
        db.execute("UPDATE facts SET category = ? WHERE id = ?", (change.category, now))
    if change.enabled is not None:
        db.execute("UPDATE facts SET enabled = ? WHERE id = ?", (change.enabled, now))
    return Landed()


def _new_version(db: sqlite3.Connection, change: FactEdited, fact: Fact, text: str) -> str:
    """The person's own words in place of what was kept; the older version stays as history."""
    stated = fact.statement or Statement(kind="identity", value=text, attribute=NOTE)
    new = New(
        id=change.into,
        statement=msgspec.structs.replace(stated, value=text),
        kind=fact.kind,
        category=fact.category,
        language=fact.language,
        origin="edited",
        status="active",
        began=1.0,
        source=("edit", change.source),
        replaces=fact.id,
        pinned=fact.pinned,
    )
    keep(db, change, new, Keeping())
    db.execute("UPDATE facts SET enabled = ? WHERE id = ?", (fact.enabled, change.into))
    end(db, fact.id, End(said=_said(db, change.into), at=change.at, by=change.into))
    return change.into


def _pinned(db: sqlite3.Connection, change: FactPinned) -> Outcome:
    fact = fact_of(db, user=change.user, companion=change.companion, id=change.fact)
    if fact is None:
        return UNKNOWN
    if fact.status not in ("active", "proposed"):
        return CONFLICT
    db.execute("UPDATE facts SET pinned = ? WHERE id = ?", (change.pinned, change.fact))
    return Landed()


# ---------------------------------------------------------------- forget


def _forgotten(db: sqlite3.Connection, change: FactsForgotten) -> Outcome:
    facts = facts_of(db, user=change.user, companion=change.companion, history=True)
    wanted = {id_: fact for fact in facts if (id_ := fact.id) in change.facts}
    if len(wanted) < len(set(change.facts)):
        return UNKNOWN
    if change.category is not None:
        wanted |= {fact.id: fact for fact in facts if fact.category == change.category}
    if change.words is not None:
        wanted |= {fact.id: fact for fact in facts if named(fact, change.words)}
        _mark_words(db, change)
    for fact in _with_versions(facts, wanted):
        mark(db, change, fact.id, fact.value, subject=fact.subject)
        _out(db, change, fact)
    return Landed()


def _mark_words(db: sqlite3.Connection, change: FactsForgotten) -> None:
    """What is not a fact yet, because its talk goes on, is not to become one."""
    name = change.message or ""
    for at, statement in enumerate(change.statements):
        mark(db, change, f"{name}:{at}", statement.value, subject=statement.subject)
    if not change.statements and change.words is not None:
        mark(db, change, name, change.words, subject=None)


def named(fact: Fact, words: str) -> bool:
    """Whether ``words`` of the person mean this fact: they say it, or they say what it is about."""
    said, value = core(words), core(fact.value)
    about = core(f"{fact.attribute.replace('_', ' ')} {fact.kind}") | value
    other = fact.subject != "user"
    if other:
        about |= core(fact.subject)
        return bool(said & core(fact.subject)) and (said <= about or value <= said)
    return (bool(value) and value <= said) or (bool(said) and said <= about)


def _with_versions(facts: Sequence[Fact], wanted: dict[str, Fact]) -> list[Fact]:
    """With what is forgotten go the versions that the person's edits replaced."""
    by_id = {fact.id: fact for fact in facts}
    found = dict(wanted)
    waiting = list(wanted.values())
    while waiting:
        earlier = by_id.get(waiting.pop().replaces or "")
        if earlier is not None and earlier.id not in found:
            found[earlier.id] = earlier
            waiting.append(earlier)
    return list(found.values())


def _out(db: sqlite3.Connection, change: FactsForgotten, fact: Fact) -> None:
    """Gone, with its words in kept results; what it had ended stays ended: forgetting is not taking back."""
    db.execute("UPDATE facts SET superseded_by = NULL WHERE superseded_by = ?", (fact.id,))
    db.execute("UPDATE facts SET replaces = NULL WHERE replaces = ?", (fact.id,))
    db.execute("DELETE FROM facts WHERE id = ?", (fact.id,))
    withdraw_results(db, change, (fact.id,))


# ---------------------------------------------------------------- take it back


def _undone(db: sqlite3.Connection, change: MemoryUndone) -> Outcome:
    undo = undo_waiting(db, change)
    if undo is not None:
        put_back(db, change, undo)
        changed(db, change)
        keep_undo(db, change, None)
    return Landed()


def undo_waiting(db: sqlite3.Connection, change: PersonsChange) -> Undo | None:
    """What the person could take back now; None when there is nothing, or it is too long ago."""
    held = undo_of(db, change)
    return None if held is None else msgspec.msgpack.decode(held, type=Undo)
