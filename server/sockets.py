"""The client of a session: one WebSocket, one way of coding, one deadline for a reader."""

import socket
import struct
from collections.abc import Callable

import anyio
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from actors.client import Gone
from protocol.codec import encode
from protocol.errors import CloseCode
from protocol.frames import Event, Wire


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
        try:
            with anyio.fail_after(self._seconds):
                await self._connection.send(encode(event, self.wire), text=self.wire == "json")
        except ConnectionClosed:
            raise Gone from None
        except TimeoutError:
            # Who begins to read within half a second is told why; from the others the line is taken.
            await self._closed(CloseCode.SLOW_READER, "This client does not read what it is sent.", 0.5)
            self._take()
            raise SlowReader from None

    def _take(self) -> None:
        """Take the line. What the kernel holds goes with it: else it would keep it for minutes, for nobody."""
        line: socket.socket | None = self._connection.transport.get_extra_info("socket")
        if line is not None and not self._connection.transport.is_closing():
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._connection.transport.abort()

    async def close(self, code: CloseCode, reason: str) -> None:
        """Close with ``code``; never raises."""
        await self._closed(code, reason, 1.0)

    async def _closed(self, code: CloseCode, reason: str, seconds: float) -> None:
        with anyio.move_on_after(seconds, shield=True):
            await self._connection.close(code, reason)
