"""A store that refuses does not silence the companion; what was said waits and lands, once."""

import json
import sqlite3
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from loadtest.client import Refusal, connected
from loadtest.nursery import Nursery
from protocol.conversation_frames import ConversationList
from protocol.session_frames import Notice
from protocol.talk_frames import Durable
from server.app import STORE_FILE
from server.spilling import SPILL_FILE
from storage.migrating import back_up
from tests.disks import fill, mounted
from tests.server.serving import serving, settings


def texts(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / STORE_FILE)) as db:
        return [
            text for (text,) in db.execute("SELECT text FROM messages WHERE role = 'user' ORDER BY position")
        ]


async def test_a_store_held_by_another_program(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann")
        await talker.talk("First of all, good morning.")
        with closing(sqlite3.connect(tmp_path / STORE_FILE, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            ack = await talker.say("Is anybody there?")
            assert (ack.durable, ack.reason) == (False, "storage.busy")
            done = await talker.answer()
            assert done.text
            other.execute("ROLLBACK")
        durable = {
            message for event in [await talker.next(Durable, seconds=30)] for message in event.messages
        }
        assert ack.message in durable
    assert texts(tmp_path) == ["First of all, good morning.", "Is anybody there?"]


def set_aside(folder: Path) -> list[bytes]:
    return [each.read_bytes() for each in folder.glob(f"set-aside/*/{STORE_FILE}")]


def read(url: str) -> bytes:
    with urllib.request.urlopen(url) as answered:
        content: bytes = answered.read()
        return content


@pytest.fixture
def small_disk(tmp_path: Path) -> Generator[Path]:
    """A file system of 12 MiB."""
    with mounted(tmp_path / "small", "12m") as place:
        yield place


async def test_a_full_disk_and_room_again_without_a_restart(small_disk: Path) -> None:
    async with serving(settings(small_disk)) as url, connected(url) as talker:
        await talker.hello(user="ann")
        await talker.talk("Good morning.")
        filler = small_disk / "filler"
        fill(filler)
        ack = await talker.say("A long story. " * 2_000)
        assert (ack.durable, ack.reason) == (False, "storage.full")
        assert (await talker.answer()).text
        filler.unlink()
        landed = await talker.next(Durable, seconds=30)
        assert ack.message in landed.messages
    assert texts(small_disk) == ["Good morning.", "A long story. " * 2_000]


async def test_beside_a_store_that_cannot_be_used_the_companion_still_talks(tmp_path: Path) -> None:
    file, code = tmp_path / STORE_FILE, "storage.newer"
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA user_version = 99")
    before = file.read_bytes()
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        welcome = await talker.hello(user="ann", conversation="last")
        assert welcome.conversation is None
        assert (await talker.next(Notice)).code == code
        ack = await talker.say("Is anybody there?")
        assert (ack.durable, ack.reason) == (False, code)
        assert (await talker.answer()).text
        with pytest.raises(Refusal) as refused:
            await talker.ask(ConversationList(id=talker.new_id()))
        assert refused.value.code == code
        answered = urllib.request.Request(url.replace("ws:", "http:").replace("/ws", "/healthz"))
        with pytest.raises(urllib.error.HTTPError) as unwell:
            await anyio.to_thread.run_sync(urllib.request.urlopen, answered)
        assert unwell.value.code == 503
        unwell.value.close()
    assert file.read_bytes() == before


async def test_a_damaged_store_is_set_aside_the_backup_comes_back_and_both_are_told(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        before = await talker.hello(user="ann")
        await talker.talk("This was before the backup.")
    file = tmp_path / STORE_FILE
    with closing(sqlite3.connect(file)) as db:
        back_up(db, file, 1_000)
    spoiled = b"this was a store once" * 100
    file.write_bytes(spoiled)
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        welcome = await talker.hello(user="ann", conversation="last")
        assert welcome.epoch != before.epoch
        told = await talker.next(Notice)
        assert told.code == "store.restored"
        assert told.say
        await talker.talk("And this is after it.")
        health = await anyio.to_thread.run_sync(read, url.replace("ws:", "http:").replace("/ws", "/healthz"))
        assert json.loads(health)["restored"]["backup"]
    assert texts(tmp_path) == ["This was before the backup.", "And this is after it."]
    assert set_aside(tmp_path) == [spoiled]


async def test_what_was_said_while_the_store_refused_is_there_after_a_kill(
    tmp_path: Path, born: Nursery
) -> None:
    data = tmp_path / "data"
    async with born.server_process(tmp_path) as server, connected(server.url) as talker:
        await talker.hello(companion="serenity", user="ann")
        await talker.talk("First of all, good morning.")
        point = talker.resume_point()
        with closing(sqlite3.connect(data / STORE_FILE, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            ack = await talker.say("Is anybody there?", id_="in the dark")
            assert not ack.durable
            await talker.answer()
            with anyio.fail_after(60):  # SQLite waits 5 s for the other before it refuses
                while b"Is anybody there?" not in (data / SPILL_FILE).read_bytes():  # noqa: ASYNC110  # the file is all there is to see
                    await anyio.sleep(0.1)
            await server.kill()
    async with born.server_process(tmp_path) as server, connected(server.url) as talker:
        await talker.hello(companion="serenity", user="ann", resume=point)
        again = await talker.say("Is anybody there?", id_="in the dark")
        assert (again.message, again.durable) == (ack.message, True)
    assert texts(data) == ["First of all, good morning.", "Is anybody there?"]
    assert b"Is anybody there?" not in (data / SPILL_FILE).read_bytes()
