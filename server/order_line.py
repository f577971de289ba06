"""The line on which staff give orders to the server that holds the data folder: a socket in that folder.

The folder and the socket are their owner's alone, so whoever may read the store may give orders, and nobody else.
An order goes one way as one line of JSON, its answer the other. Without a server the folder's lock is taken and the
same order is carried out here.
"""

import os
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import TypeAlias

import anyio
import anyio.abc
import msgspec
import structlog

from server.deeds import carry_out
from server.ids import now_ms
from server.orders import Answer, AnyOrder, NotDone
from storage.connection import inline, transacted
from storage.lock import FolderHeld, held

STORE_FILE = "fireside.db"
SOCKET_FILE = "orders"
MOST_BYTES = 65_536
SECONDS = 30.0
LONGEST_PATH_BYTES = 100  # of a socket, on every system

Do: TypeAlias = Callable[[AnyOrder], Awaitable[Answer]]
log: structlog.stdlib.BoundLogger = structlog.get_logger("orders")


class ServerSilent(Exception):
    """A process holds the data folder and takes no orders: it starts, stops, or is something else."""


@contextmanager
def _reachable(folder: Path) -> Generator[str]:
    """A path of the socket that is short enough to be one."""
    path = str(folder.absolute() / SOCKET_FILE)
    if len(os.fsencode(path)) <= LONGEST_PATH_BYTES:
        yield path
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{descriptor}/{SOCKET_FILE}"
    finally:
        os.close(descriptor)


@asynccontextmanager
async def taking_orders(folder: Path, do: Do) -> AsyncGenerator[None]:
    """Carry out what is ordered while the block runs. The caller holds the folder's lock."""
    with _reachable(folder) as path:
        try:
            listener = await anyio.create_unix_listener(path, mode=0o600)
        except OSError as error:  # a file system without sockets: everything else still works
            log.warning("orders.deaf", error=error.strerror)
            yield
            return
        async with listener, anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, partial(_served, do=do))
            try:
                yield
            finally:
                tasks.cancel_scope.cancel()
                (folder / SOCKET_FILE).unlink(missing_ok=True)


async def _served(stream: anyio.abc.ByteStream, do: Do) -> None:
    with anyio.move_on_after(SECONDS):
        async with stream:
            try:
                order = msgspec.json.decode(await _line(stream), type=AnyOrder)
            except msgspec.DecodeError:
                answer = Answer(
                    refused="The running server is of another version and does not know this order."
                )
            except (anyio.EndOfStream, anyio.BrokenResourceError):
                return
            else:
                log.info("order.taken", order=type(order).__name__)
                answer = await do(order)
            try:
                await stream.send(msgspec.json.encode(answer) + b"\n")
            except anyio.BrokenResourceError:
                log.info("order.unanswered")


async def _line(stream: anyio.abc.ByteStream) -> bytes:
    read = b""
    while b"\n" not in read and len(read) <= MOST_BYTES:
        read += await stream.receive()
    return read


def ordered(folder: Path, order: AnyOrder) -> Answer:
    """Have ``order`` carried out: by the server that runs, or here. Raises ``NotDone`` and ``ServerSilent``."""
    try:
        with held(folder), inline(folder / STORE_FILE, "acked", at=now_ms()) as store:
            return transacted(store.db, lambda db: carry_out(db, order, now_ms()))
    except FolderHeld:
        answer = _asked(folder, order)
    if answer.refused is not None:
        raise NotDone(answer.refused)
    return answer


def _asked(folder: Path, order: AnyOrder) -> Answer:
    with _reachable(folder) as path, socket.socket(socket.AF_UNIX) as line:
        line.settimeout(SECONDS)
        try:
            line.connect(path)
            line.sendall(msgspec.json.encode(order) + b"\n")
            with line.makefile("rb") as answers:
                return msgspec.json.decode(answers.readline(MOST_BYTES), type=Answer)
        except (OSError, msgspec.DecodeError):
            raise ServerSilent(folder) from None
