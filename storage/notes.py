"""Notes to the parents of a student: kept only while they consent, and gone when they take it back (guarantee 16)."""

import sqlite3

import msgspec

from companions.care_changes import NoteMade, NoteRead
from companions.changes import NOTHING, Landed, Outcome, Refused
from companions.consenting import family
from storage.consents import standing
from storage.jobs import end_job
from storage.order import next_number
from storage.rows import Row, blob_of

_READ = """EXISTS (SELECT 1 FROM note_reads r WHERE r.note = n.id AND r.holder = ?8)
    OR (n.read_at IS NOT NULL AND NOT EXISTS (SELECT 1 FROM note_reads r WHERE r.note = n.id))"""
"""Read by who asks; a mark from before marks had a reader is everybody's."""


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """A note as it is kept, with the evaluation of the same lesson where there is one. ``number`` orders."""

    id: str
    conversation: str
    companion: str
    subject: str
    minutes: int
    at: int
    content: msgspec.Raw
    evaluation: msgspec.Raw | None
    read_at: int | None
    number: int


def note_made(db: sqlite3.Connection, change: NoteMade) -> Outcome:
    """A note lands with the end of its job, or only the end of it where nobody allows one now."""
    if db.execute(
        "SELECT 1 FROM parent_notes WHERE id = ? AND job = ?", (change.note, change.job)
    ).fetchone():
        return Landed()
    if refused := end_job(db, change, change.job, change.conversation):
        return refused
    allowed = standing(db, user=change.user, companion=change.companion, at=change.at).granted("notes")
    db.execute("DELETE FROM parent_notes WHERE conversation = ?", (change.conversation,))
    if allowed and change.content != NOTHING and not _with_parents(db, change.conversation):
        db.execute(
            "INSERT INTO parent_notes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
            (
                change.note,
                change.user,
                change.companion,
                change.conversation,
                change.job,
                next_number(db),
                change.at,
                change.subject,
                change.minutes,
                blob_of(change.content),
                change.made_by,
            ),
        )
    return Landed()


def _with_parents(db: sqlite3.Connection, conversation: str) -> bool:
    row: tuple[int] | None = db.execute(
        "SELECT parent_mode FROM conversations WHERE id = ?", (conversation,)
    ).fetchone()
    return row != (0,)


def note_read(db: sqlite3.Connection, change: NoteRead) -> Outcome:
    """Read for the first time, or again; only while it may be seen."""
    if not standing(db, user=change.user, companion=change.companion, at=change.at).granted("notes"):
        return Refused("policy.refused")
    found = db.execute(
        "UPDATE parent_notes SET read_at = COALESCE(read_at, ?) WHERE id = ? AND user_id = ? AND companion = ?",
        (change.at, change.note, change.user, change.companion),
    ).rowcount
    if not found:
        return Refused("memory.unknown")
    db.execute(
        "INSERT INTO note_reads VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        (change.note, change.holder, change.at),
    )
    return Landed()


def companion_of(db: sqlite3.Connection, *, user: str, note: str) -> str | None:
    """With which companion the lesson of a note was."""
    row: tuple[str] | None = db.execute(
        "SELECT companion FROM parent_notes WHERE id = ? AND user_id = ?", (note, user)
    ).fetchone()
    return None if row is None else row[0]


def notes_of(
    db: sqlite3.Connection,
    *,
    user: str,
    companion: str,
    at: int,
    limit: int,
    before: int | None = None,
    unread: bool = False,
    reader: str = "",
) -> tuple[Note, ...] | None:
    """The notes about a student with any member of the companion's family, the latest first.

    Whether one is read is told for ``reader``, by their grant; ``unread``: those that they have not read. None while
    no live consent allows them at ``at``. ``before`` is the number of the last one seen.
    """
    if not standing(db, user=user, companion=companion, at=at).granted("notes"):
        return None
    members = f"{family(companion)}/"
    rows: list[Row] = db.execute(
        f"""
        SELECT id, companion, subject, minutes, at, content,
            CASE WHEN {_READ} THEN read_at END, stored, (SELECT content FROM extracts e
            WHERE e.conversation = n.conversation AND e.kind = 'evaluation' ORDER BY e.stored DESC LIMIT 1),
            n.conversation
        FROM parent_notes n WHERE user_id = ?1 AND (companion = ?2 OR substr(companion, 1, ?3) = ?4)
            AND (?5 IS NULL OR stored < ?5) AND (NOT ?6 OR NOT ({_READ})) ORDER BY stored DESC LIMIT ?7
        """,  # noqa: S608  # a constant of ours
        (user, family(companion), len(members), members, before, unread, limit, reader),
    ).fetchall()
    return tuple(
        Note(
            id=row[0],
            conversation=row[9],
            companion=row[1],
            subject=row[2],
            minutes=row[3],
            at=row[4],
            content=msgspec.Raw(row[5]),
            read_at=row[6],
            number=row[7],
            evaluation=None if row[8] is None else msgspec.Raw(row[8]),
        )
        for row in rows
    )
