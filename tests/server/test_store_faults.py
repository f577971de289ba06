"""Faults of the store beneath a real process: it starts, it says so, nothing acknowledged is lost, and it heals."""

import json
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import anyio
import anyio.abc
import pytest

from loadtest.client import Talker, connected
from loadtest.model_script import Script
from loadtest.model_server import model_server
from loadtest.process import ServerProcess, server_process
from protocol.conversation_frames import ConversationArchive, ConversationHistory, ConversationList
from protocol.session_frames import ConversationSnapshot, Notice
from protocol.talk_frames import Durable, ResponseDone, ResponseStarted
from server.order_line import STORE_FILE
from server.restoring import DAMAGED_FILE, Watch, made_whole
from server.spilling import SPILL_FILE
from storage.backups import backups
from storage.connection import ThreadStore, inline, opened
from storage.damage import CHECKED_AT_START
from storage.lock import held
from storage.migrating import back_up
from storage.refusals import StoreRefused
from tests.disks import fill, mounted, remounted
from tests.server.shims import built
from tests.server.test_forgetting import asked

YEARS_SECONDS = 10 * 365 * 24 * 3_600


async def health(server: ServerProcess) -> tuple[int, dict[str, Any]]:  # Any: JSON
    def get() -> tuple[int, bytes]:
        try:
            with urllib.request.urlopen(f"http://{server.address}/healthz") as answered:
                return 200, answered.read()
        except urllib.error.HTTPError as unwell:
            with unwell:
                return unwell.code, unwell.read()

    code, content = await anyio.to_thread.run_sync(get)
    return code, json.loads(content)


async def until(server: ServerProcess, seen: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:  # Any: JSON
    """Ask how the server is until ``seen``; while it starts anew nobody answers."""
    with anyio.fail_after(60):
        while True:
            try:
                _, told = await health(server)
            except (OSError, ValueError):
                told = {}
            if told and seen(told):
                return told
            await anyio.sleep(0.1)


def texts(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / STORE_FILE)) as db:
        return [
            text for (text,) in db.execute("SELECT text FROM messages WHERE role = 'user' ORDER BY stored")
        ]


async def told(talker: Talker, *messages: str | None) -> None:
    """Wait until all of ``messages`` are said to be durable."""
    left = set(messages)
    while left:
        left -= set((await talker.next(Durable, seconds=60)).messages)


# -------------------------------------------------- a file system that cannot be written


@pytest.mark.parametrize("after", ["a stop", "a kill"])
async def test_on_a_read_only_file_system_it_starts_says_so_shows_what_is_there_and_heals(
    tmp_path: Path, after: str
) -> None:
    with mounted(tmp_path / "data", "48m") as data:
        async with server_process(tmp_path) as server, connected(server.url) as talker:
            await talker.hello(companion="serenity", user="ann")
            await talker.talk("This was before.")
            if after == "a kill":
                await server.kill()
            else:
                await server.stop()
        remounted(data, "ro")
        async with server_process(tmp_path) as server:
            async with connected(server.url) as talker:
                await talker.hello(companion="serenity", user="ann")
                assert (await talker.next(Notice)).code == "storage.read_only"
                ack = await talker.say("Is anybody there?")
                assert (ack.durable, ack.reason) == (False, "storage.read_only")
                assert (await talker.answer()).text
                listed = await asked(talker, ConversationList(id=talker.new_id()))
                (talk,) = listed["conversations"]
                history = ConversationHistory(id=talker.new_id(), conversation=talk["conversation"])
                shown = await asked(talker, history)
                assert shown["messages"][0]["text"] == "This was before."
            code, how = await health(server)
            assert (code, how["status"]) == (503, "storage.read_only")
            remounted(data, "rw")
            assert (await until(server, lambda how: how["status"] == "ok"))["status"] == "ok"
            async with connected(server.url) as talker:
                await talker.hello(companion="serenity", user="ann")
                assert (await talker.say("And now?")).durable
        assert texts(data)[0] == "This was before."
        assert texts(data)[-1] == "And now?"


@pytest.mark.compiler
async def test_a_file_system_that_turns_read_only_while_it_serves(tmp_path: Path) -> None:
    refusing = tmp_path / "refusing"
    environment = {"LD_PRELOAD": str(built("refused_writes.c", tmp_path)), "REFUSING": str(refusing)}
    async with (
        server_process(tmp_path / "run", environment=environment) as server,
        connected(server.url) as talker,
    ):
        await talker.hello(companion="serenity", user="ann")
        await talker.talk("Good morning.")
        refusing.touch()
        ack = await talker.say("Did that arrive?")
        assert not ack.durable
        assert (await talker.answer()).text
        assert (await health(server))[0] == 503
        refusing.unlink()
        await told(talker, str(ack.message))
        assert (await talker.say("And now?")).durable
    assert texts(tmp_path / "run" / "data") == ["Good morning.", "Did that arrive?", "And now?"]


# -------------------------------------------------- another program holds the lock

HOLD = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""


@asynccontextmanager
async def locked(file: Path) -> AsyncGenerator[None]:
    """While the block runs another process holds the store exclusively."""
    with subprocess.Popen(  # noqa: ASYNC220  # it is started at once, and waited for on a thread
        [sys.executable, "-c", HOLD, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert await anyio.to_thread.run_sync(other.stdout.readline) == b"held\n"
        try:
            yield
        finally:
            other.kill()


async def test_another_program_that_holds_the_lock_costs_nothing(tmp_path: Path) -> None:
    data, said = tmp_path / "data", [f"Number {number}." for number in range(2)]
    async with server_process(tmp_path) as server, connected(server.url) as talker:
        await talker.hello(companion="serenity", user="ann")
        await talker.talk("Good morning.")
        messages: list[str] = []
        async with locked(data / STORE_FILE):
            began = time.monotonic()
            for text in said:
                ack = await talker.say(text)
                assert not ack.durable
                messages.append(str(ack.message))
                await talker.answer()
            assert time.monotonic() - began >= 1.0, "what is said waits for a lock before it is answered"
            _, how = await health(server)
            assert how["waiting"] <= 1_000
        await told(talker, *messages)
    assert texts(data) == ["Good morning.", *said]


async def test_once_the_lock_of_the_start_is_gone_the_server_starts_anew_by_itself(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with held(data), inline(data / STORE_FILE):
        pass
    async with anyio.create_task_group() as tasks:
        gone = anyio.Event()

        async def hold(*, task_status: anyio.abc.TaskStatus[None]) -> None:
            async with locked(data / STORE_FILE):
                task_status.started()
                await gone.wait()

        await tasks.start(hold)
        async with server_process(tmp_path) as server:
            assert (await health(server))[0] == 503
            async with connected(server.url) as talker:
                await talker.hello(companion="serenity", user="ann")
                await talker.say("Is anybody there?")
                await talker.answer()
            gone.set()
            await until(server, lambda how: how["status"] == "ok")
            async with connected(server.url) as talker:
                await talker.hello(companion="serenity", user="ann")
                assert (await talker.say("And now?")).durable
    assert texts(data) == ["Is anybody there?", "And now?"]


# -------------------------------------------------- the exchange whose transaction failed (L2)


async def test_an_answer_whose_transaction_failed_is_in_the_journal_and_there_at_the_next_start(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    async with model_server(Script(text="The roses are in bloom today.", tokens_per_second=8.0)) as model:
        arguments = ["--model", f"openai:m@{model.url}/v1"]
        async with server_process(tmp_path, arguments) as server, connected(server.url) as talker:
            await talker.hello(companion="serenity", user="ann")
            ack = await talker.say("How is the garden?")
            assert ack.durable
            await talker.next(ResponseStarted)
            async with locked(data / STORE_FILE):
                done = await talker.next(ResponseDone, seconds=40)
                assert not done.durable
                with anyio.fail_after(40):
                    while done.text.encode() not in (data / SPILL_FILE).read_bytes():  # noqa: ASYNC110  # the file is all there is to see
                        await anyio.sleep(0.05)
                await server.kill()
        async with server_process(tmp_path, arguments):
            pass
    with closing(sqlite3.connect(data / STORE_FILE)) as db:
        rows = db.execute("SELECT role, text, status FROM messages ORDER BY position").fetchall()
    assert rows == [("user", "How is the garden?", "completed"), ("assistant", done.text, done.status)]
    assert done.text.encode() not in (data / SPILL_FILE).read_bytes()


# -------------------------------------------------- damage


def spoil(file: Path, at: float = 0.5, pages: int = 4) -> None:
    """Overwrite some pages, as a failing card would."""
    with file.open("r+b") as opened_:
        size = file.stat().st_size // 4_096
        opened_.seek(int(size * at) * 4_096)
        opened_.write(b"\xa5" * 4_096 * pages)


async def test_damage_of_a_large_store_is_found_while_it_serves_and_mended_at_once(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with server_process(tmp_path) as server, connected(server.url) as talker:
        await talker.hello(companion="serenity", user="ann")
        await talker.talk("This was before the backup.")
    with inline(data / STORE_FILE, "acked") as store:
        back_up(store.db, data / STORE_FILE, int(time.time() * 1_000))
        large = "x" * (CHECKED_AT_START + 6_000_000)
        store.db.execute("INSERT INTO settings VALUES ('u', 'c', 'k', ?, 0)", (large,))
        store.db.execute("INSERT INTO settings VALUES ('u', 'b', 'k', 'beyond the backup', 0)")
    spoil(data / STORE_FILE)
    async with server_process(tmp_path) as server:
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


async def test_a_damaged_store_that_cannot_be_restored_now_is_not_served(tmp_path: Path) -> None:
    with mounted(tmp_path / "data", "24m") as data:
        with held(data), inline(data / STORE_FILE) as store:
            store.db.execute("INSERT INTO settings VALUES ('u', 'c', 'k', ?, 0)", ("x" * 3_000_000,))
            back_up(store.db, data / STORE_FILE, 1_000)
        spoil(data / STORE_FILE)
        before = (data / STORE_FILE).read_bytes()
        fill(data / "filler")
        with (data / "filler").open("r+b") as filler:
            filler.truncate((data / "filler").stat().st_size - 500_000)  # enough to look at it
        async with server_process(tmp_path) as server, connected(server.url) as talker:
            await talker.hello(companion="serenity", user="ann")
            ack = await talker.say("Is anybody there?")
            assert (ack.durable, ack.reason) == (False, "storage.damaged")
            assert (await talker.answer()).text
            code, how = await health(server)
            assert (code, how["status"]) == (503, "storage.damaged")
        assert (data / STORE_FILE).read_bytes() == before
        (data / "filler").unlink()
        async with server_process(tmp_path) as server:
            assert (await health(server))[1]["restored"]["backup"]


# -------------------------------------------------- a clock that jumps


@pytest.mark.compiler
async def test_a_clock_that_jumps_by_ten_years_or_boots_in_1970_ends_nothing_early_and_removes_nothing(
    tmp_path: Path,
) -> None:
    shift, data = tmp_path / "shift", tmp_path / "run" / "data"
    environment = {"LD_PRELOAD": str(built("shifted_clock.c", tmp_path)), "SHIFT": str(shift)}
    to_1970 = 60 - int(time.time())
    said: list[str] = []

    async def say(talker: Talker, text: str) -> str:
        ack = await talker.say(text)
        assert ack.durable
        await talker.answer()
        said.append(text)
        return str(ack.conversation)

    talks: list[str] = []
    with held(data), inline(data / STORE_FILE) as store:
        back_up(store.db, data / STORE_FILE, int(time.time() * 1_000))
    for number, first in enumerate((0, to_1970)):
        shift.write_text(str(first), encoding="ascii")
        async with (
            server_process(tmp_path / "run", environment=environment) as server,
            connected(server.url) as talker,
        ):
            await talker.hello(companion="serenity", user="ann", conversation="last" if number else None)
            if number:
                snapshot = await talker.next(ConversationSnapshot)
                assert [each.text for each in snapshot.messages if each.role == "user"] == said
            talks.append(await say(talker, f"Start {number}."))
            for jump in (YEARS_SECONDS, -YEARS_SECONDS, to_1970, 0):
                shift.write_text(str(jump), encoding="ascii")
                talks.append(await say(talker, f"A jump to {jump} in run {number}."))
    assert len(set(talks)) == 1, "no silence was seen where there was none"
    assert texts(data) == said
    assert len(backups(data)) >= 1
    with closing(sqlite3.connect(data / STORE_FILE)) as db:
        (position,) = db.execute("SELECT MAX(position) FROM messages").fetchone()
        assert position == 2 * len(said)
        years = [row[0] for row in db.execute("SELECT at / 31557600000 FROM messages ORDER BY position")]
    assert {0, 46, 56, 66} <= set(years), f"the clock did not jump: {years}"
    async with server_process(tmp_path / "run", environment=environment) as server:
        how = await until(server, lambda how: how["retention"] != "ok")
        assert how["retention"] == "clock_behind", (
            "it was ten years ahead once: staff have to say what day it is"
        )


@pytest.mark.compiler
async def test_what_was_put_away_is_there_after_a_jump_of_ten_years(tmp_path: Path) -> None:
    shift, run = tmp_path / "shift", tmp_path / "run"
    environment = {
        "LD_PRELOAD": str(built("shifted_clock.c", tmp_path)),
        "SHIFT": str(shift),
        "FIRESIDE_DATA_PURGE_ARCHIVED_DAYS": "30",
    }
    async with server_process(run, environment=environment) as server, connected(server.url) as talker:
        await talker.hello(companion="serenity", user="ann")
        ack = await talker.say("Put me away.")
        await talker.answer()
        await talker.ask(ConversationArchive(id=talker.new_id(), conversation=str(ack.conversation)))
    shift.write_text(str(YEARS_SECONDS), encoding="ascii")
    async with server_process(run, environment=environment) as server:
        await until(server, lambda how: how["retention"] == "long_since")
    assert texts(run / "data") == ["Put me away."]
