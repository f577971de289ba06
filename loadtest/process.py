"""A server process of its own, started as an operator would, watched and ended by its own number."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Protocol

import anyio

READY = re.compile(rb"is ready: http://([^/]+)/")
START_SECONDS = 120.0  # it takes one; a busy machine is no fault of its
KEPT_BYTE_CODE = {
    "PYTHONDONTWRITEBYTECODE": ""
}  # an installation has its own; else each start compiles everything


class Child(Protocol):
    """A process of ours, as far as it is watched and ended here."""

    @property
    def pid(self) -> int:
        """Its number."""
        ...

    @property
    def returncode(self) -> int | None:
        """How it ended; None while it runs."""
        ...

    def send_signal(self, signal: signal.Signals, /) -> None:
        """Send it a signal."""
        ...

    async def wait(self) -> int:
        """Wait for its end; the exit code."""
        ...


class Launch(Protocol):
    """Starts ``fireside serve`` with its data in a folder, until its block ends: ``server_process``, or a nursery's."""

    def __call__(
        self, folder: Path, arguments: Sequence[str] = (), *, port: int = 0
    ) -> AbstractAsyncContextManager["ServerProcess"]:
        """Start it on ``port``, or a free one."""
        ...


class ServerProcess:
    """A running ``fireside serve``."""

    def __init__(self, process: Child, address: str, log: Path) -> None:
        self.process = process
        self.address = address
        self.log = log

    @property
    def url(self) -> str:
        """Where clients connect."""
        return f"ws://{self.address}/ws"

    def memory_mib(self) -> float:
        """Resident memory, as the kernel counts it."""
        resident, _ = self._pages()
        return _mib(resident)

    def own_memory_mib(self) -> float:
        """Resident memory without the pages of files, which the kernel takes and brings back as it likes."""
        resident, of_files = self._pages()
        return _mib(resident - of_files)

    def _pages(self) -> tuple[int, int]:
        fields = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()
        return int(fields[1]), int(fields[2])

    def cpu_seconds(self) -> float:
        """User and system time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    async def kill(self) -> None:
        """End it as a power cut would: no signal handler runs."""
        self.process.send_signal(signal.SIGKILL)
        await self.process.wait()

    async def stop(self) -> int:
        """Ask it to stop; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return await self.process.wait()


@asynccontextmanager
async def server_process(
    folder: Path,
    arguments: Sequence[str] = (),
    *,
    port: int = 0,
    before: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> AsyncGenerator[ServerProcess]:
    """Start ``fireside serve`` on ``port``, or a free one, with its data in ``folder``; ended with the block.

    ``before`` is a program that starts it, with its arguments; ``environment`` is added to this process's own.
    """
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "server.log"
    command = [
        *before,
        sys.executable,
        "-m",
        "server.cli",
        "serve",
        "--port",
        str(port),
        "--data",
        str(folder / "data"),
        *arguments,
    ]
    with log.open("ab") as written:
        start = written.tell()
        process = await anyio.open_process(
            command,
            stdout=subprocess.DEVNULL,
            stderr=written,
            env={**os.environ, **KEPT_BYTE_CODE, **(environment or {})},
        )
        try:
            with anyio.fail_after(START_SECONDS):
                address = await announced(process, log, start)
            yield ServerProcess(process, address, log)
        finally:
            if process.returncode is None:
                process.kill()
            with anyio.CancelScope(shield=True):
                await process.aclose()


async def announced(process: Child, log: Path, start: int) -> str:
    """The address that a server says in its log after ``start`` bytes, once it is ready."""
    while True:
        found = READY.search(log.read_bytes()[start:])
        if found is not None:
            return found[1].decode()
        if process.returncode is not None:
            raise RuntimeError(f"the server ended at its start; see {log}")
        await anyio.sleep(0.02)


def _mib(pages: int) -> float:
    return pages * os.sysconf("SC_PAGE_SIZE") / 1_048_576
