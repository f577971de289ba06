"""Lines whose link goes down: a network of its own, whose cable is pulled while people are connected.

Nothing tells the server that they have gone: what it sends arrives nowhere, and nothing comes back. It needs root
and ``ip`` (of iproute2), for a network namespace and a pair of virtual cards.
"""

import ctypes
import os
import socket
import subprocess
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Final

import anyio
import anyio.to_thread

from loadtest.bounds_cases import Seen, at_most, exactly, limited, open_connections, until
from loadtest.client import Talker, connected
from loadtest.process import Launch, server_process

CLONE_NEWNET: Final = 0x40000000  # of linux/sched.h
NOTICED_SECONDS = 26.0


class NoNetwork(Exception):
    """No network of our own can be made here: not root, no ``ip``, or not allowed."""


class Cable:
    """A network namespace that is reached over one pair of virtual cards."""

    def __init__(self) -> None:
        self.name = f"fs{os.getpid() % 100_000}"
        part = f"10.{os.getpid() % 200 + 20}.{os.getpid() // 200 % 250}"
        self.here, self.there = f"{part}.1", f"{part}.2"

    def socket(self, port: int) -> socket.socket:
        """A connection from that network to ``port`` here. On a thread that is given up after it."""
        library = ctypes.CDLL(None, use_errno=True)
        with Path(f"/var/run/netns/{self.name}").open("rb") as namespace:
            if library.setns(namespace.fileno(), CLONE_NEWNET):
                raise NoNetwork(os.strerror(ctypes.get_errno()))
        return socket.create_connection((self.here, port), timeout=10)

    def pull(self) -> None:
        """The far end of the cable is out."""
        _ip("-n", self.name, "link", "set", f"{self.name}b", "down")


@contextmanager
def cable() -> Generator[Cable]:
    """A network with its cable while the block runs; raises ``NoNetwork``."""
    made = Cable()
    try:
        _ip("netns", "add", made.name)
    except (OSError, subprocess.CalledProcessError) as error:
        raise NoNetwork(str(error)) from None
    try:
        _ip("link", "add", f"{made.name}a", "type", "veth", "peer", "name", f"{made.name}b")
        _ip("link", "set", f"{made.name}b", "netns", made.name)
        _ip("addr", "add", f"{made.here}/30", "dev", f"{made.name}a")
        _ip("-n", made.name, "addr", "add", f"{made.there}/30", "dev", f"{made.name}b")
        _ip("link", "set", f"{made.name}a", "up")
        _ip("-n", made.name, "link", "set", f"{made.name}b", "up")
        yield made
    except subprocess.CalledProcessError as error:
        raise NoNetwork(str(error)) from None
    finally:
        _ip("netns", "del", made.name)  # the cards go with it


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)  # noqa: S603, S607  # our own words, and the system's ip


async def half_open_lines(
    folder: Path, clients: int, limits: str = "", launch: Launch = server_process
) -> list[Seen]:
    """Who is connected over a link that goes down; raises ``NoNetwork``."""
    network = '[listen]\nhost = "0.0.0.0"\nplain_network = true\n'
    with cable() as wire:
        async with launch(folder, limited(folder, limits, network)) as server, AsyncExitStack() as stack:
            port = int(server.address.rpartition(":")[2])
            token = await anyio.to_thread.run_sync(_token, folder)
            for _ in range(clients):
                await _come(wire, port, token, stack)

            async def there() -> bool:
                return await open_connections(server) == clients

            async def gone() -> bool:
                return await open_connections(server) == 0

            await until(there, 10)
            wire.pull()
            noticed = await until(gone, 60)
            left = await open_connections(server)
    return [
        exactly("still taken to be there", left, 0),
        at_most("noticed that their link is down, the last of them", noticed, NOTICED_SECONDS, "s", 1),
    ]


async def _come(wire: Cable, port: int, token: str, stack: AsyncExitStack) -> None:
    line = await anyio.to_thread.run_sync(_on_its_own_thread, wire, port)
    talker: Talker = await stack.enter_async_context(connected(f"ws://{wire.here}:{port}/ws", sock=line))
    await talker.hello(token=token)


def _on_its_own_thread(wire: Cable, port: int) -> socket.socket:
    """Which network a thread is in stays with it: so it is one that does nothing else."""
    with ThreadPoolExecutor(1) as alone:
        made = alone.submit(wire.socket, port).result()
    made.setblocking(False)
    return made


def _token(folder: Path) -> str:
    """A person's token: over a network nobody comes in without."""
    command = [sys.executable, "-m", "server.cli", "token", "give", "--role", "person", "--user", "ann"]
    command += ["--name", "loadtest", "--data", str(folder / "data")]
    said = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603  # our own command
    return said.stdout.split()[-1]
