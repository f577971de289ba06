"""Servers that are born ready: a process that has imported everything forks one life of the server after the other.

A start costs a second of a core, nearly all of it Python's imports and the tables of words; a loop of a thousand
kills would spend an hour on them. Each life is a process of its own with its own number, which is killed like any
other, and opens the store from the file. How long a true start takes is measured with ``server_process``.
"""

import gc
import importlib
import os
import signal
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import NoReturn

import anyio
import msgspec
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from loadtest.process import START_SECONDS, ServerProcess, announced

COMMAND = "server.cli"
TABLES = "memory.reading"
MOST_LINE = 4_096


class Birth(msgspec.Struct, frozen=True):
    """What the nursery is asked for: a server with these arguments, whose words go to this file."""

    arguments: tuple[str, ...]
    log: str


class Life:
    """One server, as its parent tells of it."""

    def __init__(self, pid: int, words: BufferedByteReceiveStream) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._words = words

    def send_signal(self, number: int) -> None:
        """Send a signal, unless its end is known. Until the next birth its number is nobody else's."""
        if self.returncode is None:
            os.kill(self.pid, number)

    async def wait(self) -> int:
        """Its exit code, once it has ended; the negative number of the signal that ended it."""
        if self.returncode is None:
            self.returncode = int(await self._words.receive_until(b"\n", MOST_LINE))
        return self.returncode


class Nursery:
    """Bears one server at a time."""

    def __init__(self, process: Process, words: BufferedByteReceiveStream) -> None:
        self._process = process
        self._words = words

    @asynccontextmanager
    async def server_process(
        self, folder: Path, arguments: Sequence[str] = ()
    ) -> AsyncGenerator[ServerProcess]:
        """As ``loadtest.process.server_process``: a server with its data in ``folder``, ended with the block."""
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / "server.log"
        log.touch()
        start = log.stat().st_size
        life = await self._born(("serve", "--port", "0", "--data", str(folder / "data"), *arguments), log)
        try:
            with anyio.fail_after(START_SECONDS):
                address = await announced(life, log, start)
            yield ServerProcess(life, address, log)
        finally:
            with anyio.CancelScope(shield=True):
                life.send_signal(signal.SIGKILL)
                await life.wait()

    async def _born(self, arguments: tuple[str, ...], log: Path) -> Life:
        assert self._process.stdin is not None
        asked = msgspec.json.encode(Birth(arguments, str(log))) + b"\n"
        number = b""
        with anyio.CancelScope(shield=True):  # what is asked for is answered, or the next life would read it
            await self._process.stdin.send(asked)
            number = await self._words.receive_until(b"\n", MOST_LINE)
        return Life(int(number), self._words)


@asynccontextmanager
async def nursery() -> AsyncGenerator[Nursery]:
    """A nursery that is ready, until the block ends."""
    process = await anyio.open_process([sys.executable, "-m", "loadtest.nursery"], stderr=None)
    try:
        assert process.stdout is not None
        words = BufferedByteReceiveStream(process.stdout)
        with anyio.fail_after(START_SECONDS):
            await words.receive_until(b"ready\n", MOST_LINE)
        yield Nursery(process, words)
    finally:
        if process.returncode is None:
            process.kill()
        with anyio.CancelScope(shield=True):
            await process.aclose()


def main() -> None:
    """Import everything, then bear a server for each line, and tell its number and its end."""
    importlib.import_module(TABLES).warm()
    command = importlib.import_module(COMMAND)
    gc.collect()
    gc.freeze()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    before: int | None = None
    for line in iter(sys.stdin.buffer.readline, b""):
        if before is not None:
            os.waitpid(before, 0)  # only now its number may be given to another process
        birth = msgspec.json.decode(line, type=Birth)
        pid = os.fork()
        if pid == 0:
            _live(birth, command.main)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()
        sys.stdout.write(f"{_end_of(pid)}\n")
        sys.stdout.flush()
        before = pid


def _end_of(pid: int) -> int:
    """How a child ended, which keeps its number until it is reaped: nobody else is killed in its place."""
    end = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    assert end is not None
    return end.si_status if end.si_code == os.CLD_EXITED else -end.si_status


def _live(birth: Birth, serve: object) -> NoReturn:
    """In the child: the server, as if it had been started by its command."""
    with open(birth.log, "ab") as log, open(os.devnull, "r+b") as nothing:  # noqa: PTH123  # for their numbers
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)
        os.dup2(log.fileno(), 2)
    sys.argv = ["fireside", *birth.arguments]
    assert callable(serve)
    with suppress(SystemExit):
        serve()
        os._exit(0)
    os._exit(1)


if __name__ == "__main__":
    main()
