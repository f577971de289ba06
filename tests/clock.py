"""A clock that jumps: an asyncio loop on which an hour of waiting takes no time.

The loop runs as usual while anything can run. When everything waits, time jumps to the next timer instead of
passing. ``anyio.sleep``, ``fail_after``, ``move_on_after`` and ``current_time`` all follow it. A test module
asks for it by its own fixture::

    @pytest.fixture
    def anyio_backend() -> tuple[str, dict[str, object]]:
        return virtual_time()

Sockets between two ends in this process work too: time jumps only when what was sent has come. A system delivers over
loopback in order, most often before the sender's call returns; where it is busy it does so later, so a byte is sent
round after all else and waited for. Work on other threads does not show in the loop: it is done inside ``holding``.
"""

import asyncio
import math
import selectors
import socket
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

MOST_REAL_SECONDS = 60.0  # of waiting for another thread or process, with no timer left to jump to


class NothingLeftError(Exception):
    """Every task waits, no timer is set and nothing came from outside: the test would hang for ever."""


class Round:
    """Both ends of a connection over loopback: once its byte has come round, what was sent before it has come too."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.near = socket.create_connection(listener.getsockname())
            self.far, _ = listener.accept()

    def go(self) -> None:
        """There and back, as a connection is made: what comes there may call forth what comes here."""
        for sender, receiver in ((self.near, self.far), (self.far, self.near)):
            sender.send(b".")
            receiver.recv(1)

    def close(self) -> None:
        self.near.close()
        self.far.close()


class JumpingSelector(selectors.DefaultSelector):  # type: ignore[misc, valid-type, unused-ignore]  # its class depends on the system
    """Polls the real sockets; where it would wait for a timer it moves the clock there instead."""

    def __init__(self, patience: float) -> None:
        super().__init__()
        self.patience = patience
        self.now = 0.0
        self.held = 0
        self.round: Round | None = None
        self.only_endless: Callable[[], bool] = lambda: False

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout <= 0:
            return super().select(0)
        if timeout is None or self.held or self.only_endless():
            return self._wait_outside()
        ready = super().select(0) or self._on_its_way()
        if not ready:
            self.now += timeout
        return ready

    def _on_its_way(self) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready once all that was sent has come."""
        if len(self.get_map()) == 1:
            return []  # the loop's own socket, and no other
        if self.round is None:
            self.round = Round()
        self.round.go()
        return super().select(0)

    def close(self) -> None:
        if self.round is not None:
            self.round.close()
        super().close()

    def _wait_outside(self) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(self.patience)
        if not ready:
            raise NothingLeftError("every task waits and nothing is left that could wake one")
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """A selector loop with its own idea of time, in seconds since it was made."""

    def __init__(self, *, patience: float = MOST_REAL_SECONDS) -> None:
        self.jumping = JumpingSelector(patience)
        super().__init__(self.jumping)
        self.jumping.only_endless = self._only_endless

    def _only_endless(self) -> bool:
        """Whether the next timer never comes: ``anyio.sleep_forever`` sleeps until infinity."""
        timers: list[asyncio.TimerHandle] = getattr(self, "_scheduled")  # noqa: B009  # asyncio shows its timers to nobody
        return bool(timers) and timers[0].when() == math.inf

    def time(self) -> float:
        """The virtual time."""
        return self.jumping.now

    @contextmanager
    def holding(self) -> Generator[None]:
        """Time stands still inside, for work on another thread that takes real time."""
        self.jumping.held += 1
        try:
            yield
        finally:
            self.jumping.held -= 1


def virtual_time() -> tuple[str, dict[str, Any]]:  # Any: anyio's own type for backend options
    """The value of an ``anyio_backend`` fixture that runs its tests on a ``VirtualLoop``."""
    return "asyncio", {"loop_factory": VirtualLoop}


T = TypeVar("T")


def run(main: Callable[[], Coroutine[None, None, T]], *, patience: float = MOST_REAL_SECONDS) -> T:
    """Run an async function on virtual time, for a test that is itself plain (Hypothesis, for one)."""
    loop_factory = partial(VirtualLoop, patience=patience)
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        return runner.run(main())


def current() -> VirtualLoop:
    """The running loop, which must be a virtual one."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop), "this test does not run on virtual time"
    return loop
