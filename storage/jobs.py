"""Jobs: what is to be done with a talk. A row is the truth; whoever works on it holds a lease.

A job's key is (kind, conversation, first, last, revision), so the same work is queued once, and a result
takes effect once: in the transaction that ends the job.
"""

import sqlite3

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
from storage.order import next_number
from storage.rows import Row

DAY_MS = 24 * 3_600_000


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
    """Write the job rows that are not there yet."""
    for job in jobs:
        db.execute(
            """
            INSERT INTO jobs (id, user_id, companion, conversation, kind, first, last, revision, stored, at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
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
            ),
        )


def due_jobs(db: sqlite3.Connection, at: int, limit: int = 100) -> tuple[Job, ...]:
    """The jobs that may be worked on at ``at``, the oldest first."""
    rows: list[Row] = db.execute(
        f"""
        SELECT {_COLUMNS} FROM jobs WHERE state IN ('waiting', 'running') AND {_DUE} ORDER BY stored LIMIT ?3
        """,  # noqa: S608 - constants of ours
        (at, DAY_MS, limit),
    ).fetchall()
    return tuple(_job_of(row) for row in rows)


def claim_job(db: sqlite3.Connection, id: str, *, worker: str, at: int, lease_ms: int) -> Job | None:  # noqa: A002 - the change's word
    """Take the lease of a job and count an attempt; None when it is not due or another worker holds it."""
    row: Row | None = db.execute(
        f"""
        UPDATE jobs SET state = 'running', attempts = attempts + 1, worker = ?4, lease_until = ?1 + ?5
        WHERE id = ?3 AND {_DUE} RETURNING {_COLUMNS}
        """,  # noqa: S608 - constants of ours
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
        UPDATE jobs SET state = ?, not_before = ?, reason = ?, lease_until = NULL, worker = NULL, ended_at = ?
        WHERE id = ? AND user_id = ? AND companion = ? AND state IN ('waiting', 'running')
        """,
        (
            state,
            change.again_at or 0,
            change.reason,
            change.at if change.again_at is None else None,
            change.job,
            change.user,
            change.companion,
        ),
    )
    return Landed()


def parked_jobs(db: sqlite3.Connection, limit: int = 100) -> tuple[Parked, ...]:
    """The jobs that failed for good, the oldest first."""
    rows: list[Row] = db.execute(
        f"SELECT {_COLUMNS}, reason, ended_at FROM jobs WHERE state = 'parked' ORDER BY stored LIMIT ?",  # noqa: S608 - as above
        (limit,),
    ).fetchall()
    return tuple(Parked(job=_job_of(row), reason=row[9], at=row[10]) for row in rows)


def release_jobs(db: sqlite3.Connection) -> int:
    """At a start nobody works on anything: every lease of before ends. Returns how many there were."""
    return db.execute(
        """
        UPDATE jobs SET state = 'waiting', not_before = 0, lease_until = NULL, worker = NULL
        WHERE state = 'running'
        """
    ).rowcount
