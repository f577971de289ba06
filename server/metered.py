"""Connections that take in what a client sends bit by bit, and no faster than it may send.

What comes in one read may be tens of thousands of frames. They are taken a few at a time, so that everybody else has
their turn between them, and a client that sends more frames than it ever has to is read only so fast: what it sends
waits on its side of the line. This holds for control frames too, which cost an answer and are no commands.
"""

import asyncio

from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame
from websockets.http11 import Request, Response

from server.bucket import Bucket

BIT_BYTES = 4_096
FRAME_BYTES = 8_192
"""A frame counts once, and once more for so many bytes."""
TIMES_AS_MANY = 10
"""Frames for each command that may come: replies to pings, and what is refused, have room."""
LEAST_PER_SECOND = 200.0
BURST_SECONDS = 5.0


class Metered(ServerConnection):
    """One WebSocket, read at a pace of ``per_second`` frames."""

    per_second = LEAST_PER_SECOND

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The line stands."""
        super().connection_made(transport)
        self._held = bytearray()  # came, and was not taken in yet
        self._next: asyncio.Handle | None = None
        self._full = False  # what was taken in waits for who serves it
        self._pace = Bucket(self.per_second, self.per_second * BURST_SECONDS, self.loop.time())
        self._cost = 0.0
        self.recv_messages.pause = self._fill
        self.recv_messages.resume = self._go_on

    def connection_lost(self, exc: Exception | None) -> None:
        """The line is gone, and what it held with it."""
        if self._next is not None:
            self._next.cancel()
        self._held.clear()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Something came."""
        self._held += data
        if self._next is not None or self._full:
            self._read_on(False)
        else:
            self._take()

    def eof_received(self) -> None:
        """Nothing more comes: what is held is the last of it."""
        rest = bytes(self._held)
        self._held.clear()
        if rest:
            super().data_received(rest)
        super().eof_received()

    def process_event(self, event: Frame | Request | Response) -> None:
        """A frame was whole."""
        self._cost += 1 + len(event.data) / FRAME_BYTES if isinstance(event, Frame) else 1
        super().process_event(event)

    def _take(self) -> None:
        """Take in a bit of what is held, and the next one when the others had their turn."""
        self._next = None
        wait = self._pace.wait(self.loop.time())
        if not wait and self._held:
            bit = bytes(self._held[:BIT_BYTES])
            del self._held[:BIT_BYTES]
            self._cost = 0.0
            super().data_received(bit)
            self._pace.spend(self._cost, self.loop.time())
            wait = self._pace.wait(self.loop.time())
        more = bool(self._held) or wait > 0
        self._read_on(not more and not self._full)
        if more and not self._full and not self.transport.is_closing():
            self._next = self.loop.call_later(wait, self._take) if wait else self.loop.call_soon(self._take)

    def _fill(self) -> None:
        self._full = True
        self._read_on(False)

    def _go_on(self) -> None:
        self._full = False
        if self._next is None:
            self._next = self.loop.call_soon(self._take)

    def _read_on(self, on: bool) -> None:
        if self.transport.is_closing():
            return
        if on:
            self.transport.resume_reading()
        else:
            self.transport.pause_reading()


def metered(commands_per_second: float) -> type[ServerConnection]:
    """Connections for so many commands a second."""

    class Paced(Metered):
        per_second = max(LEAST_PER_SECOND, TIMES_AS_MANY * commands_per_second)

    return Paced
