"""What the person's last change replaced, so that it can be taken back once.

The state before is compared with the state after, and only what differs is kept: rows that are gone or changed, as
they were, and the names of what was made. Putting it back never makes two values hold where one can.
"""

import sqlite3
from typing import Any, TypeAlias

import msgspec

from companions.fact_changes import PersonsChange, SummaryEdited, SummaryForgotten
from memory.text import folded
from storage.facts import fact_of, facts_of
from storage.facts_held import open_again
from storage.facts_removed import settle
from storage.forgetting import unmark
from storage.memories import UNDO_LIFE_MS

Columns: TypeAlias = dict[str, Any]  # Any: SQLite's columns have no static type

_FACT = """id, user_id, companion, stored, said, subject, attribute, value, kind, tense, category, language, origin,
    status, began, step, most, mentions, pinned, enabled, valid_from, valid_to, recorded_at, first_at, last_at,
    used_at, uses, superseded_by, ended_message, ended, replaces, against, grounds"""
_SOURCE = "fact, user_id, companion, kind, source, message, said, at"
_SUMMARY = """id, user_id, companion, conversation, job, stored, at, content, covers_first, covers_last, partial,
    made_by, tokens, archived_at"""
_OF_FACT = "FROM fact_sources WHERE fact = ?"
_OF_SUMMARY = "FROM summaries WHERE id = ? AND user_id = ? AND companion = ?"
# What a change by the person can alter in a fact that stays.
_ALTERED = "category, status, pinned, enabled, valid_to, superseded_by, ended_message, ended, replaces, against, began"


class Undo(msgspec.Struct, frozen=True, kw_only=True):
    """What to put back: rows as they were, and what to take away."""

    facts: list[Columns] = []
    sources: list[Columns] = []
    summaries: list[Columns] = []
    made: list[str] = []
    marks: list[str] = []

    @property
    def items(self) -> tuple[str, ...]:
        """The facts and summaries that are concerned."""
        rows = [*self.facts, *self.summaries]
        return tuple(dict.fromkeys((*(str(row["id"]) for row in rows), *self.made)))


class Before:
    """What is remembered of one person, at one moment."""

    def __init__(self, db: sqlite3.Connection, change: PersonsChange) -> None:
        owner = (change.user, change.companion)
        self.facts = _rows(db, _FACT, "FROM facts WHERE user_id = ? AND companion = ?", owner)
        self.sources = [row for fact in self.facts for row in _rows(db, _SOURCE, _OF_FACT, (fact["id"],))]
        self.marks = _rows(db, "fact, number", "FROM forgotten WHERE user_id = ? AND companion = ?", owner)
        self.summaries: list[Columns] = []
        if isinstance(change, SummaryEdited | SummaryForgotten):
            self.summaries = _rows(db, _SUMMARY, _OF_SUMMARY, (change.summary, *owner))

    def against(self, db: sqlite3.Connection, change: PersonsChange) -> Undo:
        """What has changed since."""
        now = Before(db, change)
        names = {row["id"] for row in self.facts}
        changed = [row for row in self.facts if row not in now.facts]
        gone = {row["id"] for row in changed} - {row["id"] for row in now.facts}
        return Undo(
            facts=changed,
            sources=[row for row in self.sources if row["fact"] in gone],
            summaries=[row for row in self.summaries if row not in now.summaries],
            made=[row["id"] for row in now.facts if row["id"] not in names],
            marks=[row["fact"] for row in now.marks if row not in self.marks],
        )


def lapsing(db: sqlite3.Connection, at: int) -> tuple[str, ...]:
    """The words that nothing but an undo older than its life holds: to be looked for when it is gone."""
    rows: list[tuple[str, str, bytes]] = db.execute(
        "SELECT user_id, companion, undo FROM memories WHERE undo_at < ?", (at - UNDO_LIFE_MS,)
    ).fetchall()
    return tuple(text for owner in rows for text in _only_here(db, *owner))


def _only_here(db: sqlite3.Connection, user: str, companion: str, held: bytes) -> list[str]:
    undo = msgspec.msgpack.decode(held, type=Undo)
    gone = [row for row in undo.facts if fact_of(db, user=user, companion=companion, id=row["id"]) is None]
    kept = {folded(fact.value) for fact in facts_of(db, user=user, companion=companion, history=True)}
    return [str(row["value"]) for row in gone if not any(folded(str(row["value"])) in each for each in kept)]


def _rows(db: sqlite3.Connection, columns: str, which: str, values: tuple[str, ...]) -> list[Columns]:
    names = [name.strip() for name in columns.split(",")]
    rows = db.execute(f"SELECT {columns} {which}", values).fetchall()
    return [dict(zip(names, row, strict=True)) for row in rows]


def put_back(db: sqlite3.Connection, change: PersonsChange, undo: Undo) -> None:
    """Make it as it was before, as far as what has come since lets it."""
    for mark in undo.marks:
        unmark(db, change, mark)
    for made in undo.made:
        db.execute("DELETE FROM facts WHERE id = ?", (made,))
    for row in undo.facts:
        if fact_of(db, user=change.user, companion=change.companion, id=row["id"]) is None:
            _insert(db, "facts", row)
        else:
            _alter(db, row)
    for row in undo.sources:
        _insert(db, "fact_sources", row)
    for row in undo.summaries:
        db.execute("DELETE FROM summaries WHERE id = ?", (row["id"],))
        _insert(db, "summaries", row)
    for row in undo.facts:
        fact = fact_of(db, user=change.user, companion=change.companion, id=row["id"])
        if fact is not None and fact.status == "active":
            open_again(db, change, fact)
    settle(db, change)


def _insert(db: sqlite3.Connection, table: str, row: Columns) -> None:
    marks = ", ".join("?" * len(row))
    db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))  # noqa: S608  # names of ours


def _alter(db: sqlite3.Connection, row: Columns) -> None:
    names = [name.strip() for name in _ALTERED.split(",")]
    given = ", ".join(f"{name} = ?" for name in names)
    db.execute(f"UPDATE facts SET {given} WHERE id = ?", (*(row[name] for name in names), row["id"]))  # noqa: S608  # names of ours
