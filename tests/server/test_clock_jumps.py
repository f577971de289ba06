"""The clock of the machine jumps beneath a real process: nothing ends early, nothing is removed."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from loadtest.client import Talker, connected
from loadtest.nursery import Nursery
from protocol.conversation_frames import ConversationArchive
from protocol.session_frames import ConversationSnapshot
from server.order_line import STORE_FILE
from storage.backups import backups
from storage.connection import inline
from storage.lock import held
from storage.migrating import back_up
from tests.server.unwell import texts, until

DAY_SECONDS = 24 * 3_600
YEARS_SECONDS = 10 * 365 * DAY_SECONDS


def shifted(shift: Path, seconds: int) -> None:
    """The clock of the server is off by so much; at no moment is the file there without a number."""
    fresh = shift.with_suffix(".fresh")
    fresh.write_text(str(seconds), encoding="ascii")
    fresh.replace(shift)


@pytest.mark.compiler
async def test_a_clock_that_jumps_by_ten_years_or_boots_in_1970_ends_nothing_early_and_removes_nothing(
    tmp_path: Path, shimmed: Nursery
) -> None:
    shift, data = tmp_path / "shift", tmp_path / "run" / "data"
    environment = {"SHIFT": str(shift)}
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
        shifted(shift, first)
        async with (
            shimmed.server_process(tmp_path / "run", environment=environment) as server,
            connected(server.url) as talker,
        ):
            await talker.hello(companion="serenity", user="ann", conversation="last" if number else None)
            if number:
                snapshot = await talker.next(ConversationSnapshot)
                assert [each.text for each in snapshot.messages if each.role == "user"] == said
            talks.append(await say(talker, f"Start {number}."))
            for jump in (YEARS_SECONDS, -YEARS_SECONDS, to_1970, 0):
                shifted(shift, jump)
                talks.append(await say(talker, f"A jump to {jump} in run {number}."))
    assert len(set(talks)) == 1, "no silence was seen where there was none"
    assert texts(data) == said
    assert len(backups(data)) >= 1
    with closing(sqlite3.connect(data / STORE_FILE)) as db:
        (position,) = db.execute("SELECT MAX(position) FROM messages").fetchone()
        assert position == 2 * len(said)
        times = [row[0] / 1_000 for row in db.execute("SELECT at FROM messages ORDER BY position")]
    for jump in (0, to_1970, YEARS_SECONDS, -YEARS_SECONDS):
        there = time.time() + jump
        assert any(abs(each - there) < DAY_SECONDS for each in times), f"the clock did not jump: {times}"
    async with shimmed.server_process(tmp_path / "run", environment=environment) as server:
        how = await until(server, lambda how: how["retention"] != "ok")
        assert how["retention"] == "clock_behind", (
            "it was ten years ahead once: staff have to say what day it is"
        )


@pytest.mark.compiler
async def test_what_was_put_away_is_there_after_a_jump_of_ten_years(tmp_path: Path, shimmed: Nursery) -> None:
    shift, run = tmp_path / "shift", tmp_path / "run"
    environment = {
        "SHIFT": str(shift),
        "FIRESIDE_DATA_PURGE_ARCHIVED_DAYS": "30",
    }
    async with (
        shimmed.server_process(run, environment=environment) as server,
        connected(server.url) as talker,
    ):
        await talker.hello(companion="serenity", user="ann")
        ack = await talker.say("Put me away.")
        await talker.answer()
        await talker.ask(ConversationArchive(id=talker.new_id(), conversation=str(ack.conversation)))
    shifted(shift, YEARS_SECONDS)
    async with shimmed.server_process(run, environment=environment) as server:
        await until(server, lambda how: how["retention"] == "long_since")
    assert texts(run / "data") == ["Put me away."]
