"""Faults of the store beneath a real process: it starts, it says so, nothing acknowledged is lost, and it heals."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import anyio
import anyio.abc
import pytest

from loadtest.client import connected
from loadtest.model_script import Script
from loadtest.model_server import model_server
from loadtest.nursery import Nursery
from protocol.conversation_frames import ConversationHistory, ConversationList
from protocol.session_frames import Notice
from protocol.talk_frames import ResponseDone, ResponseStarted
from server.order_line import STORE_FILE
from server.spilling import SPILL_FILE
from storage.connection import inline
from storage.lock import held
from tests.disks import mounted, remounted
from tests.server.test_forgetting import asked
from tests.server.unwell import health, locked, texts, told, until

SOON = {"FIRESIDE_LIMITS_DRAIN_SECONDS": "1"}
"""For servers that start anew by themselves: they wait no longer for what cannot land where nothing can be written."""

# -------------------------------------------------- a file system that cannot be written


@pytest.mark.parametrize("after", ["a stop", "a kill"])
async def test_on_a_read_only_file_system_it_starts_says_so_shows_what_is_there_and_heals(
    tmp_path: Path, after: str, born: Nursery
) -> None:
    with mounted(tmp_path / "data", "48m") as data:
        async with born.server_process(tmp_path) as server, connected(server.url) as talker:
            await talker.hello(companion="serenity", user="ann")
            await talker.talk("This was before.")
            if after == "a kill":
                await server.kill()
            else:
                await server.stop()
        remounted(data, "ro")
        async with born.server_process(tmp_path, environment=SOON) as server:
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
async def test_a_file_system_that_turns_read_only_while_it_serves(tmp_path: Path, shimmed: Nursery) -> None:
    refusing = tmp_path / "refusing"
    environment = {"REFUSING": str(refusing)}
    async with (
        shimmed.server_process(tmp_path / "run", environment=environment) as server,
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


async def test_another_program_that_holds_the_lock_costs_nothing(tmp_path: Path, born: Nursery) -> None:
    data, said = tmp_path / "data", [f"Number {number}." for number in range(2)]
    async with born.server_process(tmp_path) as server, connected(server.url) as talker:
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


async def test_once_the_lock_of_the_start_is_gone_the_server_starts_anew_by_itself(
    tmp_path: Path, born: Nursery
) -> None:
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
        async with born.server_process(tmp_path, environment=SOON) as server:
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
    tmp_path: Path, born: Nursery
) -> None:
    data = tmp_path / "data"
    async with model_server(Script(text="The roses are in bloom today.", hold_after=2)) as model:
        arguments = ["--model", f"openai:m@{model.url}/v1"]
        async with born.server_process(tmp_path, arguments) as server, connected(server.url) as talker:
            await talker.hello(companion="serenity", user="ann")
            ack = await talker.say("How is the garden?")
            assert ack.durable
            await talker.next(ResponseStarted)
            async with locked(data / STORE_FILE):
                (await model.asked()).go_on()
                done = await talker.next(ResponseDone, seconds=40)
                assert not done.durable
                with anyio.fail_after(60):
                    while done.text.encode() not in (data / SPILL_FILE).read_bytes():  # noqa: ASYNC110  # the file is all there is to see
                        await anyio.sleep(0.05)
                await server.kill()
        async with born.server_process(tmp_path, arguments):
            pass
    with closing(sqlite3.connect(data / STORE_FILE)) as db:
        rows = db.execute("SELECT role, text, status FROM messages ORDER BY position").fetchall()
    assert rows == [("user", "How is the garden?", "completed"), ("assistant", done.text, done.status)]
    assert done.text.encode() not in (data / SPILL_FILE).read_bytes()


# -------------------------------------------------- its file is not where it was


@pytest.mark.parametrize("another", [False, True])
async def test_a_folder_that_is_moved_away_takes_no_promise_with_it(
    tmp_path: Path, born: Nursery, another: bool
) -> None:
    data, away = tmp_path / "data", tmp_path / "away"
    async with born.server_process(tmp_path, environment=SOON) as server, connected(server.url) as talker:
        await talker.hello(companion="serenity", user="ann")
        await talker.talk("Good morning.")
        data.rename(away)
        if another:  # somebody put a folder in its place, with a store of its own
            with held(data), inline(data / STORE_FILE):
                pass
        ack = await talker.say("Did that arrive?")
        assert (ack.durable, ack.reason) == (False, "storage.failed")
        assert (await talker.answer()).text
        assert (await health(server))[0] == 503
        if another:
            data.rename(tmp_path / "other")
        assert not data.exists(), "nothing is begun in its place"
        away.rename(data)
        await told(talker, str(ack.message))
        assert (await talker.say("And now?")).durable
    assert texts(data) == ["Good morning.", "Did that arrive?", "And now?"]
