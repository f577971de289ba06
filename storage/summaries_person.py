"""The person's hold on what was kept of their talks in short."""

import sqlite3
from typing import Any

import msgspec

from companions.changes import Landed, Outcome, Refused
from companions.fact_changes import SummaryEdited, SummaryForgotten
from memory.tokens import count
from storage.removing import withdraw_results
from storage.rows import Row
from storage.summaries import COLUMNS, Summary, summary_from

MOST_SUMMARIES = 200
UNKNOWN = Refused("memory.unknown")


def summary_edited(db: sqlite3.Connection, change: SummaryEdited) -> Outcome:
    """The person's text in place of the one that was made; the parts it was made of go with it."""
    row: tuple[bytes] | None = db.execute(
        "SELECT content FROM summaries WHERE id = ? AND user_id = ? AND companion = ?",
        (change.summary, change.user, change.companion),
    ).fetchone()
    if row is None:
        return UNKNOWN
    content: dict[str, Any] = msgspec.json.decode(row[0])  # Any: the form is the companion's
    edited = {"text": change.text} | {key: content[key] for key in ("topics",) if key in content}
    db.execute(
        "UPDATE summaries SET content = ?, made_by = 'edited', tokens = ? WHERE id = ?",
        (msgspec.json.encode(edited), count(change.text), change.summary),
    )
    return Landed()


def summary_forgotten(db: sqlite3.Connection, change: SummaryForgotten) -> Outcome:
    """It is gone."""
    gone = db.execute(
        "DELETE FROM summaries WHERE id = ? AND user_id = ? AND companion = ?",
        (change.summary, change.user, change.companion),
    ).rowcount
    withdraw_results(db, change, (change.summary,))
    return Landed() if gone else UNKNOWN


def summaries_of(db: sqlite3.Connection, *, user: str, companion: str) -> tuple[Summary, ...]:
    """The newest summary of each of a person's conversations with a companion, the oldest conversation first."""
    rows: list[Row] = db.execute(
        f"""
        SELECT {COLUMNS} FROM conversations c JOIN summaries s ON s.conversation = c.id
        WHERE c.user_id = ? AND c.companion = ? AND c.parent_mode = 0
            AND s.stored = (SELECT MAX(n.stored) FROM summaries n WHERE n.conversation = c.id)
        ORDER BY s.stored DESC LIMIT ?
        """,  # noqa: S608  # constants of ours
        (user, companion, MOST_SUMMARIES),
    ).fetchall()
    return tuple(summary_from(row) for row in reversed(rows))


def own_summary(db: sqlite3.Connection, *, user: str, companion: str, id: str) -> Summary | None:  # noqa: A002  # the wire's word
    """One summary of this person; None for an unknown one and for another's."""
    row: Row | None = db.execute(
        f"""
        SELECT {COLUMNS} FROM summaries s JOIN conversations c ON c.id = s.conversation
        WHERE s.id = ? AND s.user_id = ? AND s.companion = ?
        """,  # noqa: S608  # constants of ours
        (id, user, companion),
    ).fetchone()
    return None if row is None else summary_from(row)
