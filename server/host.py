"""What a server takes from the machine it runs on besides files and sockets: the date, chance, and other threads.

All of it comes through here, so that a simulation can stand in for the machine and repeat a run from its seed. Time
that only measures (how long, how long until) is the event loop's and needs no seam.
"""

import secrets
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

import anyio

from actors.reading import on_a_thread

T = TypeVar("T")


class Host(Protocol):
    """The machine."""

    def now_ms(self) -> int:
        """The wall clock, in milliseconds since 1970 in UTC."""
        ...

    def bits(self, count: int) -> int:
        """So many bits that nobody can guess."""
        ...

    async def aside(self, think: Callable[[], T], limiter: anyio.CapacityLimiter) -> T:
        """What ``think`` returns, done where nobody else waits for it."""
        ...


class Machine:
    """The one the process runs on."""

    def now_ms(self) -> int:
        """The wall clock."""
        return time.time_ns() // 1_000_000

    def bits(self, count: int) -> int:
        """From the system's own source."""
        return secrets.randbits(count)

    async def aside(self, think: Callable[[], T], limiter: anyio.CapacityLimiter) -> T:
        """On a thread."""
        return await on_a_thread(think, limiter)


_machine = Machine()
_host: ContextVar[Host] = ContextVar("host", default=_machine)


def host() -> Host:
    """The machine, or what stands in for it in this context."""
    return _host.get()


@contextmanager
def standing_in(other: Host) -> Generator[None]:
    """``other`` is the machine for what is started inside."""
    token = _host.set(other)
    try:
        yield
    finally:
        _host.reset(token)
