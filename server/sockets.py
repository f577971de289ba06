"""The client of a session: one WebSocket, one way of coding, one deadline for a reader.

Who takes nothing for so long is cut. Who takes something, over a line that is slow, is waited for: looked at are the
bytes that wait here and in the kernel.
"""

import socket
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from fcntl import ioctl
from itertools import count
from termios import TIOCOUTQ

import anyio
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from actors.client import Gone
from protocol.codec import encode
from protocol.errors import CloseCode
from protocol.frames import Event, Wire

LOOKS = 4  # at the line, within the time after which a client that takes nothing is cut
LEAST_TAKEN_BYTES = 1_024  # between two looks: less is nothing
MOST_PERIODS = 8  # one event may take so many times as long in all, however it trickles
CLOSING_SECONDS = 0.5


class SlowReader(Gone):
    """The client did not read for too long."""


class Socket:
    """The client of a session: one WebSocket, one way of coding, one deadline for a reader."""

    def __init__(self, connection: ServerConnection, wire: Wire, seconds: float) -> None:
        self._connection = connection
        self.wire: Wire = wire
        self._seconds = seconds
        self.knows: Callable[[], bool] | None = None

    def known(self) -> bool:
        """Whether whoever is there is the person."""
        return self.knows is None or self.knows()

    async def send(self, event: Event) -> None:
        """Send one event; ``Gone`` when the client left or does not read."""
        data = encode(event, self.wire)
        full = self._connection.transport.get_write_buffer_size() > 0
        waited = self._waits() + len(data) if full else None
        try:
            with anyio.move_on_after(self._seconds / LOOKS):
                await self._connection.send(data, text=self.wire == "json")
                return
            if await self._taken(waited):
                return
        except (ConnectionClosed, OSError):
            raise Gone from None
        # Who begins to read within half a second is told why; from the others the line is taken.
        reason = "This client does not read what it is sent."
        await self._closed(CloseCode.SLOW_READER, reason, CLOSING_SECONDS)
        self._take()
        raise SlowReader

    async def _taken(self, waited: int | None) -> bool:
        """Whether the line, which has no room at the first look, gets some before its time is over; ``waited`` is how
        much there was on its way half a second ago, where the line was full by then.
        """
        waits = self._waits()
        idle = int(waited is not None and waited - waits < LEAST_TAKEN_BYTES)
        for look in count(2):
            with anyio.move_on_after(self._seconds / LOOKS):
                await self._connection.drain()
                return True
            left = self._waits()
            idle = idle + 1 if waits - left < LEAST_TAKEN_BYTES else 0
            if idle >= LOOKS or look >= LOOKS * MOST_PERIODS:
                break
            waits = min(waits, left)
        return False

    def _waits(self) -> int:
        """Bytes on their way to the client, here and (on Linux, which tells) in the kernel."""
        transport = self._connection.transport
        line: socket.socket | None = transport.get_extra_info("socket")
        held = bytes(4)
        if line is not None and not transport.is_closing():
            with suppress(OSError):
                held = ioctl(line.fileno(), TIOCOUTQ, held)
        return transport.get_write_buffer_size() + int.from_bytes(held, sys.byteorder)

    def _take(self) -> None:
        """Take the line. What the kernel holds goes with it: else it would keep it for minutes, for nobody."""
        line: socket.socket | None = self._connection.transport.get_extra_info("socket")
        if line is not None and not self._connection.transport.is_closing():
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._connection.transport.abort()

    def take_back(self) -> None:
        """What was sent and is still on its way does not arrive any more: whoever is behind loses the line."""
        if self._waits() >= LEAST_TAKEN_BYTES:
            self._take()

    async def close(self, code: CloseCode, reason: str) -> None:
        """Close with ``code``; never raises."""
        await self._closed(code, reason, 1.0)

    async def _closed(self, code: CloseCode, reason: str, seconds: float) -> None:
        with anyio.move_on_after(seconds, shield=True):
            await self._connection.close(code, reason)
