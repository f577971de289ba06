"""Whoever waits for a store that hangs is told in time; what was taken back is not done, what had begun is."""

import sqlite3
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import anyio
import pytest

from storage.connection import Store, opened
from storage.patience import Patient, StoreSilent, longer

SOON = 0.1


class Hang:
    """A function that keeps the database's thread until it is let go."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.free = threading.Event()

    def __call__(self, db: sqlite3.Connection) -> str:
        self.begun.set()
        assert self.free.wait(30)
        return _one(db)


def _one(db: sqlite3.Connection) -> str:
    return str(db.execute("SELECT 'answer'").fetchone()[0])


@asynccontextmanager
async def hanging(store: Store) -> AsyncGenerator[Hang]:
    """The thread of ``store`` has a function in hand while the block runs."""
    hang = Hang()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(store.read, hang)
        await anyio.to_thread.run_sync(hang.begun.wait)
        try:
            yield hang
        finally:
            hang.free.set()


async def test_a_question_is_given_up_in_time_and_answered_when_the_disk_is_back(tmp_path: Path) -> None:
    async with opened(tmp_path / "fireside.db") as store:
        patient, ran = Patient(store, SOON), threading.Event()
        async with hanging(store) as hang:
            with pytest.raises(StoreSilent) as silent, anyio.fail_after(10):
                await patient.read(lambda _: ran.set())
            assert silent.value.code == "storage.busy"
            for _ in range(3):  # who comes while it hangs does not wait, and leaves nothing behind
                with pytest.raises(StoreSilent), anyio.move_on_after(0):
                    await patient.read(lambda _: ran.set())
            hang.free.set()
            await store.read(_one)
            assert await patient.read(_one) == "answer"
        assert not ran.is_set(), "nobody waited for it any more"


async def test_a_question_that_itself_hangs_is_left_behind(tmp_path: Path) -> None:
    async with opened(tmp_path / "fireside.db") as store:
        patient, hang = Patient(store, SOON), Hang()
        with pytest.raises(StoreSilent), anyio.fail_after(10):
            await patient.read(hang)
        hang.free.set()
        await store.read(_one)
        assert await patient.read(_one) == "answer"


async def test_a_transaction_that_was_taken_back_is_not_done_and_one_that_had_begun_has_its_outcome(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path / "fireside.db") as store:
        patient, ran = Patient(store, SOON), threading.Event()
        async with hanging(store):
            with pytest.raises(StoreSilent), anyio.fail_after(10):
                await patient.transact(lambda _: ran.set())
        await store.read(_one)
        assert not ran.is_set()
        begun = Hang()
        outcome: list[str] = []
        async with anyio.create_task_group() as tasks:

            async def wait() -> None:
                outcome.append(await patient.transact(begun))

            tasks.start_soon(wait)
            await anyio.to_thread.run_sync(begun.begun.wait)
            await anyio.sleep(3 * SOON)  # beyond all patience
            begun.free.set()
        assert outcome == ["answer"]


async def test_what_was_taken_back_and_refused_before_it_began_keeps_nobody_out(tmp_path: Path) -> None:
    path = tmp_path / "fireside.db"
    async with opened(path) as store:
        patient, ran = Patient(store, SOON), threading.Event()
        await store.tend(lambda db: db.execute("PRAGMA busy_timeout = 10"))
        with closing(sqlite3.connect(path, isolation_level=None)) as another:
            another.execute("BEGIN IMMEDIATE")  # a backup, a second program
            async with hanging(store):
                with pytest.raises(StoreSilent), anyio.fail_after(10):
                    await patient.transact(lambda _: ran.set())
            await store.read(_one)  # the thread is through with all that came before
        assert await patient.read(_one) == "answer"
        assert not ran.is_set()


async def test_a_question_with_a_long_answer_is_waited_for_longer(tmp_path: Path) -> None:
    async with opened(tmp_path / "fireside.db") as store:
        patient = Patient(store, SOON)
        answers: list[str] = []
        async with hanging(store) as hang, anyio.create_task_group() as tasks:

            async def wait() -> None:
                answers.append(await longer(patient, 30.0).read(_one))

            tasks.start_soon(wait)
            await anyio.sleep(3 * SOON)
            hang.free.set()
        assert answers == ["answer"]
