"""Telling whoever started the server how it is: ready, alive, stopping (systemd's ``sd_notify``, without a library).

Ready is told when it serves, so that what needs it starts after it; alive is told by the event loop itself, so that a
server that hangs is ended and started again. Started by hand nobody listens, and nothing is told.
"""

import os
import socket
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager, suppress

import anyio


class Listening:
    """Whoever started this process, where they listen."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        address = environment.get("NOTIFY_SOCKET", "")
        self._address = f"\0{address[1:]}" if address.startswith("@") else address
        asked = environment.get("WATCHDOG_USEC", "")
        mine = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        self.alive_every = (
            int(asked) / 2_000_000 if asked.isdigit() and mine and int(asked) else None
        )  # seconds

    def tell(self, state: str) -> None:
        """Leave word, such as ``READY=1``; where nobody takes it nothing is lost."""
        if not self._address:
            return
        with (
            suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as word,
        ):
            word.setblocking(False)
            word.sendto(state.encode(), self._address)


@asynccontextmanager
async def told(environment: Mapping[str, str]) -> AsyncGenerator[None]:
    """While the block runs the server is ready and, as often as asked, alive; after it, stopping."""
    listening = Listening(environment)

    async def alive(every: float) -> None:
        while True:
            listening.tell("WATCHDOG=1")
            await anyio.sleep(every)

    async with anyio.create_task_group() as tasks:
        if listening.alive_every is not None:
            tasks.start_soon(alive, listening.alive_every)
        listening.tell("READY=1")
        try:
            yield
        finally:
            listening.tell("STOPPING=1")
            tasks.cancel_scope.cancel()
