"""After a failed fsync nothing is acknowledged until the database was opened anew and a checkpoint succeeded (D3)."""

from pathlib import Path

import anyio
import pytest

from loadtest.client import connected
from loadtest.nursery import Nursery
from protocol.talk_frames import Durable


@pytest.mark.compiler
async def test_no_ack_is_durable_until_the_store_was_opened_anew(tmp_path: Path, shimmed: Nursery) -> None:
    failing = tmp_path / "failing"
    environment = {"FAILING": str(failing)}
    async with (
        shimmed.server_process(tmp_path / "run", environment=environment) as server,
        connected(server.url) as talker,
    ):
        await talker.hello(companion="serenity", user="ann")
        await talker.talk("Good morning.")
        failing.touch()
        ack = await talker.say("Did that arrive?", id_="doubtful")
        assert (ack.durable, ack.reason) == (False, "storage.failed")
        await talker.answer()
        again = await talker.say("Did that arrive?", id_="doubtful")
        assert (again.message, again.durable) == (ack.message, False)
        with anyio.fail_after(60):
            while "store.not_reopened" not in server.log.read_text():  # noqa: ASYNC110  # the log is all there is to see
                await anyio.sleep(0.05)
        failing.unlink()
        landed = await talker.next(Durable, seconds=30)
        assert ack.message in landed.messages
        assert (await talker.say("And now?")).durable
        assert "store.reopened" in server.log.read_text()
