"""Summaries: of a conversation that goes on, and of those that ended, in the order in which they ended."""

import sqlite3

import msgspec

from companions.changes import ExtractMade, Landed, Outcome, SummaryMade
from storage.jobs import end_job
from storage.learnings import keep_learnings
from storage.order import may_purge, next_number
from storage.rows import Row, blob_of


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation that has ended, with its whole summary; None: the summary is still to be made."""

    conversation: str
    began_at: int
    summary: "Summary | None"


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A summary of the positions it covers; the form of ``content`` is the companion's."""

    id: str
    conversation: str
    content: msgspec.Raw
    covers_first: int
    covers_last: int
    partial: bool
    made_by: str
    tokens: int
    at: int
    began_at: int


COLUMNS = """s.id, s.conversation, s.content, s.covers_first, s.covers_last, s.partial, s.made_by, s.tokens,
    s.at, c.created_at"""


def summary_from(row: Row) -> Summary:
    """A summary from ``COLUMNS``."""
    return Summary(
        id=row[0],
        conversation=row[1],
        content=msgspec.Raw(row[2]),
        covers_first=row[3],
        covers_last=row[4],
        partial=bool(row[5]),
        made_by=row[6],
        tokens=row[7],
        at=row[8],
        began_at=row[9],
    )


def summary_made(db: sqlite3.Connection, change: SummaryMade) -> Outcome:
    """A summary lands with the end of its job, or not at all."""
    if db.execute(
        "SELECT 1 FROM summaries WHERE id = ? AND job = ?", (change.summary, change.job)
    ).fetchone():
        return Landed()
    if refused := end_job(db, change, change.job, change.conversation):
        return refused
    db.execute(
        "INSERT INTO summaries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
        (
            change.summary,
            change.user,
            change.companion,
            change.conversation,
            change.job,
            next_number(db),
            change.at,
            blob_of(change.content),
            change.covers_first,
            change.covers_last,
            change.partial,
            change.made_by,
            change.tokens,
        ),
    )
    return Landed()


def extract_made(db: sqlite3.Connection, change: ExtractMade) -> Outcome:
    """What was found lands with the end of its job, or not at all."""
    if db.execute("SELECT 1 FROM extracts WHERE job = ?", (change.job,)).fetchone():
        return Landed()
    if refused := end_job(db, change, change.job, change.conversation):
        return refused
    db.execute(
        "INSERT INTO extracts VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            change.job,
            change.user,
            change.companion,
            change.conversation,
            next_number(db),
            change.at,
            change.kind,
            blob_of(change.content),
        ),
    )
    if change.kind == "learnings":
        keep_learnings(db, change)
    return Landed()


def extracts_of(
    db: sqlite3.Connection, *, user: str, conversation: str
) -> tuple[tuple[str, msgspec.Raw], ...]:
    """What extractors found in a conversation: kind and content, oldest first."""
    rows: list[tuple[str, bytes]] = db.execute(
        "SELECT kind, content FROM extracts WHERE conversation = ? AND user_id = ? ORDER BY stored",
        (conversation, user),
    ).fetchall()
    return tuple((kind, msgspec.Raw(content)) for kind, content in rows)


def summary_of(db: sqlite3.Connection, *, user: str, conversation: str) -> Summary | None:
    """The newest summary of a conversation, partial or whole."""
    row: Row | None = db.execute(
        f"""
        SELECT {COLUMNS} FROM summaries s JOIN conversations c ON c.id = s.conversation
        WHERE s.conversation = ? AND s.user_id = ? ORDER BY s.stored DESC LIMIT 1
        """,  # noqa: S608  # constants of ours
        (conversation, user),
    ).fetchone()
    return None if row is None else summary_from(row)


def recent_summaries(
    db: sqlite3.Connection, *, user: str, companion: str, limit: int, parent_mode: bool = False
) -> tuple[Summary, ...]:
    """The newest whole summary of each of the last ``limit`` conversations that ended and have one.

    Oldest first, in the order in which they ended by the store's counter, never by a clock.
    """
    rows: list[Row] = db.execute(
        f"""
        SELECT {COLUMNS} FROM conversations c JOIN summaries s ON s.conversation = c.id
        WHERE c.user_id = ? AND c.companion = ? AND c.closed IS NOT NULL AND c.parent_mode = ?
            AND s.archived_at IS NULL
            AND s.stored =
                (SELECT MAX(n.stored) FROM summaries n WHERE n.conversation = c.id AND n.partial = 0)
        ORDER BY c.closed DESC LIMIT ?
        """,  # noqa: S608  # constants of ours
        (user, companion, parent_mode, limit),
    ).fetchall()
    return tuple(summary_from(row) for row in reversed(rows))


def ended_talks(
    db: sqlite3.Connection, *, user: str, companion: str, limit: int, parent_mode: bool = False
) -> tuple[Ended, ...]:
    """The last ``limit`` conversations that ended and have a summary, or are waiting for one.

    Oldest first, in the order in which they ended by the store's counter, whatever the order in which their
    summaries were made. One whose summary was put away, or removed by the person, is none of them.
    """
    rows: list[tuple[str, int, int | None]] = db.execute(
        """
        SELECT id, created_at, newest FROM (
            SELECT c.id, c.created_at, c.closed,
                (SELECT MAX(n.stored) FROM summaries n WHERE n.conversation = c.id AND n.partial = 0
                    AND n.archived_at IS NULL) AS newest,
                EXISTS (SELECT 1 FROM jobs j WHERE j.conversation = c.id AND j.kind = 'summary'
                    AND j.state <> 'done') AS waits
            FROM conversations c
            WHERE c.user_id = ? AND c.companion = ? AND c.closed IS NOT NULL AND c.parent_mode = ?)
        WHERE newest IS NOT NULL OR waits ORDER BY closed DESC LIMIT ?
        """,
        (user, companion, parent_mode, limit),
    ).fetchall()
    return tuple(
        Ended(
            conversation=id_, began_at=began, summary=None if newest is None else _stored_as(db, id_, newest)
        )
        for id_, began, newest in reversed(rows)
    )


def _stored_as(db: sqlite3.Connection, conversation: str, stored: int) -> Summary:
    row: Row = db.execute(
        f"""
        SELECT {COLUMNS} FROM summaries s JOIN conversations c ON c.id = s.conversation
        WHERE s.conversation = ? AND s.stored = ?
        """,  # noqa: S608  # constants of ours
        (conversation, stored),
    ).fetchone()
    return summary_from(row)


def archive_summaries(
    db: sqlite3.Connection, *, user: str, companion: str, kept: int, before: int | None, at: int
) -> int:
    """Put away what was pushed out of the last ``kept``, and what was made before ``before``; how many.

    Only as long as the clock can be believed (D6): not while it stands before what was stored last.
    """
    if not may_purge(db, at):
        before = None
    rows: list[tuple[str, int]] = db.execute(
        """
        SELECT s.id, s.at FROM summaries s JOIN conversations c ON c.id = s.conversation
        WHERE s.user_id = ? AND s.companion = ? AND s.archived_at IS NULL AND s.partial = 0
            AND c.closed IS NOT NULL AND c.parent_mode = 0 ORDER BY c.closed DESC, s.stored DESC
        """,
        (user, companion),
    ).fetchall()
    old = [
        id_
        for place, (id_, made) in enumerate(rows)
        if place >= kept or (before is not None and made < before)
    ]
    db.executemany("UPDATE summaries SET archived_at = ? WHERE id = ?", [(at, id_) for id_ in old])
    return len(old)


def with_old_summaries(db: sqlite3.Connection, *, companion: str, kept: int, before: int) -> tuple[str, ...]:
    """Whose summaries are more than ``kept``, or were made before ``before``, and are not put away."""
    rows: list[tuple[str]] = db.execute(
        """
        SELECT user_id FROM summaries WHERE archived_at IS NULL AND companion = ? AND partial = 0
        GROUP BY user_id HAVING COUNT(*) > ? OR MIN(at) < ?
        """,
        (companion, kept, before),
    ).fetchall()
    return tuple(user for (user,) in rows)
