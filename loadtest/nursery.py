"""Servers that are born ready: a process that has imported everything forks one life of the server after the other.

A start costs half a second of a core, nearly all of it Python's imports and the tables of words; a loop of a thousand
kills would spend an hour on them. Each life is a process of its own with its own number, which is killed like any
other, and opens the store from the file. How long a true start takes is measured with ``server_process``.

Every life has a keeper, the process between it and the nursery: it tells the life's end, and keeps its number from
being given to another process until whoever asked for it has gone.
"""

import gc
import importlib
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import anyio
import msgspec

from loadtest.process import START_SECONDS, ServerProcess, announced

COMMAND = "server.cli"
COMMANDS = "server.cli_app"
ADAPTER = "generation.upstream"
TABLES = "memory.reading"
MOST_BYTES = 100_000


class Birth(msgspec.Struct, frozen=True):
    """What the nursery is asked for: the command with these arguments, and what is added to its environment."""

    arguments: tuple[str, ...]
    environment: dict[str, str]


class Life:
    """One process, as its keeper tells of it."""

    def __init__(self, keeper: socket.socket) -> None:
        self._keeper = keeper
        self.pid = _number(keeper)
        self.returncode: int | None = None

    def send_signal(self, number: int) -> None:
        """Send a signal, unless its end is known. Until this is closed its number is nobody else's."""
        if self.returncode is None:
            os.kill(self.pid, number)

    async def wait(self) -> int:
        """Its exit code, once it has ended; the negative number of the signal that ended it."""
        if self.returncode is None:
            await anyio.wait_readable(self._keeper)
        return self.ended()

    def ended(self) -> int:
        """As ``wait``, for who has no loop."""
        if self.returncode is None:
            self.returncode = _number(self._keeper)
        return self.returncode

    def close(self) -> None:
        """End it, if it has not ended, and let its number go."""
        with self._keeper:
            self.send_signal(signal.SIGKILL)
            self.ended()


def _number(keeper: socket.socket) -> int:
    """The next line, byte by byte: what follows it is left where a loop sees it."""
    digits = b""
    while not digits.endswith(b"\n"):
        more = keeper.recv(1)
        if not more:
            raise RuntimeError("the nursery is gone")
        digits += more
    return int(digits)


class Nursery:
    """Bears processes of the command; they live beside one another."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line

    @asynccontextmanager
    async def server_process(
        self,
        folder: Path,
        arguments: Sequence[str] = (),
        *,
        port: int = 0,
        environment: Mapping[str, str] | None = None,
    ) -> AsyncGenerator[ServerProcess]:
        """As ``loadtest.process.server_process``: a server with its data in ``folder``, ended with the block."""
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / "server.log"
        serve = ("serve", "--port", str(port), "--data", str(folder / "data"), *arguments)
        with log.open("ab") as written, open(os.devnull, "r+b") as nothing:  # noqa: ASYNC230, PTH123  # both are quick
            start = written.tell()
            streams = (nothing.fileno(), nothing.fileno(), written.fileno())
            life = self.born(serve, streams, environment)
        try:
            with anyio.fail_after(START_SECONDS):
                address = await announced(life, log, start)
            yield ServerProcess(life, address, log)
        finally:
            life.close()

    def born(
        self, arguments: Sequence[str], streams: Sequence[int], environment: Mapping[str, str] | None = None
    ) -> Life:
        """A new process of the command; ``streams`` are its input, its output and its errors."""
        ours, keepers = socket.socketpair()
        asked = msgspec.json.encode(Birth(tuple(arguments), dict(environment or {}))) + b"\n"
        with keepers:
            socket.send_fds(self._line, [asked], [*streams, keepers.fileno()])
        return Life(ours)


@contextmanager
def nursery(environment: Mapping[str, str] | None = None) -> Generator[Nursery]:
    """A nursery, until the block ends; ``environment`` is added to this process's own for all who are born."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        process = subprocess.Popen(  # noqa: S603  # our own program
            [sys.executable, "-m", "loadtest.nursery", str(theirs.fileno())],
            env={**os.environ, **(environment or {})},
            pass_fds=[theirs.fileno()],
        )
        with process:
            theirs.close()
            try:
                _number(ours)  # it is ready
                yield Nursery(ours)
            finally:
                process.kill()


def main() -> None:
    """Import everything, then bear a process for each request, until whoever asks has gone."""
    importlib.import_module(TABLES).warm()
    importlib.import_module(COMMANDS)
    importlib.import_module(ADAPTER).adapter()
    command = importlib.import_module(COMMAND)
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers need no burial
    with socket.socket(fileno=int(sys.argv[1])) as line:
        line.send(b"1\n")
        while True:
            asked, handed, _, _ = socket.recv_fds(line, MOST_BYTES, 4)
            while asked and not asked.endswith(b"\n"):
                asked += line.recv(MOST_BYTES)
            if not asked:
                return
            if os.fork() == 0:
                line.close()
                _keep(msgspec.json.decode(asked, type=Birth), handed, command.main)
                return
            for each in handed:
                os.close(each)


def _keep(birth: Birth, handed: list[int], run: Callable[[], None]) -> None:
    """In the keeper: bear the life, tell its number and its end, and bury it when nobody asks any more."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *streams, keeper = handed
    pid = os.fork()
    if pid == 0:
        os.close(keeper)
        _live(birth, streams, run)
        return
    for each in streams:
        os.close(each)
    with socket.socket(fileno=keeper) as told, suppress(OSError):
        told.send(b"%d\n" % pid)
        end = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert end is not None
        told.send(b"%d\n" % (end.si_status if end.si_code == os.CLD_EXITED else -end.si_status))
        told.recv(1)
    os.waitpid(pid, 0)
    os._exit(0)


def _live(birth: Birth, streams: list[int], run: Callable[[], None]) -> None:
    """In the child: the command, as if it had been started by its name; it ends as Python ends."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in {*streams} - {0, 1, 2}:
        os.close(stream)
    os.environ.update(birth.environment)
    random.seed()  # or every life would draw the same
    sys.argv = ["fireside", *birth.arguments]
    run()


if __name__ == "__main__":
    main()
