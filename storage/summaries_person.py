"""The person's hold on what was kept of their talks in short."""

import sqlite3
from typing import Any

import msgspec

from companions.changes import Landed, Outcome, Refused
from companions.fact_changes import SummaryEdited, SummaryForgotten
from memory.tokens import count
from storage.removing import withdraw_results

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
