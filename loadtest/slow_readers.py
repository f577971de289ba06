"""Clients that ask for much and never read: what each may cost, and how soon it is cut."""

import socket
import time
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import anyio

from loadtest.bounds_cases import LOST, Seen, at_most, exactly, limited, percentile, pinging
from loadtest.client import Talker, connected
from loadtest.process import Launch, ServerProcess, server_process
from protocol.conversation_frames import ConversationHistory

KIB, MIB = 1_024, 1_024 * 1_024
KERNEL_BYTES = 2 * 64 * KIB  # what Linux gives a send buffer of 64 KiB
LONG_TEXT = "word " * 4_800  # 24 kB
PEOPLE = 10
HISTORIES = 12  # 288 kB: more than the kernel holds
WAITED_SECONDS = 40.0
_ESTABLISHED = 1  # of TCP, in its own numbers (Linux)


class SlowReader:
    """One of them: when it stopped reading, and when it saw that its line was taken."""

    def __init__(self, talker: Talker, line: socket.socket, conversation: str) -> None:
        self.talker = talker
        self.line = line
        self.conversation = conversation
        self.stopped = 0.0
        self.cut: float | None = None

    async def stop(self) -> None:
        """Ask for much, and read nothing from here on."""
        self.talker.socket.transport.pause_reading()
        self.stopped = time.perf_counter()
        for number in range(HISTORIES):
            with suppress(*LOST):
                await self.talker.send(
                    ConversationHistory(id=f"history-{number}", conversation=self.conversation)
                )

    def look(self) -> None:
        """Whether the kernel still has the line; asking it reads nothing."""
        if self.cut is None and not self._there():
            self.cut = time.perf_counter()

    def _there(self) -> bool:
        try:
            return self.line.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 8)[0] == _ESTABLISHED
        except OSError:
            return False


async def slow_readers(
    folder: Path, clients: int, limits: str = "", launch: Launch = server_process
) -> list[Seen]:
    """Many of them at once, and a client beside them that reads."""
    arguments = limited(folder, f"commands_per_second = 10000.0\n{limits}")
    async with launch(folder, arguments) as server, AsyncExitStack() as stack:
        talks = [await _said(server, number) for number in range(min(PEOPLE, clients))]
        readers: list[SlowReader] = []
        for number in range(clients):
            line = _narrow(server)
            talker = await stack.enter_async_context(connected(server.url, sock=line))
            await talker.hello(user=f"slow{number % PEOPLE}", companion="extremis")
            readers.append(SlowReader(talker, line, talks[number % PEOPLE]))
        before, peak = server.memory_mib(), 0.0
        async with pinging(server.url) as waits, anyio.create_task_group() as tasks:
            for reader in readers:
                tasks.start_soon(reader.stop)
            with anyio.move_on_after(WAITED_SECONDS):
                while any(reader.cut is None for reader in readers):  # the kernel wakes nobody
                    peak = max(peak, server.memory_mib())
                    await anyio.sleep(0.02)
                    for reader in readers:
                        reader.look()
            tasks.cancel_scope.cancel()
    took = sorted(reader.cut - reader.stopped for reader in readers if reader.cut is not None)
    each = max(0.0, peak - before) * MIB / clients + KERNEL_BYTES
    return [
        exactly("cut", len(took), clients),
        at_most("cut after it began not to read, the last of them", max(took, default=0.0), 5.0, "s"),
        at_most("memory of each that does not read, kernel included", each / KIB, 300, "KiB", 0),
        at_most("a healthy client waits (p95)", percentile(waits, 0.95) * 1_000, 50, "ms", 0),
    ]


async def _said(server: ServerProcess, number: int) -> str:
    """A conversation with much in it."""
    async with connected(server.url) as talker:
        await talker.hello(user=f"slow{number}", companion="extremis")
        return (await talker.talk(f"{number} {LONG_TEXT}")).conversation


def _narrow(server: ServerProcess) -> socket.socket:
    """A connection whose kernel takes in next to nothing that is not read."""
    host, _, port = server.address.rpartition(":")
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * KIB)
    narrow.connect((host, int(port)))
    narrow.setblocking(False)
    return narrow
