"""Signals: the first asks the server to stop in order, a second one cuts the waiting short."""

import signal

import anyio
import structlog

log: structlog.stdlib.BoundLogger = structlog.get_logger("server")


async def stop_asked() -> None:
    """Wait for SIGTERM or SIGINT. A second signal after it cancels, still landing the last writes."""
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for number in signals:
            log.info("signal.received", signal=signal.Signals(number).name)
            return
