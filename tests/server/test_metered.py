"""A client that sends more frames than it ever has to is read at its pace, and nobody else waits for it."""

from pathlib import Path

import anyio
import pytest
from websockets.frames import Frame, Opcode

from loadtest.client import connected
from protocol.session_frames import Ping, Pong
from protocol.talk_frames import GreetingGet, MessageSend
from server.bucket import Bucket
from server.metered import BURST_SECONDS, LEAST_PER_SECOND
from server.settings import Limits
from tests.server.serving import serving, settings

FLOOD = 20_000
LIMITS = Limits(drain_seconds=0.5, commands_per_second=5.0)


PING = Frame(Opcode.PING, b"x").serialize(mask=True)
LAST = Frame(Opcode.TEXT, b'{"type":"ping","id":"last"}').serialize(mask=True)
COMMAND = Frame(Opcode.TEXT, b'{"type":"greeting.get","id":"g"}').serialize(mask=True)


@pytest.mark.parametrize("frame", [PING, COMMAND], ids=["pings", "commands"])
async def test_a_flood_of_frames_keeps_nobody_waiting(tmp_path: Path, frame: bytes) -> None:
    async with (
        serving(settings(tmp_path, limits=LIMITS)) as url,
        connected(url) as flooding,
        connected(url) as other,
    ):
        await other.hello(user="ann")
        await flooding.hello(user="bob")
        flooding.socket.transport.write(
            frame * FLOOD + LAST
        )  # at once: to send it would wait for room on the line
        assert (await other.talk("Hello.")).status == "completed"
        with anyio.move_on_after(0.05) as waited:
            await flooding.next(Pong)
        assert waited.cancelled_caught


async def test_what_comes_in_many_bits_comes_whole_and_in_order(tmp_path: Path) -> None:
    limits = Limits(drain_seconds=0.5, commands_per_second=1_000.0)
    async with serving(settings(tmp_path, limits=limits)) as url, connected(url) as talker:
        await talker.hello()
        text = "All of it. " * 18_000
        await talker.send(MessageSend(id="long", text=text))
        for each in range(40):
            await talker.send(GreetingGet(id=f"g{each}"))
        await talker.send(Ping(id="last"))
        await talker.answer()
        said = [getattr(event, "re", "") for event in talker.events]
        assert [re for re in said if str(re).startswith("g")] == [f"g{each}" for each in range(40)]
        created = [
            getattr(event, "text", "") for event in talker.events if getattr(event, "role", "") == "user"
        ]
        assert created == [text]


def test_an_overdraft_is_waited_for_and_no_longer() -> None:
    pace = Bucket(LEAST_PER_SECOND, LEAST_PER_SECOND * BURST_SECONDS, 0.0)
    assert pace.wait(0.0) == 0
    pace.spend(1_400, 0.0)
    assert pace.wait(1.0) == pytest.approx(1.0)
    assert pace.wait(2.0) == 0
    pace.spend(0, 1_000.0)
    pace.spend(1_000, 1_000.0)
    assert pace.wait(1_000.0) == 0
