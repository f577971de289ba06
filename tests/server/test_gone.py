"""Deleted is gone, whatever happened in whatever order (guarantee 8), over the real server and its files."""

import random
import tempfile
from pathlib import Path
from typing import Any

import pytest

from loadtest.client import Talker, connected
from loadtest.model_script import Script
from protocol.conversation_frames import (
    ConversationClose,
    ConversationDelete,
    ConversationHistory,
    ConversationList,
)
from protocol.memory_frames import MemoryAdd, MemoryEdit, MemoryForget, MemoryList, MemorySearch
from server.app import STORE_FILE
from server.ids import now_ms
from server.retention import Retention
from server.scrubber import Scrubber
from server.settings import Limits
from storage.backups import BACKUP_LIFE_MS, backups, expire, set_aside
from storage.connection import opened
from storage.migrating import back_up
from tests.server.scenes import Scene, played
from tests.server.test_forgetting import asked, in_files, said

CANARY = "zanzibarquince"
WITH = (
    f"I live in {CANARY} and I work as a nurse.",
    f"I am allergic to {CANARY}.",
    f"My sister {CANARY.capitalize()} is a teacher.",
    f"Why does the {CANARY} never bloom?",
)
WITHOUT = ("Good morning.", "I love jazz.", "I moved to Berlin.", "What shall I do today?")


class Play:
    """A random life with a companion, from a seed: what was said with the canary in it is deleted in the end."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.marked: list[tuple[str, str]] = []  # message and its conversation

    async def live(self, scene: Scene, steps: int) -> None:
        """One run of the server."""
        async with scene.greeted() as talker:
            for _ in range(steps):
                await self.step(talker)

    async def step(self, talker: Talker) -> None:
        match self.chance.choice(("with", "with", "without", "close", "delete", "search", "add")):
            case "with":
                self.marked.append(await said(talker, self.chance.choice(WITH)))
            case "without":
                await said(talker, self.chance.choice(WITHOUT))
            case "close":
                await talker.ask(ConversationClose(id=talker.new_id()))
            case "delete" if self.marked:
                await self.delete(talker, self.marked.pop(self.chance.randrange(len(self.marked))))
            case "add":
                await talker.ask(MemoryAdd(id=talker.new_id(), text="Call me Ann"))
            case _:
                await asked(talker, MemorySearch(id=talker.new_id(), query=CANARY))

    async def delete(self, talker: Talker, marked: tuple[str, str]) -> None:
        message, conversation = marked
        if self.chance.random() < 0.3:
            await talker.ask(ConversationDelete(id=talker.new_id(), conversation=conversation))
            self.marked = [each for each in self.marked if each[1] != conversation]
        else:
            await talker.ask(MemoryForget(id=talker.new_id(), item=message))

    async def delete_the_rest(self, talker: Talker) -> None:
        while self.marked:
            await self.delete(talker, self.marked.pop())


async def answers(talker: Talker) -> str:
    """Everything a client can ask for."""
    told: list[Any] = [await asked(talker, MemoryList(id=talker.new_id()))]
    told.append(await asked(talker, MemorySearch(id=talker.new_id(), query=CANARY)))
    page = await asked(talker, ConversationList(id=talker.new_id(), limit=200))
    told.append(page)
    for each in page["conversations"]:
        history = ConversationHistory(id=talker.new_id(), conversation=each["conversation"], limit=200)
        told.append(await asked(talker, history))
    return str(told).lower()


@pytest.mark.parametrize("seed", range(8))
async def test_what_is_deleted_is_in_no_answer_no_prompt_and_no_byte(seed: int) -> None:
    play = Play(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        limits = Limits(drain_seconds=1.0, commands_per_second=1_000.0)
        for _ in range(2):  # with a restart in between
            async with played(folder, Script(text="Yes."), limits=limits) as scene:
                await play.live(scene, 7)
        async with played(folder, Script(text="Yes."), limits=limits) as scene, scene.greeted() as talker:
            play.marked.append(await said(talker, WITH[0]))
            assert in_files(scene.data), f"seed {seed}: the scan finds nothing where there is something"
            assert CANARY in await answers(talker)
            await play.delete_the_rest(talker)
            assert in_files(scene.data) == [], f"seed {seed}"
            before = len(scene.model.requests)
            await said(talker, "Where do I live, and what am I allergic to?")
            assert CANARY not in await answers(talker), f"seed {seed}"
            later = " ".join(request.body.decode() for request in scene.model.requests[before:])
            assert CANARY not in later.lower(), f"seed {seed}"
            await talker.ask(ConversationClose(id=talker.new_id()))
        async with (
            played(folder, Script(text="Yes."), limits=limits) as scene,
            connected(scene.url) as talker,
        ):
            await talker.hello(companion="serenity", user="ann")
            assert CANARY not in await answers(talker), f"seed {seed}"
        assert in_files(folder / "data") == [], f"seed {seed}"


DAY_MS = 24 * 3_600_000


async def test_no_byte_holds_a_forgotten_fact_when_it_can_no_longer_be_taken_back(tmp_path: Path) -> None:
    async with played(tmp_path, Script(text="Yes.")) as scene, scene.greeted() as talker:
        for text in (f"I keep my key under the {CANARY}", "I love jazz"):
            await talker.ask(MemoryAdd(id=talker.new_id(), text=text))
        told = await asked(talker, MemoryList(id=talker.new_id()))
        (fact,) = (each["fact"] for each in told["facts"] if CANARY in each["text"])
        await talker.ask(MemoryForget(id=talker.new_id(), item=fact))
        assert CANARY not in await answers(talker)
        assert in_files(scene.data)  # it can be taken back for a day
    path = tmp_path / "data" / STORE_FILE
    async with opened(path, now=now_ms) as store:
        retention = Retention(store, path.parent, Scrubber(store, path.parent), now_ms=now_ms)
        await retention.look(now_ms() + DAY_MS - 60_000)
        assert in_files(path.parent)
        await retention.look(now_ms() + DAY_MS + 60_000)
        assert in_files(path.parent) == []


async def test_what_the_next_change_puts_out_of_reach_is_cleaned_at_the_latest_at_the_end(
    tmp_path: Path,
) -> None:
    async with played(tmp_path, Script(text="Yes.")) as scene, scene.greeted() as talker:
        await talker.ask(MemoryAdd(id=talker.new_id(), text=f"I keep my key under the {CANARY}"))
        (told,) = (await asked(talker, MemoryList(id=talker.new_id())))["facts"]
        edited = MemoryEdit(id=talker.new_id(), item=told["fact"], text="I keep my key at home")
        now = (await asked(talker, edited))["fact"]["fact"]
        await talker.ask(MemoryForget(id=talker.new_id(), item=now))
        await talker.ask(MemoryAdd(id=talker.new_id(), text="I love jazz"))
    assert in_files(tmp_path / "data") == []


async def test_a_copy_of_the_store_goes_after_a_week_and_not_by_a_clock_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "fireside.db"
    week = BACKUP_LIFE_MS
    async with opened(path, now=lambda: 0) as store:
        await store.transact(lambda db: db.execute("UPDATE store SET newest_at = 1"))
        await store.tend(lambda db: back_up(db, path, 5_000))
        retention = Retention(store, tmp_path, Scrubber(store, tmp_path), now_ms=lambda: 0)
        await retention.look(
            week + 4_999
        )  # beyond a week after the newest stored time: nobody confirmed the date
        assert len(backups(tmp_path)) == 1
        await store.transact(lambda db: db.execute("UPDATE store SET newest_at = 6000, purged_at = 6000"))
        await retention.look(week + 4_999)
        assert len(backups(tmp_path)) == 1
        await retention.look(week + 5_000)
        assert backups(tmp_path) == ()


def test_a_damaged_store_that_was_set_aside_is_known_and_goes_after_thirty_days(tmp_path: Path) -> None:
    folder = tmp_path / "set-aside" / "20260102T030405Z"
    folder.mkdir(parents=True)
    (folder / "fireside.db").write_bytes(b"damaged")
    (found,) = set_aside(tmp_path)
    assert found.expires_at - found.at == 30 * 24 * 3_600_000
    assert expire(tmp_path, found.expires_at - 1) == ()
    assert expire(tmp_path, found.expires_at) == ("20260102T030405Z",)
    assert not folder.exists()
