"""What becomes of a talk when it has ended: a summary by its own words, and what must stay out of it."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio

from loadtest.client import connected
from protocol.conversation_frames import ConversationClose
from server.app import STORE_FILE
from tests.server.serving import serving, settings


async def rows(folder: Path, question: str) -> list[tuple[Any, ...]]:  # Any: a row
    """What the store answers, once it answers something."""
    with anyio.fail_after(60):
        while True:
            with closing(sqlite3.connect(folder / STORE_FILE)) as db:
                found = db.execute(question).fetchall()
            if found:
                return found
            await anyio.sleep(0.05)


async def contents(folder: Path, table: str) -> list[str]:
    """What a table of results holds, once it holds something."""
    return [bytes(content).decode() for (content,) in await rows(folder, f"SELECT content FROM {table}")]


async def test_a_closed_talk_is_summed_up_once_in_the_persons_words(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann")
        await talker.talk("I keep waking at four and worry about work.")
        await talker.ask(ConversationClose(id=talker.new_id()))
        (summary,) = await contents(tmp_path, "summaries")
        assert json.loads(summary)["quote"] == "I keep waking at four and worry about work."


async def test_what_was_said_of_self_harm_stays_out_of_the_summary(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann")
        await talker.talk("I keep waking at four and worry about work.")
        await talker.talk("Sometimes I want to kill myself with the pills in the blue drawer.")
        await talker.ask(ConversationClose(id=talker.new_id()))
        (summary,) = await contents(tmp_path, "summaries")
        assert "pills" not in summary
        assert "kill" not in summary


async def test_what_was_stated_is_found_with_the_message_it_rests_on(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann")
        said = await talker.say("I live in Lisbon and work as a nurse.")
        await talker.answer()
        await talker.ask(ConversationClose(id=talker.new_id()))
        facts = await rows(tmp_path, "SELECT value, grounds FROM facts WHERE status = 'active'")
        assert any("Lisbon" in value for value, _ in facts)
        assert {grounds for _, grounds in facts} == {said.message}
