"""After a failed fsync nothing is acknowledged until the database was opened anew and a checkpoint succeeded (D3)."""

import shutil
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from loadtest.client import connected
from loadtest.process import server_process
from protocol.talk_frames import Durable

SHIM = Path(__file__).with_name("failing_fsync.c")


@pytest.fixture
def shim(tmp_path: Path) -> Path:
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("a C compiler is needed to make fsync fail")
    library = tmp_path / "failing_fsync.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(SHIM), "-ldl"], check=True)
    return library


@pytest.mark.compiler
async def test_no_ack_is_durable_until_the_store_was_opened_anew(tmp_path: Path, shim: Path) -> None:
    failing = tmp_path / "failing"
    environment = {"LD_PRELOAD": str(shim), "FAILING": str(failing)}
    async with (
        server_process(tmp_path / "run", environment=environment) as server,
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
        with anyio.fail_after(30):
            while "store.not_reopened" not in server.log.read_text():  # noqa: ASYNC110  # the log is all there is to see
                await anyio.sleep(0.05)
        failing.unlink()
        landed = await talker.next(Durable, seconds=30)
        assert ack.message in landed.messages
        assert (await talker.say("And now?")).durable
        assert "store.reopened" in server.log.read_text()
