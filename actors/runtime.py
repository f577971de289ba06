"""Actors: an async function of its inbox, an address to reach it, and a scope that starts and stops it.

The mailbox is bounded. ``send`` waits for room, so slowness travels back to whoever causes it; ``offer`` refuses
instead. ``post`` is for replies alone: their number is bounded by what the receiver itself has asked for, and an
actor that waits for another's mailbox while that one waits for its own would never end.
"""

import math
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Generic, Protocol, TypeVar

import anyio
import structlog

T = TypeVar("T")

log: structlog.stdlib.BoundLogger = structlog.get_logger("actors")


class Closed(Exception):
    """The mailbox takes nothing more."""


class Address(Generic[T]):
    """Where mail for one actor is sent."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._items: deque[T] = deque()
        self._closed = False
        self._arrived: anyio.Event | None = None
        self._room: deque[anyio.Event] = deque()

    def __len__(self) -> int:
        return len(self._items)

    @property
    def closed(self) -> bool:
        """Whether mail is refused."""
        return self._closed

    def offer(self, item: T) -> bool:
        """Leave ``item`` if there is room; False when the mailbox is full or closed."""
        if self._closed or len(self._items) >= self.capacity:
            return False
        self._put(item)
        return True

    def post(self, item: T) -> bool:
        """Leave a reply, full or not; False when the mailbox is closed."""
        if self._closed:
            return False
        self._put(item)
        return True

    async def send(self, item: T) -> None:
        """Leave ``item``, waiting for room; ``Closed`` when the mailbox takes nothing more."""
        while not self._closed and len(self._items) >= self.capacity:
            room = anyio.Event()
            self._room.append(room)
            try:
                await room.wait()
            except BaseException:
                self._pass_on(room)
                raise
        if not self.offer(item):
            raise Closed

    def close(self) -> None:
        """Take nothing more; the actor finishes what it has."""
        self._closed = True
        self._wake()
        while self._room:
            self._room.popleft().set()

    def _pass_on(self, room: anyio.Event) -> None:
        # A sender that was cancelled after it was woken leaves its place to the next one.
        if room in self._room:
            self._room.remove(room)
        elif self._room:
            self._room.popleft().set()

    def _put(self, item: T) -> None:
        self._items.append(item)
        self._wake()

    def _wake(self) -> None:
        if self._arrived is not None:
            self._arrived.set()

    def _take(self) -> T:
        item = self._items.popleft()
        if self._room and len(self._items) < self.capacity:
            self._room.popleft().set()
        return item

    async def receive(self) -> T:
        """For the actor's inbox alone: the next item; ``StopAsyncIteration`` when closed and empty."""
        while not self._items:
            if self._closed:
                raise StopAsyncIteration
            self._arrived = anyio.Event()
            try:
                await self._arrived.wait()
            finally:
                self._arrived = None
        return self._take()

    def held(self) -> tuple[T, ...]:
        """What is in the mailbox, left where it is."""
        return tuple(self._items)

    def receive_waiting(self, most: int) -> list[T]:
        """For the actor's inbox alone: what is there, at most ``most`` items."""
        return [self._take() for _ in range(min(most, len(self._items)))]


class Inbox(Generic[T]):
    """The actor's own side of its mailbox: read by one task, in order, until it is closed and empty."""

    def __init__(self, address: Address[T]) -> None:
        self._address = address

    def __aiter__(self) -> "Inbox[T]":
        return self

    async def __anext__(self) -> T:
        return await self._address.receive()

    def queued(self) -> tuple[T, ...]:
        """What has already arrived, left where it is."""
        return self._address.held()

    def waiting(self, most: int) -> list[T]:
        """What has already arrived, at most ``most`` items, without waiting."""
        return self._address.receive_waiting(most)


class Actor(Protocol[T]):
    """An async function of its inbox. It returns when the inbox ends."""

    def __call__(self, inbox: Inbox[T], /) -> Awaitable[None]:
        """Serve until the inbox ends."""
        ...


def backoff(failures: int) -> float:
    """Seconds to wait before restart number ``failures``: 0.1 doubling, at most 5."""
    return float(min(5.0, 0.1 * 2 ** (failures - 1)))


def _tell(name: str, failures: int, error: Exception) -> None:
    """Log crash number 1, 2, 4, 8 and so on: what fails again and again must not fill the disk with it."""
    if failures & (failures - 1) == 0:
        log.error("actor.crashed", actor=name, failures=failures, error=type(error).__name__, exc_info=error)


async def supervise(
    actor: Actor[T], address: Address[T], *, name: str, most_restarts: float = math.inf
) -> None:
    """Run ``actor`` until its inbox ends, again after each crash with a growing pause.

    Mail stays in the mailbox across a restart. After ``most_restarts`` the exception is raised.
    """
    failures = 0
    inbox = Inbox(address)
    while True:
        try:
            await actor(inbox)
        except Exception as error:
            failures += 1
            _tell(name, failures, error)
            if failures > most_restarts:
                raise
            await anyio.sleep(backoff(failures))
        else:
            return


async def kept_running(work: Callable[[], Awaitable[None]], *, name: str) -> None:
    """Run ``work``, which has no inbox of its own, until it returns; again after each crash."""
    failures = 0
    while True:
        try:
            await work()
        except Exception as error:
            failures += 1
            _tell(name, failures, error)
            await anyio.sleep(backoff(failures))
        else:
            return


@asynccontextmanager
async def running(
    actor: Actor[T], *, name: str, capacity: int, grace: float, most_restarts: float = math.inf
) -> AsyncGenerator[Address[T]]:
    """Start ``actor``; on leaving, let it finish what it has for at most ``grace`` seconds.

    The finish is shielded, so that the last writes land even when the host is cancelled, and bounded.
    """
    address: Address[T] = Address(capacity)
    over = anyio.Event()
    alive = anyio.CancelScope(shield=True)

    async def serve() -> None:
        with alive:
            try:
                await supervise(actor, address, name=name, most_restarts=most_restarts)
            finally:
                address.close()
                over.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(serve, name=name)
        try:
            yield address
        finally:
            address.close()
            with anyio.move_on_after(grace, shield=True) as waited:
                await over.wait()
            if waited.cancelled_caught:
                log.warning("actor.cut_short", actor=name, grace=grace, unread=len(address))
            alive.cancel()


Reply = Callable[[T], None]
"""How an answer travels back: a function that leaves it in the asker's mailbox and never waits."""
