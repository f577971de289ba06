"""The keeper: what is old goes, only while the clock can be believed; copies are made while it serves, and told."""

import json
import urllib.request
from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from loadtest.client import connected
from protocol.conversation_frames import ConversationArchive
from protocol.memory_frames import MemoryAdd, MemoryList
from server.cli_app import app
from server.copying import Copier, DailyCopies
from server.ids import now_ms
from server.order_line import STORE_FILE
from server.retention import DAY_MS, Retention, today
from server.scrubber import Scrubber
from storage.backups import backups
from storage.connection import Store, inline, opened, transacted
from tests.disks import fill, mounted
from tests.server.serving import serving, settings
from tests.server.test_forgetting import asked
from tests.storage.contract.landing import land
from tests.storage.making import said


async def get(url: str, path: str) -> str:
    def read() -> str:
        with urllib.request.urlopen(url.replace("ws:", "http:").replace("/ws", path)) as answered:
            content: bytes = answered.read()
            return content.decode()

    return await anyio.to_thread.run_sync(read)


def run(*arguments: str) -> None:
    with pytest.raises(SystemExit) as left:
        app(list(arguments))
    assert left.value.code in (0, None)


def retention_of(store: Store, folder: Path, at: int, days: int = 0) -> Retention:
    return Retention(store, folder, Scrubber(store, folder), now_ms=lambda: at, archived_days=days)


def _rests(retention: Retention) -> str | None:
    return retention.rests


def _failed(copies: DailyCopies) -> str | None:
    return copies.failed


def newest(folder: Path, at: int, purged: int | None = None) -> None:
    """The newest stored time, and when it was last looked for what is old."""
    with inline(folder / STORE_FILE) as store:
        store.db.execute("UPDATE store SET newest_at = ?, purged_at = ?", (at, purged))


async def test_retention_rests_says_why_and_goes_on_when_staff_confirm_the_date(tmp_path: Path) -> None:
    at = now_ms()
    async with opened(tmp_path / STORE_FILE) as store:
        await land(store, said("c", 1, at=at - 30 * DAY_MS))
        long_off = retention_of(store, tmp_path, at)
        await long_off.look(at)
        assert _rests(long_off) == "long_since"
        assert not await long_off.heard()
        (tmp_path / "date.confirmed").write_text("2020-02-02", encoding="ascii")
        assert not await long_off.heard(), "the clock here says another date"
        (tmp_path / "date.confirmed").write_text(today(at), encoding="ascii")
        assert await long_off.heard()
        await long_off.look(at)
        assert _rests(long_off) is None
        behind = retention_of(store, tmp_path, at)
        await behind.look(at - DAY_MS)
        assert _rests(behind) == "clock_behind"


async def test_staff_confirm_the_date_with_the_server_stopped_and_running(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ("--data", str(tmp_path))
    with inline(tmp_path / STORE_FILE):
        pass
    newest(tmp_path, now_ms() - 30 * DAY_MS)
    run("date", "show", *data)
    assert "more than 7 days" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="The clock here says"):
        app(["date", "confirm", "2020-02-02", *data])
    run("date", "confirm", today(now_ms()), *data)
    run("date", "show", *data)
    assert "the clock is believed" in capsys.readouterr().out
    newest(tmp_path, now_ms() - 30 * DAY_MS)
    async with serving(settings(tmp_path)) as url:
        with anyio.fail_after(60):
            while json.loads(await get(url, "/healthz"))["retention"] != "long_since":  # noqa: ASYNC110  # it is told by GET alone
                await anyio.sleep(0.05)
            await anyio.to_thread.run_sync(run, "date", "confirm", today(now_ms()), *data)
            while json.loads(await get(url, "/healthz"))["retention"] != "ok":  # noqa: ASYNC110  # as above
                await anyio.sleep(0.05)
    assert "The running server was told" in capsys.readouterr().out


async def test_what_was_put_away_goes_after_the_operators_time_and_not_by_a_clock_that_is_wrong(
    tmp_path: Path,
) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann")
        await talker.talk("Good morning.")
        told = await talker.say("And on.")
        await talker.answer()
        await talker.ask(ConversationArchive(id=talker.new_id(), conversation=str(told.conversation)))
    at = now_ms()
    async with opened(tmp_path / STORE_FILE) as store:

        async def left() -> int:
            return await store.read(
                lambda db: int(db.execute("SELECT COUNT(*) FROM conversations").fetchone()[0])
            )

        for wrong in (0, at - 3_650 * DAY_MS, at + 3_650 * DAY_MS):
            await retention_of(store, tmp_path, wrong, days=3).look(wrong)
            assert await left() == 1
        await retention_of(store, tmp_path, at, days=0).look(at + 4 * DAY_MS)
        assert await left() == 1, "without a time of the operator's nothing that was put away goes"
        await retention_of(store, tmp_path, at, days=3).look(at + 2 * DAY_MS + 1)
        assert await left() == 1
        await retention_of(store, tmp_path, at, days=3).look(at + 3 * DAY_MS + 60_000)
        assert await left() == 0


async def test_what_is_put_away_under_a_clock_that_went_back_is_not_old_at_once(tmp_path: Path) -> None:
    with inline(tmp_path / STORE_FILE) as store:
        from_now = now_ms()
        await land(store, said("c", 1, at=from_now))
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann")
        message = await talker.say("Good morning.")
        await talker.answer()
        newest(tmp_path, from_now + DAY_MS)
        await talker.ask(ConversationArchive(id=talker.new_id(), conversation=str(message.conversation)))
    with inline(tmp_path / STORE_FILE) as store:
        row = store.db.execute("SELECT archived_at FROM conversations WHERE archived = 1").fetchone()
    assert row == (from_now + DAY_MS,)


async def test_by_a_clock_that_jumped_nothing_is_called_stale(tmp_path: Path) -> None:
    async with serving(settings(tmp_path, companion="extremis")) as url, connected(url) as talker:
        await talker.hello(companion="extremis", user="ann")
        await talker.ask(MemoryAdd(id=talker.new_id(), text="I love jazz"))
        with inline(tmp_path / STORE_FILE) as store:
            store.db.execute("UPDATE facts SET recorded_at = recorded_at - ?", (91 * DAY_MS,))
        (told,) = (await asked(talker, MemoryList(id=talker.new_id())))["facts"]
        assert told["stale"]
        newest(tmp_path, now_ms() - 10 * DAY_MS)  # as if the clock had jumped ahead by ten days
        (told,) = (await asked(talker, MemoryList(id=talker.new_id())))["facts"]
        assert not told.get("stale", False)


async def test_a_copy_is_made_while_it_serves_and_the_room_is_told(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    async with serving(chosen) as url, connected(url) as talker:
        await talker.hello(user="ann")
        await talker.talk("Good morning.")
        copies = DailyCopies(Copier(tmp_path), tmp_path, hours=24, now_ms=now_ms)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(copies.make)
            await talker.talk("And while it is made?")
        (copy,) = backups(tmp_path)
        figures = await get(url, "/metrics")
        assert f'fireside_storage_bytes{{part="backups"}} {float(copy.path.stat().st_size)}' in figures
        assert json.loads(await get(url, "/healthz"))["copies"] == "ok"


async def test_the_first_copy_is_made_when_there_is_none_and_the_next_after_its_time(tmp_path: Path) -> None:
    with inline(tmp_path / STORE_FILE):
        pass
    clock = [now_ms()]
    copies = DailyCopies(Copier(tmp_path), tmp_path, hours=24, now_ms=lambda: clock[0], first=0.0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(copies)
        with anyio.fail_after(60):
            while not backups(tmp_path):  # noqa: ASYNC110  # the file is all there is to see
                await anyio.sleep(0.02)
        tasks.cancel_scope.cancel()
    again = DailyCopies(Copier(tmp_path), tmp_path, hours=24, now_ms=lambda: clock[0])
    assert not again._due()
    clock[0] += DAY_MS
    assert again._due()
    await again.make()
    assert len(backups(tmp_path)) == 2
    clock[0] = 0
    assert not again._due(), "once a run, where the clock is off"


async def test_a_copy_for_which_there_is_no_room_is_told_and_made_later(tmp_path: Path) -> None:
    with mounted(tmp_path / "small", "60m") as small:
        with inline(small / STORE_FILE):
            pass
        fill(small / "filler")
        copies = DailyCopies(Copier(small), small, hours=24, now_ms=now_ms)
        await copies.make()
        assert _failed(copies) == "storage.full"
        (small / "filler").unlink()
        await copies.make()
        assert _failed(copies) is None
        assert len(backups(small)) == 1


async def test_cleaning_waits_for_a_copy_that_hurries_then(tmp_path: Path) -> None:
    path = tmp_path / STORE_FILE
    async with opened(path) as store:
        await store.transact(
            lambda db: db.execute("INSERT INTO settings VALUES ('u', 'c', 'k', ?, 0)", ("x" * 20_000_000,))
        )
        scrubber = Scrubber(store, tmp_path)
        order: list[str] = []
        done = None

        async def copy() -> None:
            await scrubber.copier.copy(now_ms())
            order.append("copied")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(copy)
            await anyio.wait_all_tasks_blocked()
            done = await scrubber.now()
            order.append("cleaned")
        assert order == ["copied", "cleaned"]
        assert done is not None
        assert done.clean, "no reader held the log"


def test_the_room_that_everything_takes_up_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with inline(tmp_path / STORE_FILE) as store:
        transacted(store.db, lambda db: db.execute("INSERT INTO settings VALUES ('u', 'c', 'k', 'v', 0)"))
    run("storage", "--data", str(tmp_path))
    told = capsys.readouterr().out
    assert "database" in told
    assert "left on disk" in told
    assert "0 copies" in told


async def test_without_a_word_of_the_operator_no_copy_is_made(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    async with serving(replace(chosen, data=replace(chosen.data, backup_hours=0))) as url:
        assert json.loads(await get(url, "/healthz"))["copies"] == "ok"
    copies = DailyCopies(Copier(tmp_path), tmp_path, hours=0, now_ms=now_ms, first=0.0)
    await copies()
    assert backups(tmp_path) == ()
