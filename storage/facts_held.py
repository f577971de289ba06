"""The steps every decision about facts is made of: keep one, count a mention, end one, open it again."""

import sqlite3
from collections.abc import Sequence

import msgspec

from companions.change import Change
from companions.fact_changes import FactOrigin, FactStatus, Keeping
from memory.facts import kept_as
from memory.languages import language_of
from memory.statements_ends import ends
from memory.statements_kinds import Statement
from storage.facts import Fact, FactKind, facts_of
from storage.order import next_number
from storage.rows import acquainted, json_of


class Evidence(msgspec.Struct, frozen=True, order=True):
    """A message of the person that says something: when it was said by the store's counter, and by the clock."""

    said: int
    at: int
    message: str


class New(msgspec.Struct, frozen=True, kw_only=True):
    """A fact about to be kept. ``source`` is a command, an import or an edit where there is no message.

    ``language`` is what is kept where the words themselves do not tell theirs.
    """

    id: str
    statement: Statement
    kind: FactKind
    category: str
    language: str
    origin: FactOrigin
    status: FactStatus
    began: float
    evidence: tuple[Evidence, ...] = ()
    source: tuple[str, str] | None = None  # (kind, id)
    against: tuple[str, ...] = ()
    replaces: str | None = None
    pinned: bool = False


def keep(db: sqlite3.Connection, change: Change, new: New, keeping: Keeping) -> None:
    """Write a fact down with its sources."""
    acquainted(db, change)
    stored = next_number(db)
    kept = kept_as(new.statement)
    first_at = new.evidence[0].at if new.evidence else change.at
    last_at = new.evidence[-1].at if new.evidence else change.at
    db.execute(
        """
        INSERT INTO facts (id, user_id, companion, stored, said, subject, attribute, value, kind, tense, category,
            language, origin, status, began, step, most, mentions, pinned, valid_from, recorded_at, first_at,
            last_at, replaces, against, grounds)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            new.id,
            change.user,
            change.companion,
            stored,
            new.evidence[-1].said if new.evidence else stored,
            kept.subject,
            kept.attribute,
            kept.value,
            new.kind,
            kept.tense,
            new.category,
            _language(db, new),
            new.origin,
            new.status,
            new.began,
            keeping.step,
            keeping.most,
            max(1, len(new.evidence)),
            new.pinned,
            last_at,
            change.at,
            first_at,
            last_at,
            new.replaces,
            json_of(new.against),
            new.evidence[-1].message if new.evidence else None,
        ),
    )
    for each in new.evidence:
        _source(db, change, new.id, "message", each)
    if new.source is not None:
        source(db, change, new.id, new.source)


def _language(db: sqlite3.Connection, new: New) -> str:
    """That of the message which says it, else of the words themselves (guarantee 6: the language is kept)."""
    if not new.evidence:
        return language_of(new.statement.value) or new.language
    row: tuple[str] | None = db.execute(
        "SELECT text FROM messages WHERE id = ?", (new.evidence[-1].message,)
    ).fetchone()
    return (language_of(row[0]) if row is not None else "") or new.language


def source(db: sqlite3.Connection, change: Change, fact: str, other: tuple[str, str]) -> None:
    """A source that is no message: a command, an import, an edit, by its id."""
    kind, id_ = other
    db.execute(
        "INSERT INTO fact_sources VALUES (?, ?, ?, ?, ?, NULL, ?, ?) ON CONFLICT DO NOTHING",
        (fact, change.user, change.companion, kind, id_, next_number(db), change.at),
    )


def _source(db: sqlite3.Connection, change: Change, fact: str, kind: str, each: Evidence) -> int:
    return db.execute(
        "INSERT INTO fact_sources VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (fact, change.user, change.companion, kind, each.message, each.message, each.said, each.at),
    ).rowcount


def mention(db: sqlite3.Connection, change: Change, fact: str, evidence: Sequence[Evidence]) -> bool:
    """Count every message among ``evidence`` that says it again; False when each was counted before."""
    fresh = [each for each in evidence if _source(db, change, fact, "message", each)]
    if fresh:
        db.execute(
            """
            UPDATE facts SET mentions = mentions + ?2, said = MAX(said, ?3), last_at = MAX(last_at, ?4),
                first_at = MIN(first_at, ?5) WHERE id = ?1
            """,
            (
                fact,
                len(fresh),
                max(each.said for each in fresh),
                max(each.at for each in fresh),
                min(each.at for each in fresh),
            ),
        )
    return bool(fresh)


class End(msgspec.Struct, frozen=True, kw_only=True):
    """What ends a fact: a later fact, or the message that takes it back; ``said`` and ``at`` are when."""

    said: int
    at: int
    by: str | None = None
    message: str | None = None
    never_true: bool = False


def end(db: sqlite3.Connection, fact: str, how: End) -> None:
    """The fact no longer holds from then on."""
    status: FactStatus = "retracted" if how.never_true else "superseded"
    db.execute(
        """
        UPDATE facts SET status = ?, valid_to = MAX(valid_from, ?), superseded_by = ?, ended_message = ?, ended = ?
        WHERE id = ?
        """,
        (status, how.at, how.by, how.message, how.said, fact),
    )


def open_again(db: sqlite3.Connection, change: Change, fact: Fact) -> None:
    """What ended it is gone: it holds again, unless another fact that holds says otherwise."""
    later = [
        each for each in facts_of(db, user=change.user, companion=change.companion) if each.id != fact.id
    ]
    for each in later:
        if each.status == "active" and _against(each, fact):
            if each.origin == "edited" and each.said < fact.said:
                _wait(db, fact.id, each.id)
                return
            end(db, fact.id, End(said=each.said, at=each.valid_from, by=each.id))
            return
    db.execute(
        """
        UPDATE facts SET status = 'active', valid_to = NULL, superseded_by = NULL, ended_message = NULL,
            ended = NULL WHERE id = ?
        """,
        (fact.id,),
    )


def _wait(db: sqlite3.Connection, fact: str, against: str) -> None:
    db.execute(
        """
        UPDATE facts SET status = 'proposed', against = ?, valid_to = NULL, superseded_by = NULL,
            ended_message = NULL, ended = NULL WHERE id = ?
        """,
        (json_of((against,)), fact),
    )


def _against(one: Fact, other: Fact) -> bool:
    """Whether the two cannot both hold."""
    first, second = one.statement, other.statement
    if first is None or second is None:
        return False
    return ends(first, second) or ends(second, first)
