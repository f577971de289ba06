"""The seam to SQLite: never cut short, always closed, private, plain in refusals."""

import logging
import sqlite3
import threading
from pathlib import Path

import anyio
import pytest

from storage.apply import apply_all
from storage.connection import Store, inline, opened
from storage.engine import errors
from storage.messages import history
from storage.refusals import StoreRefused, refused_by_os
from tests.storage.making import ANNA, said


def path_in(folder: Path) -> Path:
    return folder / "data" / "fireside.sqlite3"


async def count(store: Store) -> int:
    return await store.read(lambda db: int(db.execute("SELECT COUNT(*) FROM settings").fetchone()[0]))


def put(db: sqlite3.Connection, key: str) -> None:
    db.execute("INSERT INTO settings VALUES ('u', 'c', ?, 'v', 0)", (key,))


async def test_an_exception_undoes_all_of_its_transaction(store: Store) -> None:
    def fails(db: sqlite3.Connection) -> None:
        put(db, "a")
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        await store.transact(fails)
    assert await count(store) == 0
    await store.transact(lambda db: put(db, "b"))
    assert await count(store) == 1


async def test_a_question_cannot_write(store: Store) -> None:
    with pytest.raises(StoreRefused) as refused:
        await store.read(lambda db: put(db, "a"))
    assert refused.value.code == "storage.read_only"
    await store.transact(lambda db: put(db, "b"))
    assert await count(store) == 1


async def test_a_wrong_statement_is_an_exception_of_ours_to_mend(store: Store) -> None:
    with pytest.raises(errors("OperationalError"), match="no such table"):
        await store.read(lambda db: db.execute("SELECT * FROM nowhere"))


async def test_a_cancelled_waiter_leaves_the_function_running_to_its_end(tmp_path: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow(db: sqlite3.Connection) -> None:
        put(db, "a")
        begun.set()
        assert go_on.wait(10)
        put(db, "b")

    async with opened(path_in(tmp_path)) as store:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(store.transact, slow)
            await anyio.to_thread.run_sync(begun.wait)
            tasks.cancel_scope.cancel()
        go_on.set()
        assert await count(store) == 2


async def test_a_cancelled_host_closes_the_store_and_leaves_no_thread(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with anyio.CancelScope() as scope:
        async with opened(path_in(tmp_path)) as store:
            await store.transact(lambda db: put(db, "a"))
            scope.cancel()
            await anyio.sleep_forever()
    left = set(threading.enumerate()) - before
    for each in left:  # one that has done its work may still be on its way out
        each.join(5)
    assert not any(each.is_alive() for each in left)
    assert not path_in(tmp_path).with_name("fireside.sqlite3-wal").exists(), (
        "the last to close clears the log"
    )
    with inline(path_in(tmp_path)) as again:
        assert await count(again) == 1


@pytest.mark.parametrize(("durability", "level"), [("acked", 2), ("debounced", 2), ("process", 1)])
async def test_each_durability_syncs_as_much_as_it_promises(
    tmp_path: Path, durability: str, level: int
) -> None:
    async with opened(path_in(tmp_path), durability) as store:  # type: ignore[arg-type] # one of the literals
        pragmas = ("synchronous", "foreign_keys", "secure_delete", "busy_timeout", "journal_mode")
        found = [
            await store.read(lambda db, name=name: db.execute(f"PRAGMA {name}").fetchone()[0])  # type: ignore[misc] # bound here
            for name in pragmas
        ]
    assert found == [level, 1, 1, 5_000, "wal"]


async def test_only_the_owner_can_look_into_folder_and_file(tmp_path: Path) -> None:
    async with opened(path_in(tmp_path)):
        path = path_in(tmp_path)
        assert path.parent.stat().st_mode & 0o777 == 0o700
        for file in path.parent.iterdir():
            assert file.stat().st_mode & 0o777 == 0o600, file.name


async def test_a_lock_held_by_another_program_is_told_as_busy(tmp_path: Path) -> None:
    async with opened(path_in(tmp_path)) as store:
        await store.read(lambda db: db.execute("PRAGMA busy_timeout = 10"))
        other = sqlite3.connect(path_in(tmp_path), isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreRefused) as refused:
            await store.transact(lambda db: put(db, "a"))
        assert refused.value.code == "storage.busy"
        other.close()
        await store.transact(lambda db: put(db, "a"))
        assert await count(store) == 1


async def test_a_full_disk_is_told_as_full_and_takes_words_again_later(tmp_path: Path) -> None:
    async with opened(path_in(tmp_path)) as store:
        pages = await store.read(lambda db: int(db.execute("PRAGMA page_count").fetchone()[0]))
        await store.read(lambda db: db.execute(f"PRAGMA max_page_count = {pages}"))
        large = said("c", 1, "x" * 100_000)
        with pytest.raises(StoreRefused) as refused:
            await store.transact(lambda db: apply_all(db, [large]))
        assert refused.value.code == "storage.full"
        await store.read(lambda db: db.execute("PRAGMA max_page_count = 1000000"))
        await store.transact(lambda db: apply_all(db, [large]))
        found = await store.read(lambda db: history(db, user=ANNA, conversation="c"))
        assert len(found) == 1


@pytest.mark.parametrize("content", [b"not a database at all" * 10, b"SQLite format 3\x00"])
async def test_what_is_no_database_is_told_as_damaged_and_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "fireside.sqlite3"
    path.write_bytes(content)
    with pytest.raises(StoreRefused) as refused:
        async with opened(path):
            pass
    assert refused.value.code == "storage.damaged"
    assert path.read_bytes() == content


def test_errors_of_the_file_system_are_told_apart() -> None:
    codes = {number: refused_by_os(OSError(number, "x")).code for number in (28, 122, 30, 13, 5)}
    assert codes == {
        28: "storage.full",
        122: "storage.full",
        30: "storage.read_only",
        13: "storage.read_only",
        5: "storage.failed",
    }


async def test_no_log_line_shows_what_was_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with opened(path_in(tmp_path)) as store:
        await store.transact(lambda db: apply_all(db, [said("c", 1, "canary")]))
        await store.read(lambda db: history(db, user=ANNA, conversation="c"))
    assert caplog.records, "aiosqlite logs what it runs"
    assert "canary" not in caplog.text
