"""The client of a session: one WebSocket, one way of coding, one deadline for a reader."""

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

    async def send(self, event: Event) -> None:
        """Send one event; ``Gone`` when the client left or does not read."""
        try:
            with anyio.fail_after(self._seconds):
                await self._connection.send(encode(event, self.wire), text=self.wire == "json")
        except ConnectionClosed:
            raise Gone from None
        except TimeoutError:
            # Who begins to read within a second is told why; from the others the line is taken.
            await self.close(CloseCode.SLOW_READER, "This client does not read what it is sent.")
            self._connection.transport.abort()
            raise SlowReader from None

    async def close(self, code: CloseCode, reason: str) -> None:
        """Close with ``code``; never raises."""
        with anyio.move_on_after(1, shield=True):
            await self._connection.close(code, reason)
