"""The jobs in sight of staff: how many wait and how many gave up, and another try for those that did.

Staff ask on the command line. A server that runs holds the store, so the request is a small file in the data folder
that names jobs and nothing else; the server takes it up within seconds. It puts old summaries away, too.
"""

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import anyio
import structlog

from companions.companion import Companion
from server.aftercare import EXTRACTOR, NOTER, SUMMARIZER
from server.metrics import Metrics
from storage.connection import Store
from storage.jobs import Counts, count_jobs, retry_jobs
from storage.private_files import private
from storage.refusals import StoreRefused
from storage.summaries import archive_summaries, with_old_summaries

RETRY_FILE = "jobs.retry"
LOOK_SECONDS = 2.0
ARCHIVE_SECONDS = 3_600.0
MOST_NAMED = 10_000
DAY_MS = 24 * 3_600_000
KINDS = (*SUMMARIZER, *EXTRACTOR, *NOTER)

log: structlog.stdlib.BoundLogger = structlog.get_logger("jobs")


def ask_for_retry(folder: Path, jobs: Sequence[str]) -> None:
    """Leave word for the server that holds ``folder``: these jobs once more, all parked ones where none is named."""
    fresh = folder / f"{RETRY_FILE}.{os.getpid()}"
    private(fresh, "\n".join(jobs).encode())
    fresh.replace(folder / RETRY_FILE)


def asked_for(folder: Path) -> list[str] | None:
    """What was asked for, once; None when nothing was. An empty list is every parked job."""
    file = folder / RETRY_FILE
    try:
        named = file.read_text(encoding="utf-8", errors="replace").split()
        file.unlink()
    except OSError:
        return None
    return named[:MOST_NAMED]


class JobKeeper:
    """Looks after the jobs of a running server."""

    def __init__(
        self,
        store: Store,
        folder: Path,
        companions: Mapping[str, Companion],
        *,
        metrics: Metrics,
        nudge: Callable[[str], None],
        now_ms: Callable[[], int],
    ) -> None:
        self.counts = Counts()
        self._store = store
        self._folder = folder
        self._companions = companions
        self._metrics = metrics
        self._nudge = nudge
        self._now_ms = now_ms

    async def __call__(self) -> None:
        """Look again and again, for ever."""
        archive_at = time.monotonic()
        while True:
            try:
                await self.look()
                if time.monotonic() >= archive_at:
                    await self.archive()
                    archive_at = time.monotonic() + ARCHIVE_SECONDS
            except StoreRefused as refused:
                log.warning("jobs.unseen", code=refused.code)
            await anyio.sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Take up what staff asked for, and count."""
        named = asked_for(self._folder)
        if named is not None:
            again = await self._store.transact(lambda db: retry_jobs(db, named or None))
            log.info("jobs.retried", jobs=again)
            self._nudge("")
        self.counts = await self._store.read(lambda db: count_jobs(db, KINDS))
        self._metrics.jobs_now(self.counts.waiting, self.counts.running, self.counts.parked)

    async def archive(self) -> None:
        """Put away the summaries that their companions keep no longer (wellness document, retention)."""
        at = self._now_ms()
        for companion in _archiving(self._companions.values()).values():
            policy = companion.policy.summary
            if policy is None or policy.archive_after_days is None:
                continue
            before = at - policy.archive_after_days * DAY_MS
            whose = await self._store.read(
                partial(with_old_summaries, companion=companion.id, kept=policy.kept, before=before)
            )
            for user in whose:
                await archived(self._store, companion, user, at)


def _archiving(companions: Iterable[Companion]) -> dict[str, Companion]:
    return {
        each.id: each
        for each in companions
        if each.policy.summary is not None and each.policy.summary.archive_after_days is not None
    }


async def archived(store: Store, companion: Companion, user: str, at: int) -> int:
    """Put away what one person's window of summaries no longer holds; how many."""
    policy = companion.policy.summary
    if policy is None or policy.archive_after_days is None:
        return 0
    days = policy.archive_after_days
    return await store.transact(
        lambda db: archive_summaries(
            db, user=user, companion=companion.id, kept=policy.kept, before=at - days * DAY_MS, at=at
        )
    )
