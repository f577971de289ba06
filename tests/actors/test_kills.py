"""A worker is killed at every place where it waits: each job takes effect exactly once, on a real store."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import msgspec
import pytest

from actors.aftermath import Channel, Job, Taker
from actors.runtime import Address, Inbox
from actors.writer import Write
from companions.changes import AnyChange, JobKind, SummaryMade
from storage.apply import apply_groups
from storage.connection import InlineStore, inline
from storage.jobs import claim_job, count_jobs, due_jobs, release_jobs
from tests.actors.stage import nothing
from tests.clock import virtual_time
from tests.storage.fresh import placed
from tests.storage.making import ANNA, answered, closed, job, said

MOST_PLACES = 60


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:  # Any: anyio's own type for backend options
    return virtual_time()


class Killed(BaseException):
    """The process is gone: nothing after this runs."""


class Life:
    """One life of a process: it ends at the place where it waits for the ``ends_at``th time."""

    def __init__(self, store: InlineStore, ends_at: int | None) -> None:
        self.store = store
        self.ends_at = ends_at
        self.places = 0

    async def wait(self) -> None:
        self.places += 1
        if self.places == self.ends_at:
            raise Killed
        await anyio.lowlevel.checkpoint()

    # ------------------------------------------------------------ the queue

    async def due(self, kinds: Sequence[JobKind], at: int) -> Sequence[Job]:
        await self.wait()
        found = await self.store.read(lambda db: due_jobs(db, at, kinds=kinds))
        await self.wait()
        return [msgspec.convert(msgspec.structs.asdict(each), Job) for each in found]

    async def claim(self, job: str, *, worker: str, at: int, lease_ms: int) -> Job | None:
        await self.wait()
        taken = await self.store.transact(
            lambda db: claim_job(db, job, worker=worker, at=at, lease_ms=lease_ms)
        )
        await self.wait()
        return None if taken is None else msgspec.convert(msgspec.structs.asdict(taken), Job)

    async def release(self, worker: str) -> None:
        await self.wait()
        await self.store.transact(lambda db: release_jobs(db, worker))

    # ------------------------------------------------------------ the work, and where it lands

    async def perform(self, job: Job, at: int) -> AnyChange:
        await self.wait()
        return SummaryMade(
            user=job.user,
            companion=job.companion,
            at=at,
            job=job.id,
            summary=f"sum_{job.id}_{job.attempts}",
            conversation=job.conversation,
            content=msgspec.Raw(b"{}"),
            covers_first=job.first,
            covers_last=job.last,
            partial=False,
            made_by="extract",
            tokens=1,
        )

    async def write(self, writer: Address[Write]) -> None:
        async for write in Inbox(writer):
            await self.wait()
            (outcome,) = await self.store.transact(lambda db, each=write: apply_groups(db, [each.changes]))  # type: ignore[misc]  # bound by its default
            await self.wait()
            write.reply(outcome)

    async def live(self, workers: int) -> None:
        """Until everything is done, or the process is killed."""
        writer: Address[Write] = Address(10)
        channels = [Channel() for _ in range(workers)]
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self.write, writer)
                async with anyio.create_task_group() as taken:
                    for number, channel in enumerate(channels):
                        taken.start_soon(self.worker(f"w{number}", writer, channel))
                    await anyio.sleep(1_000)
                    for channel in channels:
                        channel.close()
                writer.close()
        finally:
            for channel in channels:
                channel.closed()

    def worker(self, name: str, writer: Address[Write], channel: Channel) -> Taker:
        return Taker(
            name,
            ("summary",),
            queue=self,
            perform=self.perform,
            writer=writer,
            channel=channel,
            now_ms=lambda: int(anyio.current_time() * 1_000),
            done=nothing,
        )


def with_two_closed_talks(folder: Path) -> Path:
    file = folder / "kills.db"
    with inline(placed(file)) as store:
        for name in ("a", "b"):
            changes = (said(name, 1), answered(name, 2), closed(name, job(f"job_{name}")))
            store.db.execute("BEGIN IMMEDIATE")
            apply_groups(store.db, [(change,) for change in changes])
            store.db.execute("COMMIT")
    return file


async def lived(file: Path, ends_at: int | None, workers: int = 1) -> bool:
    """One life; whether it was killed. At its end nothing of it is left but the file."""
    with inline(file) as store:
        await store.transact(release_jobs)
        try:
            await Life(store, ends_at).live(workers)
        except BaseExceptionGroup as group:
            if group.split(Killed)[1] is not None:
                raise
            return True
    return False


@pytest.mark.parametrize("workers", [1, 2])
async def test_killed_at_every_place_where_it_waits_each_result_takes_effect_once(
    tmp_path: Path, workers: int
) -> None:
    places = 0
    before = with_two_closed_talks(tmp_path).read_bytes()
    for ends_at in range(1, MOST_PLACES):
        file = tmp_path / f"{ends_at}.db"
        file.write_bytes(before)
        killed = await lived(file, ends_at, workers)
        await lived(file, None, workers)
        with inline(file) as store:
            rows = store.db.execute("SELECT conversation, user_id FROM summaries ORDER BY 1").fetchall()
            assert rows == [("a", ANNA), ("b", ANNA)], f"killed at place {ends_at}"
            assert count_jobs(store.db).waiting == count_jobs(store.db).parked == 0
        places += killed
        if not killed:
            break
    assert places >= 10, "there were places to be killed at"
