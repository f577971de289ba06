"""An older copy is put in the store's place while the server is down: no client goes on as if nothing had happened."""

import os
import shutil
import sqlite3
import threading
from pathlib import Path

import anyio

from loadtest.client import connected
from loadtest.model_script import Script
from protocol.session_frames import ConversationSnapshot, Notice, Resume
from protocol.talk_frames import MessageCreated
from server.opening import found
from server.order_line import STORE_FILE
from storage.connection import read_only
from storage.mark import MARK
from storage.order import next_number, reached
from tests.server.scenes import played
from tests.server.test_resuming import LIMITS


async def met(
    folder: Path, resume: Resume | None, *said: str
) -> tuple[Resume, list[str], list[str], list[int]]:
    """A life of the server: where its client stands in the end, what it was shown, told, and given as positions."""
    async with played(folder, Script(text="Yes."), limits=LIMITS) as scene, connected(scene.url) as talker:
        await talker.hello(companion="serenity", user="ann", resume=resume, conversation="last")
        for text in said:
            await talker.talk(text)
        shown = [
            m.text for each in talker.events if isinstance(each, ConversationSnapshot) for m in each.messages
        ]
        told = [each.code for each in talker.events if isinstance(each, Notice)]
        given = [each.position for each in talker.events if isinstance(each, MessageCreated)]
        return talker.resume_point(), shown, told, given


async def test_positions_that_clients_have_seen_are_not_given_out_again_in_the_same_epoch(
    tmp_path: Path,
) -> None:
    first, *_ = await met(tmp_path, None, "One.")
    file = tmp_path / "data" / STORE_FILE
    copy = shutil.copy(file, tmp_path / "older.db")
    point, _, _, given = await met(tmp_path, first, "Two.", "Three.")
    assert (point.epoch, given) == (first.epoch, [3, 4, 5, 6])
    shutil.copy(copy, file)
    back, shown, told, given = await met(tmp_path, point, "Four.")
    assert given == [3, 4]
    assert back.epoch != point.epoch, "the client has seen other messages at these places"
    assert shown == ["One.", "Yes."]
    assert "store.restored" in told
    again, shown, told, given = await met(tmp_path, back, "Five.")
    assert (again.epoch, given) == (back.epoch, [5, 6])
    assert shown == ["One.", "Yes.", "Four.", "Yes."]
    assert "store.restored" not in told


async def test_what_is_committed_while_the_store_is_closed_is_noted_and_nothing_stays_open(
    tmp_path: Path,
) -> None:
    begun, free = threading.Event(), threading.Event()

    def counts(db: sqlite3.Connection) -> int:
        begun.set()
        assert free.wait(30)
        return next_number(db)

    async with anyio.create_task_group() as tasks, found(tmp_path / STORE_FILE, "acked", None) as opened:
        tasks.start_soon(opened.store.transact, counts)
        await anyio.to_thread.run_sync(begun.wait)
        threading.Timer(0.1, free.set).start()  # the store waits for it, and is closed then
    with read_only(tmp_path / STORE_FILE) as db:
        epoch, counter = reached(db)
    assert (tmp_path / MARK).read_text() == f"{epoch} {counter:020d}\n"
    assert str(tmp_path / MARK) not in open_files()


def open_files() -> set[str]:
    return {os.path.realpath(each) for each in Path("/proc/self/fd").iterdir()}
