"""``fireside serve``: the server from its settings on, until it is asked to stop.

Only what a server needs is loaded here, since nobody is let in again before: no commands, and of what is foreign no
more than the settings ask for.
"""

import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import anyio
from msgspec.structs import replace

from server.app import Running, server
from server.logs import configure
from server.notifying import told
from server.plain_words import said_plainly
from server.settings import Loaded, load
from server.signals import stop_asked

OPEN = "Without pairing, anyone at this machine may talk as any person (open mode)."
CLOSED = "Who talks needs a token: fireside pair lets a device in."


def serve_with(config: Path | None, given: Mapping[str, object]) -> None:
    """Serve; ``given`` are the settings of the command line by their keys. What can be mended is said plainly."""
    with said_plainly():
        serve(load(config, os.environ, given))


def serve(loaded: Loaded) -> None:
    """Serve until asked to stop; whatever asks for a start anew gets one, on the same port."""
    configure(loaded.settings.log.level, loaded.settings.log.format)

    async def run() -> None:
        settings = loaded.settings
        async with stop_asked() as stop:
            while not stop.is_set():
                async with server(settings) as running, told(os.environ):
                    _announce(running)
                    await _first_of(stop, running.again)
                listen = replace(settings.listen, port=running.port)  # who comes back finds the same door
                settings = replace(settings, listen=listen)

    with said_plainly(loaded.settings.folder):
        _with_loop(run)


def _announce(running: Running) -> None:
    host = "127.0.0.1" if running.host in ("0.0.0.0", "::") else running.host  # noqa: S104  # compared, not bound
    scheme = "https" if running.secure else "http"
    print(f"Fireside is ready: {scheme}://{host}:{running.port}/", file=sys.stderr)
    if running.model.connected:
        print(f"The language model is {running.model.name} ({running.why}).", file=sys.stderr)
    else:
        print(
            f"No language model is connected ({running.why}): companions use their own words.",
            file=sys.stderr,
        )
    print(OPEN if running.open_mode else CLOSED, file=sys.stderr)


async def _first_of(*events: anyio.Event) -> None:
    async with anyio.create_task_group() as tasks:

        async def wait(event: anyio.Event) -> None:
            await event.wait()
            tasks.cancel_scope.cancel()

        for event in events:
            tasks.start_soon(wait, event)


def _with_loop(run: Callable[[], Awaitable[object]]) -> None:
    anyio.run(run, backend="asyncio", backend_options={"use_uvloop": sys.platform != "win32"})
