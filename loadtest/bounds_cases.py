"""The cases of ``loadtest.bounds``: what is done to a server, and what is measured of it."""

import random
import re
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import anyio
import httpx
import msgspec
from anyio.abc import SocketStream
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from loadtest.client import Talker, connected
from loadtest.model_script import Script
from loadtest.model_server import model_server
from loadtest.process import Launch, ServerProcess, server_process
from loadtest.talking import missing_or_doubled
from protocol.errors import CloseCode
from protocol.session_frames import Ping, Pong, Resume, ServerDraining
from protocol.talk_frames import ResponseDelta

UPGRADE = (
    "GET /ws HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
_OPEN = re.compile(r"^fireside_connections (\S+)", re.MULTILINE)
LOST = (OSError, WebSocketException, EOFError, TimeoutError, anyio.EndOfStream, anyio.BrokenResourceError)


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """One figure: what, what it came to, what is asked, and whether it is kept; ``timed`` depends on the machine."""

    what: str
    seen: str
    asked: str
    well: bool
    timed: bool = False


def at_most(what: str, value: float, most: float, unit: str, digits: int = 2) -> Seen:
    """A figure that may not be above ``most``."""
    return Seen(
        what=what,
        seen=f"{value:.{digits}f} {unit}",
        asked=f"at most {most:g} {unit}",
        well=value <= most,
        timed=unit in ("s", "ms"),
    )


def exactly(what: str, value: int, wanted: int) -> Seen:
    """A count that must be ``wanted``."""
    return Seen(what=what, seen=str(value), asked=str(wanted), well=value == wanted)


async def open_connections(server: ServerProcess) -> int:
    """How many the server says it has."""
    async with httpx.AsyncClient(trust_env=False, timeout=10) as http:
        text = (await http.get(f"http://{server.address}/metrics")).text
    found = _OPEN.search(text)
    assert found is not None, text[:200]
    return int(float(found[1]))


async def until(holds: Callable[[], Awaitable[bool]], seconds: float) -> float:
    """Seconds until ``holds``; ``seconds`` when it does not by then."""
    began = time.perf_counter()
    while (took := time.perf_counter() - began) < seconds:
        if await holds():
            return time.perf_counter() - began
        await anyio.sleep(0.05)
    return took


@asynccontextmanager
async def pinging(url: str, every: float = 0.05) -> AsyncGenerator[list[float]]:
    """A well-behaved client beside all others: seconds from each ping to its pong."""
    waits: list[float] = []

    async def ping() -> None:
        async with connected(url) as talker:
            await talker.hello(user="healthy")
            while True:
                began = time.perf_counter()
                await talker.send(Ping(id=talker.new_id()))
                await talker.next(Pong, seconds=60)
                waits.append(time.perf_counter() - began)
                await anyio.sleep(every)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(ping)
        yield waits
        tasks.cancel_scope.cancel()


def percentile(values: Sequence[float], share: float) -> float:
    """The value that ``share`` of them do not exceed; 0 of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


async def silent_lines(
    folder: Path, clients: int, limits: str = "", launch: Launch = server_process
) -> list[Seen]:
    """Lines whose other end is gone without a word: no answer to a ping, no end of the connection."""
    async with launch(folder, limited(folder, limits)) as server, AsyncExitStack() as stack:
        for _ in range(clients):
            stream = await stack.enter_async_context(await _raw(server))
            await stream.send(UPGRADE.format(host=server.address).encode())
            await stream.receive()
            await stream.send(_masked(b'{"type":"hello","id":"h","client":{"name":"gone","version":"1"}}'))

        async def there() -> bool:
            return await open_connections(server) == clients

        async def gone() -> bool:
            return await open_connections(server) == 0

        await until(there, 10)
        noticed = await until(gone, 40)
        left = await open_connections(server)
    return [
        exactly("still taken to be there", left, 0),
        at_most("all noticed to be gone", noticed, 26, "s", 1),
    ]


async def stalled_handshakes(folder: Path, clients: int) -> list[Seen]:
    """Connections that begin a request and never end it."""
    ended = 0
    async with server_process(folder) as server, AsyncExitStack() as stack:
        streams: list[SocketStream] = []
        for number in range(clients):
            stream = await stack.enter_async_context(await _raw(server))
            if number % 2:
                await stream.send(b"GET /ws HTTP/1.1\r\nHost: ")
            streams.append(stream)
        began = time.perf_counter()
        async with connected(server.url) as talker:
            await talker.hello(user="good")
            served = time.perf_counter() - began

        async def dropped(stream: SocketStream) -> None:
            nonlocal ended
            with suppress(*LOST), anyio.fail_after(15):
                while await stream.receive():
                    pass
            ended += 1

        async with anyio.create_task_group() as tasks:
            for stream in streams:
                tasks.start_soon(dropped, stream)
        took = time.perf_counter() - began
    return [
        at_most("a good client is welcomed", served * 1_000, 100, "ms", 0),
        exactly("stalled ones dropped", ended, clients),
        at_most("the last of them after", took, 7, "s", 1),
    ]


async def few_descriptors(folder: Path, clients: int, descriptors: int = 256) -> list[Seen]:
    """More clients than the process may open files for."""
    outcomes: Counter[str] = Counter()
    talked = 0
    limit = ["prlimit", f"--nofile={descriptors}:{descriptors}"]
    async with server_process(folder, before=limit) as server, AsyncExitStack() as stack:
        talkers: list[Talker] = []

        async def come(number: int) -> None:
            try:
                with anyio.fail_after(20):
                    talker = await stack.enter_async_context(connected(server.url))
                    await talker.hello(user=f"u{number}")
            except InvalidStatus as refused:
                outcomes[str(refused.response.status_code)] += 1
            except LOST as error:
                outcomes[type(error).__name__] += 1
            else:
                outcomes["served"] += 1
                talkers.append(talker)

        for start in range(0, clients, 50):
            async with anyio.create_task_group() as tasks:
                for number in range(start, min(clients, start + 50)):
                    tasks.start_soon(come, number)

        async def talk(talker: Talker) -> None:
            nonlocal talked
            with suppress(*LOST):
                done = await talker.talk("Good morning.")
                talked += bool(done.text)

        async with anyio.create_task_group() as tasks:
            for talker in talkers:
                tasks.start_soon(talk, talker)
        lines = len(server.log.read_text(encoding="utf-8").splitlines())
        durable = server.process.returncode is None
    return [
        exactly("served or told to come later (503)", outcomes["served"] + outcomes["503"], clients),
        exactly("of those served, answered", talked, outcomes["served"]),
        at_most("lines in the log", lines, 100, "lines", 0),
        Seen(
            what="served", seen=str(outcomes["served"]), asked="some", well=outcomes["served"] > 0 and durable
        ),
    ]


async def storm(folder: Path, clients: int, launch: Launch = server_process) -> list[Seen]:
    """The server is killed, and everybody comes back at once, with full jitter."""
    points: list[Resume] = []
    arguments = limited(folder, "connections = 4000")
    async with AsyncExitStack() as stack, launch(folder, arguments) as server:
        port = int(server.address.rpartition(":")[2])

        async def come(number: int) -> None:
            talker = await stack.enter_async_context(connected(server.url))
            await talker.hello(user=f"u{number}")
            points.append(talker.resume_point())

        for start in range(0, clients, 100):
            async with anyio.create_task_group() as tasks:
                for number in range(start, min(clients, start + 100)):
                    tasks.start_soon(come, number)
        await server.kill()
    back: list[float] = []
    chance = random.Random(1)
    async with AsyncExitStack() as stack:
        killed = time.perf_counter()

        async def back_again(number: int, address: str) -> None:
            wait = 0.5
            while True:
                await anyio.sleep(chance.uniform(0, wait))
                try:
                    with anyio.fail_after(20):
                        talker = await stack.enter_async_context(connected(address))
                        await talker.hello(user=f"u{number}", resume=points[number])
                    back.append(time.perf_counter() - killed)
                    return
                except LOST:
                    wait = min(wait * 2, 8.0)

        with anyio.move_on_after(120):
            async with anyio.create_task_group() as tasks:
                for number in range(clients):
                    tasks.start_soon(back_again, number, f"ws://127.0.0.1:{port}/ws")
                server = await stack.enter_async_context(launch(folder, arguments, port=port))
    return [
        exactly("came back", len(back), clients),
        at_most("the last of them after the kill", max(back, default=0.0), 30, "s", 1),
    ]


async def drain(
    folder: Path,
    clients: int,
    limits: str = "commands_per_second = 100.0",
    launch: Launch = server_process,
) -> list[Seen]:
    """A stop while everybody is in the middle of an answer."""
    said: list[tuple[str, str]] = []
    codes: Counter[int | None] = Counter()
    warned = 0
    async with model_server(Script(tokens_per_second=4, tokens=400)) as model:
        arguments = limited(folder, limits, f"[model]\nmost_at_once = {clients}\n")
        async with (
            launch(folder, ["--model", f"openai:m@{model.url}/v1", *arguments]) as server,
            AsyncExitStack() as stack,
        ):
            streaming: list[Talker] = []

            async def come(number: int) -> None:
                talker = await stack.enter_async_context(connected(server.url))
                await talker.hello(user=f"u{number}")
                text = f"Tell me something long, number {number}."
                ack = await talker.say(text)
                if ack.durable:
                    said.append((str(ack.message), text))
                await talker.next(ResponseDelta, seconds=60)
                streaming.append(talker)

            for start in range(0, clients, 50):
                async with anyio.create_task_group() as tasks:
                    for number in range(start, min(clients, start + 50)):
                        tasks.start_soon(come, number)

            async def to_the_end(talker: Talker) -> None:
                nonlocal warned
                try:
                    while True:
                        event = await talker.receive()
                        warned += isinstance(event, ServerDraining)
                except ConnectionClosed as closed:
                    codes[closed.rcvd.code if closed.rcvd is not None else None] += 1

            began = time.perf_counter()
            async with anyio.create_task_group() as tasks:
                for talker in streaming:
                    tasks.start_soon(to_the_end, talker)
                await server.stop()
            took = time.perf_counter() - began
            code = server.process.returncode
    lost, doubled = missing_or_doubled(folder / "data" / "fireside.db", said)
    return [
        at_most("from the signal to the end", took, 15, "s", 1),
        exactly("told that the server stops", warned, len(streaming)),
        exactly("closed with the code to come back (4001)", codes[int(CloseCode.DRAINING)], len(streaming)),
        exactly("acknowledged messages that are lost or stored twice", lost + doubled, 0),
        exactly("exit code", -1 if code is None else code, 0),
        exactly("were in the middle of an answer", len(streaming), clients),
    ]


def limited(folder: Path, limits: str, more: str = "") -> list[str]:
    """The arguments of a server with other limits: lines of TOML, and ``more`` of the same file."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "settings.toml"
    file.write_text(f"[limits]\n{limits}\n{more}", encoding="utf-8")
    return ["--config", str(file)]


async def _raw(server: ServerProcess) -> SocketStream:
    host, _, port = server.address.rpartition(":")
    return await anyio.connect_tcp(host, int(port))


def _masked(text: bytes) -> bytes:
    """A text frame as a client sends it (RFC 6455, section 5.2), masked with zeros."""
    assert len(text) < 126
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text
