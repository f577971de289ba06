"""A real process whose disk neither gives nor refuses: who greets is told to come back, and nothing is lost."""

import time
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from loadtest.client import connected
from loadtest.nursery import Nursery
from protocol.errors import CloseCode, ErrorFrame
from storage.patience import PATIENCE_S
from tests.server.unwell import health, texts, told


@pytest.mark.compiler
async def test_who_greets_is_told_to_come_back_and_nothing_is_lost(tmp_path: Path, shimmed: Nursery) -> None:
    hanging = tmp_path / "hanging"
    async with (
        shimmed.server_process(tmp_path / "run", environment={"HANGING": str(hanging)}) as server,
        connected(server.url) as talker,
    ):
        await talker.hello(companion="serenity", user="ann")
        await talker.talk("Good morning.")
        hanging.touch()
        try:
            ack = await talker.say("Did that arrive?")  # from here on the disk is waited for
            assert (ack.durable, ack.reason) == (False, "storage.busy")
            async with connected(server.url) as other:
                began = time.monotonic()
                with pytest.raises(ConnectionClosed) as closed:
                    await other.hello(companion="serenity", user="ann", conversation="last")
                assert time.monotonic() - began < PATIENCE_S + 4.0
                (error,) = [each for each in other.events if isinstance(each, ErrorFrame)]
                assert (error.code, error.retryable) == ("storage.busy", True)
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == CloseCode.DRAINING
            assert (await health(server))[0] == 503
            assert (await talker.answer()).text
        finally:
            hanging.unlink()
        await told(talker, str(ack.message))
        assert (await talker.say("And now?")).durable
        await talker.answer()
        async with connected(server.url) as other:
            welcome = await other.hello(companion="serenity", user="ann", conversation="last")
            assert welcome.conversation == ack.conversation
    assert texts(tmp_path / "run" / "data") == ["Good morning.", "Did that arrive?", "And now?"]
