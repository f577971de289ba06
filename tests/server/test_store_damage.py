"""Damage of the store: it is found, also while it serves; the newest good backup comes back, and staff are told."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from loadtest.client import connected
from loadtest.nursery import Nursery
from protocol.session_frames import Notice
from server.order_line import STORE_FILE
from server.restoring import DAMAGED_FILE, Watch, made_whole
from storage.connection import ThreadStore, inline, opened
from storage.damage import CHECKED_AT_START
from storage.lock import held
from storage.migrating import back_up
from storage.refusals import StoreRefused
from tests.disks import fill, mounted
from tests.server.unwell import health, texts, until


def spoil(file: Path, at: float = 0.5, pages: int = 4) -> None:
    """Overwrite some pages, as a failing card would."""
    with file.open("r+b") as opened_:
        size = file.stat().st_size // 4_096
        opened_.seek(int(size * at) * 4_096)
        opened_.write(b"\xa5" * 4_096 * pages)


async def test_damage_of_a_large_store_is_found_while_it_serves_and_mended_at_once(
    tmp_path: Path, born: Nursery
) -> None:
    data = tmp_path / "data"
    async with born.server_process(tmp_path) as server, connected(server.url) as talker:
        await talker.hello(companion="serenity", user="ann")
        await talker.talk("This was before the backup.")
    with inline(data / STORE_FILE, "acked") as store:
        back_up(store.db, data / STORE_FILE, int(time.time() * 1_000))
        large = "x" * (CHECKED_AT_START + 6_000_000)
        store.db.execute("INSERT INTO settings VALUES ('u', 'c', 'k', ?, 0)", (large,))
        store.db.execute("INSERT INTO settings VALUES ('u', 'b', 'k', 'beyond the backup', 0)")
    spoil(data / STORE_FILE)
    async with born.server_process(tmp_path) as server:
        how = await until(server, lambda how: "restored" in how)
        assert how["restored"]["backup"]
        assert how["status"] == "ok"
        async with connected(server.url) as talker:
            await talker.hello(companion="serenity", user="ann")
            assert (await talker.next(Notice)).code == "store.restored"
            assert (await talker.say("And this is after it.")).durable
    assert texts(data) == ["This was before the backup.", "And this is after it."]
    assert not (data / DAMAGED_FILE).exists()
    with closing(sqlite3.connect(data / STORE_FILE)) as db:
        assert db.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        assert db.execute("SELECT value FROM settings WHERE companion = 'b'").fetchall() == [
            ("beyond the backup",)
        ]


async def test_damage_that_a_question_meets_is_written_down_and_asks_for_a_start(tmp_path: Path) -> None:
    path = tmp_path / STORE_FILE
    with inline(path, "acked") as store:
        for number in range(2_000):
            store.db.execute("INSERT INTO settings VALUES ('u', 'c', ?, ?, 0)", (str(number), "v" * 200))
    spoil(path, at=0.7, pages=16)
    watch = Watch(path)
    async with opened(path) as store:
        assert isinstance(store, ThreadStore)
        store.damaged = watch.saw
        with pytest.raises(StoreRefused):
            await store.read(lambda db: db.execute("SELECT MAX(LENGTH(value)) FROM settings").fetchall())
    assert watch.again.is_set()
    assert (tmp_path / DAMAGED_FILE).exists()
    restored = made_whole(path)
    assert restored is not None
    assert not isinstance(restored, StoreRefused)
    assert not (tmp_path / DAMAGED_FILE).exists()
    assert made_whole(path) is None


async def test_what_is_damaged_again_right_after_a_restore_is_told_and_starts_no_loop(tmp_path: Path) -> None:
    watch = Watch(tmp_path / STORE_FILE, restored=True)
    watch.saw("row 1 missing from index")
    assert watch.damage is not None
    assert not watch.again.is_set()
    assert not (tmp_path / DAMAGED_FILE).exists()


async def test_a_damaged_store_that_cannot_be_restored_now_is_not_served(
    tmp_path: Path, born: Nursery
) -> None:
    with mounted(tmp_path / "data", "24m") as data:
        with held(data), inline(data / STORE_FILE) as store:
            store.db.execute("INSERT INTO settings VALUES ('u', 'c', 'k', ?, 0)", ("x" * 3_000_000,))
            back_up(store.db, data / STORE_FILE, 1_000)
        spoil(data / STORE_FILE)
        before = (data / STORE_FILE).read_bytes()
        fill(data / "filler")
        with (data / "filler").open("r+b") as filler:
            filler.truncate((data / "filler").stat().st_size - 500_000)  # enough to look at it
        async with born.server_process(tmp_path) as server, connected(server.url) as talker:
            await talker.hello(companion="serenity", user="ann")
            ack = await talker.say("Is anybody there?")
            assert (ack.durable, ack.reason) == (False, "storage.damaged")
            assert (await talker.answer()).text
            code, how = await health(server)
            assert (code, how["status"]) == (503, "storage.damaged")
        assert (data / STORE_FILE).read_bytes() == before
        (data / "filler").unlink()
        async with born.server_process(tmp_path) as server:
            assert (await health(server))[1]["restored"]["backup"]
