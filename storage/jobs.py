"""Jobs: what is to be done with a talk. A row is the truth; whoever works on it holds a lease.

A job's key is (kind, conversation, first, last, revision), so the same work is queued once, and a result
takes effect once: in the transaction that ends the job.
"""

import sqlite3
from collections.abc import Sequence
from typing import get_args

import msgspec

from companions.changes import (
    Change,
    ConversationClosed,
    JobFailed,
    JobKind,
    JobSpec,
    JobsQueued,
    Landed,
    Outcome,
    Refused,
)
from storage.consents import standing
from storage.order import next_number
from storage.rows import Row

DAY_MS = 24 * 3_600_000
ALL_KINDS: tuple[JobKind, ...] = get_args(JobKind)


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """Work on the positions ``first`` to ``last`` of a conversation; ``attempts`` counts the present one."""

    id: str
    kind: JobKind
    user: str
    companion: str
    conversation: str
    first: int
    last: int
    revision: int
    attempts: int


class Parked(msgspec.Struct, frozen=True, kw_only=True):
    """A job that failed for good, as it is shown to staff."""

    job: Job
    reason: str
    at: int


_COLUMNS = "id, kind, user_id, companion, conversation, first, last, revision, attempts"
# A date far ahead was written by a clock that was wrong: it does not hold a job back.
_DUE = """
    ((state = 'waiting' AND (not_before <= ?1 OR not_before > ?1 + ?2))
     OR (state = 'running' AND (lease_until <= ?1 OR lease_until > ?1 + ?2)))
"""


def queue_jobs(
    db: sqlite3.Connection, change: ConversationClosed | JobsQueued, jobs: tuple[JobSpec, ...], revision: int
) -> None:
    """Write the job rows that are not there yet; a job for the rest begins where the last of its kind ended."""
    for job in jobs:
        if job.kind == "parent_note" and not _parents_may_know(db, change):
            continue
        first = job.first
        if job.rest:
            first = max(first, 1 + _given(db, job.kind, change.conversation, revision))
            if first > job.last:
                continue
        _queue(db, change, msgspec.structs.replace(job, first=first), revision)


def _parents_may_know(db: sqlite3.Connection, change: ConversationClosed | JobsQueued) -> bool:
    """Whether a note to the parents may be made of a conversation: with live consent, and not of their own talks."""
    row: tuple[int] | None = db.execute(
        "SELECT parent_mode FROM conversations WHERE id = ?", (change.conversation,)
    ).fetchone()
    standing_now = standing(db, user=change.user, companion=change.companion, at=change.at)
    return row == (0,) and standing_now.granted("notes")


def _given(db: sqlite3.Connection, kind: JobKind, conversation: str, revision: int) -> int:
    """The last position that a job of ``kind`` was given, as the conversation stands; 0 without one."""
    row: tuple[int] = db.execute(
        "SELECT COALESCE(MAX(last), 0) FROM jobs WHERE kind = ? AND conversation = ? AND revision = ?",
        (kind, conversation, revision),
    ).fetchone()
    return row[0]


def _queue(
    db: sqlite3.Connection, change: ConversationClosed | JobsQueued, job: JobSpec, revision: int
) -> None:
    db.execute(
        """
        INSERT INTO jobs (id, user_id, companion, conversation, kind, first, last, revision, stored, at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (id) DO NOTHING
        ON CONFLICT (kind, conversation, first, last, revision) DO UPDATE SET state = 'waiting', attempts = 0,
            not_before = 0, stored = excluded.stored, reason = NULL, ended_at = NULL
            WHERE ? AND state IN ('done', 'parked')
        """,
        (
            job.id,
            change.user,
            change.companion,
            change.conversation,
            job.kind,
            job.first,
            job.last,
            revision,
            next_number(db),
            change.at,
            job.again,
        ),
    )


def requeue_jobs(db: sqlite3.Connection, conversation: str, revision: int) -> None:
    """Something was removed: what is not done, and all but facts, is done anew as the talk stands now.

    The rows get other ids, so that nobody who read the talk as it was can end them (D20). A partial summary of an
    open talk is asked for again by the talk itself.
    """
    rows: list[tuple[str]] = db.execute(
        """
        SELECT id FROM jobs WHERE conversation = ? AND revision < ? AND kind <> 'partial'
            AND (state <> 'done' OR kind <> 'facts')
        """,
        (conversation, revision),
    ).fetchall()
    for (id_,) in rows:
        db.execute(
            """
            UPDATE OR IGNORE jobs SET id = ?, revision = ?, stored = ?, state = 'waiting', attempts = 0,
                not_before = 0, lease_until = NULL, worker = NULL, reason = NULL, ended_at = NULL WHERE id = ?
            """,
            (f"{id_.partition('~')[0]}~{revision}", revision, next_number(db), id_),
        )
    db.execute(
        "DELETE FROM jobs WHERE conversation = ? AND revision < ? AND state <> 'done'",
        (conversation, revision),
    )


def due_jobs(
    db: sqlite3.Connection, at: int, limit: int = 100, kinds: Sequence[JobKind] = ALL_KINDS
) -> tuple[Job, ...]:
    """The jobs of ``kinds`` that may be worked on at ``at``, the oldest first.

    Of one kind and conversation the earlier part comes first, unless it has failed: then it holds up nothing.
    """
    wanted = ", ".join(f"'{kind}'" for kind in kinds if kind in ALL_KINDS)
    rows: list[Row] = db.execute(
        f"""
        SELECT {_COLUMNS} FROM jobs WHERE state IN ('waiting', 'running') AND {_DUE} AND kind IN ({wanted})
            AND NOT EXISTS (SELECT 1 FROM jobs e WHERE e.conversation = jobs.conversation
                AND e.kind = jobs.kind AND e.stored < jobs.stored
                AND (e.state = 'running' OR (e.state = 'waiting' AND e.attempts = 0)))
        ORDER BY stored LIMIT ?3
        """,  # noqa: S608  # constants of ours
        (at, DAY_MS, limit),
    ).fetchall()
    return tuple(_job_of(row) for row in rows)


def claim_job(db: sqlite3.Connection, id: str, *, worker: str, at: int, lease_ms: int) -> Job | None:  # noqa: A002  # the change's word
    """Take the lease of a job and count an attempt; None when it is not due or another worker holds it."""
    row: Row | None = db.execute(
        f"""
        UPDATE jobs SET state = 'running', attempts = attempts + 1, worker = ?4, lease_until = ?1 + ?5
        WHERE id = ?3 AND {_DUE} RETURNING {_COLUMNS}
        """,  # noqa: S608  # constants of ours
        (at, DAY_MS, id, worker, lease_ms),
    ).fetchone()
    return None if row is None else _job_of(row)


def _job_of(row: Row) -> Job:
    return Job(
        id=row[0],
        kind=row[1],
        user=row[2],
        companion=row[3],
        conversation=row[4],
        first=row[5],
        last=row[6],
        revision=row[7],
        attempts=row[8],
    )


def end_job(db: sqlite3.Connection, change: Change, job: str, conversation: str) -> Refused | None:
    """End a job in the transaction of its result; ``state.conflict`` when it may have none any more.

    It may have none when it ended before, when it is not this owner's, or when something it read was removed.
    """
    ended = db.execute(
        """
        UPDATE jobs SET state = 'done', ended_at = ?, lease_until = NULL, worker = NULL, reason = NULL
        WHERE id = ? AND user_id = ? AND companion = ? AND conversation = ?
            AND state IN ('waiting', 'running')
            AND revision = (SELECT revision FROM conversations WHERE id = jobs.conversation)
        """,
        (change.at, job, change.user, change.companion, conversation),
    ).rowcount
    return None if ended else Refused("state.conflict")


def job_failed(db: sqlite3.Connection, change: JobFailed) -> Outcome:
    """Wait for another attempt, or park: visible to staff, and out of everyone's way."""
    state = "parked" if change.again_at is None else "waiting"
    db.execute(
        """
        UPDATE jobs SET state = ?, not_before = ?, reason = ?, lease_until = NULL, worker = NULL, ended_at = ?,
            attempts = attempts - ?
        WHERE id = ? AND user_id = ? AND companion = ? AND state IN ('waiting', 'running')
        """,
        (
            state,
            change.again_at or 0,
            change.reason,
            change.at if change.again_at is None else None,
            0 if change.counted else 1,
            change.job,
            change.user,
            change.companion,
        ),
    )
    return Landed()


def parked_jobs(db: sqlite3.Connection, limit: int = 100) -> tuple[Parked, ...]:
    """The jobs that failed for good, the oldest first."""
    rows: list[Row] = db.execute(
        f"SELECT {_COLUMNS}, reason, ended_at FROM jobs WHERE state = 'parked' ORDER BY stored LIMIT ?",  # noqa: S608  # as above
        (limit,),
    ).fetchall()
    return tuple(Parked(job=_job_of(row), reason=row[9], at=row[10]) for row in rows)


def release_jobs(db: sqlite3.Connection, worker: str | None = None) -> int:
    """At a start nobody works on anything: every lease of before ends, or those of the ``worker`` that starts.

    Returns how many there were.
    """
    return db.execute(
        """
        UPDATE jobs SET state = 'waiting', not_before = 0, lease_until = NULL, worker = NULL
        WHERE state = 'running' AND (?1 IS NULL OR worker = ?1)
        """,
        (worker,),
    ).rowcount


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """How many jobs there are that have not ended."""

    waiting: int = 0
    running: int = 0
    parked: int = 0


def count_jobs(db: sqlite3.Connection, kinds: Sequence[JobKind] = ALL_KINDS) -> Counts:
    """How many jobs of ``kinds`` there are, by state."""
    wanted = ", ".join(f"'{kind}'" for kind in kinds if kind in ALL_KINDS)
    rows: list[tuple[str, int]] = db.execute(
        f"""
        SELECT state, COUNT(*) FROM jobs WHERE state IN ('waiting', 'running', 'parked') AND kind IN ({wanted})
        GROUP BY state
        """  # noqa: S608  # constants of ours
    ).fetchall()
    return msgspec.convert(dict(rows), Counts)


def retry_jobs(db: sqlite3.Connection, jobs: Sequence[str] | None = None) -> int:
    """Let parked jobs be tried again from the beginning, all of them unless named; how many there were."""
    found = [each.job.id for each in parked_jobs(db, limit=100_000)]
    chosen = [each for each in found if jobs is None or each in jobs]
    db.executemany(
        """
        UPDATE jobs SET state = 'waiting', attempts = 0, not_before = 0, reason = NULL, ended_at = NULL
        WHERE id = ? AND state = 'parked'
        """,
        [(each,) for each in chosen],
    )
    return len(chosen)
