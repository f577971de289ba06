"""Facts as they are kept: the rows, and the questions asked of them. What changes them is in the files beside."""

import sqlite3
from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

from companions.fact_changes import FactOrigin, FactStatus
from memory.facts import HeldFact
from memory.statements_kinds import Statement, StatementKind, Tense
from storage.memories import remembering
from storage.rows import Row

FactKind: TypeAlias = StatementKind | Literal["note"]


class Fact(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is kept. Times are milliseconds since 1970 in UTC; ``said`` and ``ended`` are numbers of
    the store's counter. ``sources`` are messages of the person, oldest first.
    """

    id: str
    subject: str
    attribute: str
    value: str
    kind: FactKind
    tense: Tense
    category: str
    language: str
    origin: FactOrigin
    status: FactStatus
    confidence: float
    mentions: int
    pinned: bool
    enabled: bool
    valid_from: int
    valid_to: int | None
    recorded_at: int
    first_at: int
    last_at: int
    used_at: int | None
    uses: int
    superseded_by: str | None
    ended_message: str | None
    ended: int | None
    replaces: str | None
    against: tuple[str, ...]
    grounds: str | None
    stored: int
    said: int
    sources: tuple[str, ...] = ()

    @property
    def statement(self) -> Statement | None:
        """What it states; None for words that were kept as they are."""
        if self.kind == "note":
            return None
        attribute = self.attribute
        return Statement(
            kind=self.kind,
            value=self.value,
            subject=self.subject,
            tense=self.tense,
            attribute=attribute,
        )

    @property
    def held(self) -> HeldFact | None:
        """It, as the decision about a later statement needs it."""
        statement = self.statement
        return None if statement is None else HeldFact(self.id, statement, edited=self.origin == "edited")


COLUMNS = """id, subject, attribute, value, kind, tense, category, language, origin, status, confidence, mentions,
    pinned, enabled, valid_from, valid_to, recorded_at, first_at, last_at, used_at, uses, superseded_by,
    ended_message, ended, replaces, against, grounds, stored, said"""
_FIELDS = [name.strip() for name in COLUMNS.split(",")]
_CURRENT: tuple[FactStatus, ...] = ("active", "proposed")
_EVERY: tuple[FactStatus, ...] = ("active", "proposed", "superseded", "retracted")


def fact_from(row: Row) -> Fact:
    """A fact from ``COLUMNS``, without its sources."""
    values = dict(zip(_FIELDS, row, strict=True))
    values["pinned"], values["enabled"] = bool(values["pinned"]), bool(values["enabled"])
    values["against"] = msgspec.json.decode(values["against"], type=tuple[str, ...])
    return Fact(**values)


def facts_of(
    db: sqlite3.Connection,
    *,
    user: str,
    companion: str,
    history: bool = False,
) -> tuple[Fact, ...]:
    """What is kept of a person by a companion, in the order of recording; with ``history`` what ended too."""
    facts = [
        fact
        for status in (_EVERY if history else _CURRENT)
        for fact in _with_status(db, user, companion, status)
    ]
    sources = _sources(db, user, companion)
    return tuple(
        msgspec.structs.replace(fact, sources=sources.get(fact.id, ()))
        for fact in sorted(facts, key=lambda fact: fact.stored)
    )


def _with_status(db: sqlite3.Connection, user: str, companion: str, status: FactStatus) -> Iterable[Fact]:
    rows: list[Row] = db.execute(
        f"SELECT {COLUMNS} FROM facts WHERE user_id = ? AND companion = ? AND status = ? ORDER BY stored",  # noqa: S608  # constants of ours
        (user, companion, status),
    ).fetchall()
    return map(fact_from, rows)


def _sources(db: sqlite3.Connection, user: str, companion: str) -> dict[str, tuple[str, ...]]:
    rows: list[tuple[str, str]] = db.execute(
        """
        SELECT s.fact, s.message FROM facts f JOIN fact_sources s ON s.fact = f.id
        WHERE f.user_id = ? AND f.companion = ? AND s.message IS NOT NULL ORDER BY s.said
        """,
        (user, companion),
    ).fetchall()
    found: dict[str, tuple[str, ...]] = {}
    for fact, message in rows:
        found[fact] = (*found.get(fact, ()), message)
    return found


def lasting_facts(db: sqlite3.Connection, *, user: str, companion: str) -> frozenset[str]:
    """The facts that rest on more than messages; any other goes with the last of its sources."""
    found: list[tuple[str]] = db.execute(
        """
        SELECT s.fact FROM facts f JOIN fact_sources s ON s.fact = f.id
        WHERE f.user_id = ? AND f.companion = ? AND s.message IS NULL
        """,
        (user, companion),
    ).fetchall()
    return frozenset(fact for (fact,) in found)


def fact_of(db: sqlite3.Connection, *, user: str, companion: str, id: str) -> Fact | None:  # noqa: A002  # the wire's word
    """One fact of this person with this companion, whatever its status; None for another's."""
    row: Row | None = db.execute(
        f"SELECT {COLUMNS} FROM facts WHERE id = ? AND user_id = ? AND companion = ?",  # noqa: S608  # constants of ours
        (id, user, companion),
    ).fetchone()
    if row is None:
        return None
    sources: list[tuple[str]] = db.execute(
        "SELECT message FROM fact_sources WHERE fact = ? AND message IS NOT NULL ORDER BY said", (id,)
    ).fetchall()
    return msgspec.structs.replace(fact_from(row), sources=tuple(message for (message,) in sources))


def present_form(db: sqlite3.Connection, *, user: str, companion: str, id: str) -> Fact | None:  # noqa: A002  # as above
    """What stands now where the fact ``id`` stood: itself, or what replaced it in the end; None when gone."""
    seen: set[str] = set()
    found = fact_of(db, user=user, companion=companion, id=id)
    while found is not None and found.superseded_by is not None and found.id not in seen:
        seen.add(found.id)
        later = fact_of(db, user=user, companion=companion, id=found.superseded_by)
        if later is None:
            break
        found = later
    return found


def told_facts(db: sqlite3.Connection, *, user: str, companion: str) -> tuple[Fact, ...]:
    """The facts that may be told as holding now: active, enabled, not in question, while remembering is on.

    A fact is in question when a later statement of the person goes against what they had edited: until they
    decide, neither is told as current (D19).
    """
    if not remembering(db, user=user, companion=companion):
        return ()
    facts = facts_of(db, user=user, companion=companion)
    questioned = {id_ for fact in facts if fact.status == "proposed" for id_ in fact.against}
    return tuple(
        fact for fact in facts if fact.status == "active" and fact.enabled and fact.id not in questioned
    )


def count_facts(db: sqlite3.Connection, *, user: str, companion: str) -> int:
    """How many facts count towards the limits: those that hold, and those that wait."""
    row: tuple[int] = db.execute(
        """
        SELECT COUNT(*) FROM facts WHERE user_id = ? AND companion = ? AND status IN ('active', 'proposed')
        """,
        (user, companion),
    ).fetchone()
    return row[0]


def facts_said_in(db: sqlite3.Connection, conversation: str) -> frozenset[str]:
    """The facts that rest on a message of a conversation."""
    rows: list[tuple[str]] = db.execute(
        """
        SELECT s.fact FROM messages m JOIN fact_sources s ON s.message = m.id WHERE m.conversation = ?
        """,
        (conversation,),
    ).fetchall()
    return frozenset(id_ for (id_,) in rows)
