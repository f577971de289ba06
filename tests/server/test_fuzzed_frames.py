"""Whole sessions of frames that are none, over real sockets: never the server's own fault, and nobody else notices."""

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import anyio
import msgspec
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from loadtest.client import Talker, connected
from protocol.catalogue import COMMANDS
from protocol.errors import CloseCode
from protocol.session_frames import Ping, Pong
from server.settings import Limits
from tests.protocol.golden import golden_frames
from tests.server.serving import serving, settings, with_limits

SESSIONS = 60
HELLO: dict[str, Any] = {"type": "hello", "id": "h", "client": {"name": "fuzz", "version": "1"}}
LAST: dict[str, Any] = {"type": "ping", "id": "behind all of it"}
ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    2**80,
    1e308,
    "",
    "\x00",
    "x" * 3_000,
    "\ud800",
    [],
    [[[]]],
    {},
    {"type": {}},
)
OURS = {int(code) for code in CloseCode} | {1002}  # 1002: bytes that are no frame of a WebSocket


class Fuzz:
    """Frames of commands, spoiled by chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.whole: list[dict[str, Any]] = [
            json.loads(golden_frames()[name]) for name in COMMANDS if name != "hello"
        ]

    def frame(self, *, packed: bool) -> str | bytes:
        """One frame: whole, with odd values, cut, with bytes overwritten, or none at all."""
        chance = self.chance
        value = self._spoiled(chance.choice(self.whole)) if chance.random() < 0.7 else chance.choice(ODD)
        content = self._coded(value, packed=packed)
        if chance.random() < 0.3:
            content = content[: chance.randrange(len(content) + 1)]
        if chance.random() < 0.3 and content:
            at = chance.randrange(len(content))
            content = content[:at] + chance.randbytes(chance.randrange(1, 5)) + content[at + 1 :]
        text = packed if chance.random() < 0.05 else not packed  # now and then the other kind
        return content.decode("utf-8", errors="replace") if text else content

    def _spoiled(self, command: dict[str, Any]) -> dict[str, Any]:
        spoiled = dict(command)
        for name in list(spoiled):
            draw = self.chance.random()
            if draw < 0.1:
                del spoiled[name]
            elif draw < 0.3:
                spoiled[name] = self.chance.choice(ODD)
        if self.chance.random() < 0.1:
            spoiled[self.chance.choice(("user", "id", "\x00", "type"))] = self.chance.choice(ODD)
        return spoiled

    @staticmethod
    def _coded(value: object, *, packed: bool) -> bytes:
        if not packed:
            return json.dumps(value).encode("utf-8", errors="surrogatepass")
        try:
            return msgspec.msgpack.encode(value)
        except (OverflowError, UnicodeEncodeError):
            return b"\xc1"  # a byte that MessagePack never uses


async def one_session(url: str, fuzz: Fuzz, errors: set[str]) -> int | None:
    """One client that sends what it likes and then leaves; the code it was closed with, None where it was not.

    The codes of the errors it is answered with are added to ``errors``.
    """
    packed = fuzz.chance.random() < 0.4
    spoken = Subprotocol(f"fireside.v1.{'msgpack' if packed else 'json'}")
    async with connect(url, proxy=None, subprotocols=[spoken], max_size=None) as socket:
        try:
            if fuzz.chance.random() < 0.8:
                await socket.send(msgspec.msgpack.encode(HELLO) if packed else json.dumps(HELLO))
            for _ in range(fuzz.chance.randrange(1, 12)):
                await socket.send(fuzz.frame(packed=packed))
            await _read(socket, errors, packed=packed)
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd is not None else 1006
    return None


async def _read(socket: ClientConnection, errors: set[str], *, packed: bool) -> None:
    """Until a ping behind all of it is answered: everything that the frames before it brought about has come."""
    await socket.send(msgspec.msgpack.encode(LAST) if packed else json.dumps(LAST))
    with anyio.fail_after(60):
        while True:
            frame = await socket.recv()
            told = json.loads(frame) if isinstance(frame, str) else msgspec.msgpack.decode(frame)
            if told["type"] == "error":
                errors.add(told["code"])
            if told["type"] == "pong" and told["re"] == LAST["id"]:
                return


@pytest.mark.parametrize("seed", [20261122])
async def test_whatever_is_sent_the_server_has_no_fault_and_nobody_else_notices(
    tmp_path: Path, seed: int
) -> None:
    before, fuzz = asyncio.all_tasks(), Fuzz(seed)
    limits = Limits(drain_seconds=1.0, commands_per_second=1_000.0)
    codes: list[int | None] = []
    errors: set[str] = set()
    async with serving(with_limits(settings(tmp_path), limits)) as url, connected(url) as healthy:
        await healthy.hello(user="healthy")
        for _ in range(SESSIONS):
            codes.append(await one_session(url, fuzz, errors))
            await still_there(healthy)
    assert {code for code in codes if code is not None} <= OURS, f"seed {seed}"
    assert None in codes, "some were answered and stayed"
    assert {"frame.invalid", "frame.unknown"} <= errors
    assert "server.failed" not in errors, f"seed {seed}"
    assert asyncio.all_tasks() <= before


async def still_there(healthy: Talker) -> None:
    await healthy.send(Ping(id=healthy.new_id()))
    await healthy.next(Pong)
