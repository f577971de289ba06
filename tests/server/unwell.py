"""How a server process says it is, what is in its store, and who holds it: for tests of faults beneath it."""

import json
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread

from loadtest.client import Talker
from loadtest.process import ServerProcess
from protocol.talk_frames import Durable
from server.order_line import STORE_FILE


async def health(server: ServerProcess) -> tuple[int, dict[str, Any]]:  # Any: JSON
    def get() -> tuple[int, bytes]:
        try:
            with urllib.request.urlopen(f"http://{server.address}/healthz") as answered:
                return 200, answered.read()
        except urllib.error.HTTPError as unwell:
            with unwell:
                return unwell.code, unwell.read()

    code, content = await anyio.to_thread.run_sync(get)
    return code, json.loads(content)


async def until(server: ServerProcess, seen: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:  # Any: JSON
    """Ask how the server is until ``seen``; while it starts anew nobody answers."""
    with anyio.fail_after(60):
        while True:
            try:
                _, told = await health(server)
            except (OSError, ValueError):
                told = {}
            if told and seen(told):
                return told
            await anyio.sleep(0.1)


def texts(folder: Path) -> list[str]:
    with closing(sqlite3.connect(folder / STORE_FILE)) as db:
        return [
            text for (text,) in db.execute("SELECT text FROM messages WHERE role = 'user' ORDER BY stored")
        ]


async def told(talker: Talker, *messages: str | None) -> None:
    """Wait until all of ``messages`` are said to be durable."""
    left = set(messages)
    while left:
        left -= set((await talker.next(Durable, seconds=60)).messages)


HOLD = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN EXCLUSIVE")
print("held", flush=True)
sys.stdin.read()
"""


@asynccontextmanager
async def locked(file: Path) -> AsyncGenerator[None]:
    """While the block runs another process holds the store exclusively."""
    with subprocess.Popen(  # noqa: ASYNC220  # it is started at once, and waited for on a thread
        [sys.executable, "-c", HOLD, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert await anyio.to_thread.run_sync(other.stdout.readline) == b"held\n"
        try:
            yield
        finally:
            other.kill()
