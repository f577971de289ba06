"""A line between a client and the door: frames take their time and keep their order; it may be cut at any moment."""

from collections import deque
from typing import cast

import anyio
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosedError
from websockets.frames import Close

from protocol.frames import SUBPROTOCOLS
from tests.simulation.fate import Fate

MOST_ON_ITS_WAY = 64  # frames; whoever sends more waits for the reader
DELAY_SECONDS = (0.0005, 0.03)
SLOW_SECONDS = (0.3, 2.0)
SLOW = 0.02  # of the frames

Data = str | bytes


class Way:
    """One direction."""

    def __init__(self, fate: Fate) -> None:
        self._chance = fate.chance("network")
        self._items: deque[tuple[float, Data]] = deque()
        self._last = 0.0
        self._changed = anyio.Event()
        self.cut = False
        self.ended: Close | None = None

    def _wake(self) -> None:
        self._changed.set()
        self._changed = anyio.Event()

    async def put(self, data: Data) -> None:
        """Send: it is on its way at once, and then room is waited for, as a socket does it."""
        if self.cut or self.ended is not None:
            raise ConnectionClosedError(None, self.ended)
        slow = self._chance.random() < SLOW
        delay = self._chance.uniform(*(SLOW_SECONDS if slow else DELAY_SECONDS))
        self._last = max(self._last, anyio.current_time() + delay)
        self._items.append((self._last, data))
        self._wake()
        await self.room()

    async def room(self) -> None:
        """Wait until there is room for more."""
        while not self.cut and len(self._items) >= MOST_ON_ITS_WAY:
            await self._changed.wait()
        if self.cut:
            raise ConnectionClosedError(None, self.ended)
        await anyio.lowlevel.checkpoint()

    async def take(self) -> Data:
        while True:
            if self.cut:
                raise ConnectionClosedError(None, None)
            if self._items:
                at, data = self._items[0]
                if at <= anyio.current_time():
                    self._items.popleft()
                    self._wake()
                    return data
                with anyio.move_on_after(at - anyio.current_time()):
                    while not self.cut:
                        await self._changed.wait()
            elif self.ended is not None:
                raise ConnectionClosedError(self.ended, None)
            else:
                await self._changed.wait()

    def end(self, close: Close) -> None:
        """Nothing more is sent; what is on its way arrives."""
        self.ended = self.ended or close
        self._wake()

    def break_off(self) -> None:
        """What is on its way is lost."""
        self.cut = True
        self._items.clear()
        self._wake()


class End:
    """What either side holds of a line: the part of a WebSocket that the server and its client use."""

    subprotocol = SUBPROTOCOL = next(name for name, wire in SUBPROTOCOLS.items() if wire == "json")

    def __init__(self, line: "Line", out: Way, back: Way) -> None:
        self.line = line
        self._out = out
        self._back = back
        self.transport = self  # which is aborted, and asked what waits in it
        self.remote_address = ("127.0.0.1", 1)
        self.request = None

    async def send(self, data: Data, text: bool | None = None) -> None:
        await self._out.put(data.decode() if text and isinstance(data, bytes) else data)

    async def recv(self) -> Data:
        return await self._back.take()

    async def close(self, code: int = 1000, reason: str = "") -> None:
        self._out.end(Close(code, reason))
        self._back.break_off()
        await anyio.lowlevel.checkpoint()

    def abort(self) -> None:
        self.line.cut()

    def get_write_buffer_size(self) -> int:
        return 0  # what is sent is on its way at once

    def get_extra_info(self, _name: str) -> None:
        """There is no socket to ask."""

    def is_closing(self) -> bool:
        return False

    async def drain(self) -> None:
        await self._out.room()


class Line:
    """Both ends."""

    def __init__(self, fate: Fate) -> None:
        self._there, self._here = Way(fate), Way(fate)
        self.client = End(self, self._there, self._here)
        self.server = End(self, self._here, self._there)

    def cut(self) -> None:
        """The line is gone, and what is on its way with it."""
        self._there.break_off()
        self._here.break_off()

    @property
    def for_the_door(self) -> ServerConnection:
        """As the server sees it."""
        return cast("ServerConnection", self.server)  # it has what the door uses of one

    @property
    def for_the_client(self) -> ClientConnection:
        """As the client sees it."""
        return cast("ClientConnection", self.client)  # it has what the client uses of one
