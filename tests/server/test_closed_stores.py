"""A store that may not be written when the server starts: it starts all the same, and says so."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from loadtest.client import connected
from loadtest.model_script import Script
from loadtest.model_server import model_server
from loadtest.nursery import Nursery
from loadtest.process import server_process
from protocol.conversation_frames import ConversationList
from server.order_line import STORE_FILE
from tests.disks import fill, mounted
from tests.server.test_forgetting import asked
from tests.server.unwell import health, until

LONG_ANSWER = (
    "The roses are in bloom today, and the lavender has grown as tall as the bench. Two blackbirds nest in the hedge "
    "behind the shed. Somebody has painted the gate green, which looks fresh. Along the wall the first tomatoes turn "
    "red, and the old apple tree bears more fruit than its branches can hold. I would water the pots in the evening."
)
WITHOUT_ROOTS_RIGHTS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner")


@pytest.mark.parametrize("what", ["the folder", "its files"])
async def test_without_the_right_to_write_it_starts_says_so_and_shows_what_is_there(
    tmp_path: Path, what: str, born: Nursery
) -> None:
    data, before = tmp_path / "data", WITHOUT_ROOTS_RIGHTS if os.geteuid() == 0 else ()
    if before and not shutil.which(before[0]):
        pytest.skip("root may write whatever the rights are, and setpriv is not here")
    async with born.server_process(tmp_path) as server, connected(server.url) as talker:
        await talker.hello(companion="serenity", user="ann")
        await talker.talk("This was before.")
        await (server.stop() if what == "the folder" else server.kill())  # without a log none can be made
    if "files" in what:
        for file in data.iterdir():
            file.chmod(0o400)
    if "the folder" in what:
        data.chmod(0o500)
    try:
        async with server_process(tmp_path, before=before) as server, connected(server.url) as talker:
            assert (await health(server))[1]["status"] == "storage.read_only"
            await talker.hello(companion="serenity", user="ann")
            assert not (await talker.say("Is anybody there?")).durable
            assert (await talker.answer()).text
            (talk,) = (await asked(talker, ConversationList(id=talker.new_id())))["conversations"]
            assert talk["preview"] == "This was before."
    finally:
        data.chmod(0o700)


async def test_on_a_disk_that_was_full_at_the_start_it_starts_says_so_and_ends_what_was_open_later(
    tmp_path: Path, born: Nursery
) -> None:
    """What a start has to write (the end of an open answer, what was erased) is refused: it starts all the same."""
    async with model_server(Script(text=LONG_ANSWER, hold_after=40)) as model:
        arguments = ["--model", f"openai:m@{model.url}/v1"]
        with mounted(tmp_path / "data", "64m") as data:
            async with born.server_process(tmp_path, arguments) as server, connected(server.url) as talker:
                await talker.hello(companion="serenity", user="ann")
                await talker.say("How is the garden?")
                with anyio.fail_after(60):
                    while not checkpointed_answer(data):  # noqa: ASYNC110  # the file is all there is to see
                        await anyio.sleep(0.1)
                await server.kill()
            fill(data / "filler")
            async with born.server_process(tmp_path, arguments) as server:
                assert (await health(server))[1]["status"] == "storage.full"
                async with connected(server.url) as talker:
                    await talker.hello(companion="serenity", user="ann")
                    assert not (await talker.say("Is anybody there?")).durable
                (data / "filler").unlink()
                await until(server, lambda how: how["status"] == "ok")
            with closing(sqlite3.connect(data / STORE_FILE)) as db:
                rows = db.execute("SELECT text, status FROM messages WHERE role = 'assistant'").fetchall()
                assert [status for text, status in rows if text.startswith("The roses")].count(
                    "interrupted"
                ) == 1
        assert "Traceback" not in (tmp_path / "server.log").read_text()


def checkpointed_answer(data: Path) -> bool:
    with closing(sqlite3.connect(data / STORE_FILE)) as db:
        return db.execute("SELECT 1 FROM open_responses WHERE text != ''").fetchone() is not None
