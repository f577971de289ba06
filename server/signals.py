"""Signals: the first asks the server to stop in order, a second one cuts the waiting short."""

import signal
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import structlog

log: structlog.stdlib.BoundLogger = structlog.get_logger("server")


@asynccontextmanager
async def stop_asked() -> AsyncGenerator[anyio.Event]:
    """An event that is set by SIGTERM or SIGINT, from before the server starts.

    A second signal cancels what still waits inside; only the last writes, which are shielded, still land.
    """
    asked = anyio.Event()
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async with anyio.create_task_group() as tasks:

            async def listen() -> None:
                async for number in signals:
                    log.info("signal.received", signal=signal.Signals(number).name)
                    if asked.is_set():
                        tasks.cancel_scope.cancel()
                    asked.set()

            tasks.start_soon(listen, name="signals")
            yield asked
            tasks.cancel_scope.cancel()
