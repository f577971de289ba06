"""What becomes of facts when what they stand on goes: a source less, gone with the last, the earlier one again."""

import sqlite3
from collections.abc import Iterable

import msgspec

from companions.change import Change
from memory.statements_ends import ends
from storage.facts import COLUMNS, Fact, fact_from, fact_of, facts_of
from storage.facts_held import End, end, open_again
from storage.memories import changed, keep_undo, undo_of
from storage.rows import Row


def facts_without(db: sqlite3.Connection, change: Change, messages: Iterable[str]) -> tuple[str, ...]:
    """Take ``messages`` out of what is remembered; the ids of the facts that are no longer as they were.

    To be called in the transaction that removes the messages, before they are removed; they are messages of
    ``change.user`` with ``change.companion``. A fact loses them as sources and goes with the last; what it had
    ended holds again, and so does what such a message took back. What the person edited stays as they wrote it.
    Called again it changes nothing.
    """
    gone = tuple(dict.fromkeys(messages))
    touched: dict[str, None] = {}
    for message in gone:
        for (fact,) in db.execute("SELECT fact FROM fact_sources WHERE message = ?", (message,)).fetchall():
            touched[fact] = None
    for message in gone:
        db.execute("UPDATE facts SET grounds = NULL WHERE grounds = ? AND origin <> 'extracted'", (message,))
    for id_ in touched:
        _less(db, change, id_, gone)
    reopened = [fact for message in gone for fact in _ended_by_message(db, change, message)]
    for fact in reopened:
        open_again(db, change, fact)
    ids = (*touched, *(fact.id for fact in reopened))
    if ids:
        settle(db, change)
        changed(db, change)
    _forget_undo(db, change, (*gone, *ids))
    return tuple(dict.fromkeys(ids))


def _less(db: sqlite3.Connection, change: Change, id_: str, gone: tuple[str, ...]) -> None:
    """A fact without some of its sources."""
    left: list[tuple[str | None, int, int]] = db.execute(
        "SELECT message, said, at FROM fact_sources WHERE fact = ? ORDER BY said", (id_,)
    ).fetchall()
    rest = [each for each in left if each[0] not in gone]
    fact = fact_of(db, user=change.user, companion=change.companion, id=id_)
    if fact is None:
        return
    if not rest:
        remove(db, change, fact)
        return
    spoken = [each for each in rest if each[0] is not None]
    latest = spoken[-1] if spoken else rest[-1]
    db.execute(
        """
        UPDATE facts SET grounds = ?, said = ?, first_at = ?, last_at = ?, mentions = MAX(1, mentions - ?)
        WHERE id = ?
        """,
        (spoken[-1][0] if spoken else None, latest[1], rest[0][2], latest[2], len(left) - len(rest), id_),
    )
    for message in gone:
        db.execute("DELETE FROM fact_sources WHERE fact = ? AND message = ?", (id_, message))


def remove(db: sqlite3.Connection, change: Change, fact: Fact) -> None:
    """Take a fact out; what it had ended holds again, or is ended by what ended it."""
    db.execute("UPDATE facts SET replaces = NULL WHERE replaces = ?", (fact.id,))
    ended = _ended_by(db, change, fact.id)
    db.execute("DELETE FROM facts WHERE id = ?", (fact.id,))
    for each in ended:
        if fact.ended is None or fact.status == "retracted":
            open_again(db, change, each)
        else:
            heir = End(
                said=fact.ended, at=fact.valid_to or 0, by=fact.superseded_by, message=fact.ended_message
            )
            end(db, each.id, heir)


def never_true(db: sqlite3.Connection, change: Change, id_: str) -> None:
    """A fact was never true: what it had ended holds again."""
    for each in _ended_by(db, change, id_):
        open_again(db, change, each)


def _ended_by(db: sqlite3.Connection, change: Change, id_: str) -> list[Fact]:
    rows: list[Row] = db.execute(
        f"SELECT {COLUMNS} FROM facts WHERE superseded_by = ? AND user_id = ? AND companion = ? ORDER BY said DESC",  # noqa: S608  # constants of ours
        (id_, change.user, change.companion),
    ).fetchall()
    return [fact_from(row) for row in rows]


def _ended_by_message(db: sqlite3.Connection, change: Change, message: str) -> list[Fact]:
    rows: list[Row] = db.execute(
        f"SELECT {COLUMNS} FROM facts WHERE ended_message = ? AND user_id = ? AND companion = ? ORDER BY said DESC",  # noqa: S608  # constants of ours
        (message, change.user, change.companion),
    ).fetchall()
    return [fact_from(row) for row in rows]


def settle(db: sqlite3.Connection, change: Change) -> None:
    """A proposal waits while it goes against what the person edited; when nothing of that stands, it is taken."""
    facts = facts_of(db, user=change.user, companion=change.companion)
    for waiting in sorted((each for each in facts if each.status == "proposed"), key=lambda each: each.said):
        now = facts_of(db, user=change.user, companion=change.companion)
        against = tuple(
            each.id
            for each in now
            if each.origin == "edited" and each.status == "active" and _ends(waiting, each)
        )
        newer = [each for each in now if each.id in against and each.said > waiting.said]
        if newer:  # they put it right after that was said: they have decided
            end(db, waiting.id, End(said=newer[0].said, at=newer[0].valid_from, by=newer[0].id))
            continue
        if against == waiting.against:
            continue
        db.execute(
            "UPDATE facts SET against = ? WHERE id = ?", (msgspec.json.encode(against).decode(), waiting.id)
        )
        if not against:
            take(db, waiting, now)


def take(db: sqlite3.Connection, waiting: Fact, facts: Iterable[Fact]) -> None:
    """A proposal holds from now on, and ends what it goes against; what was said later ends it in turn."""
    db.execute("UPDATE facts SET status = 'active', against = '[]' WHERE id = ?", (waiting.id,))
    for each in facts:
        if each.id == waiting.id or each.status != "active":
            continue
        if each.said > waiting.said and each.origin != "edited" and _ends(each, waiting):
            end(db, waiting.id, End(said=each.said, at=each.valid_from, by=each.id))
            return
        if _ends(waiting, each):
            end(db, each.id, End(said=waiting.said, at=waiting.valid_from, by=waiting.id))


def _ends(one: Fact, other: Fact) -> bool:
    first, second = one.statement, other.statement
    return first is not None and second is not None and ends(first, second)


def _forget_undo(db: sqlite3.Connection, change: Change, names: Iterable[str]) -> None:
    """What could be taken back must not bring back what is gone."""
    held = undo_of(db, change)
    if held is not None and any(name.encode() in held for name in names):
        keep_undo(db, change, None)
