"""How many requests a model gets at once, and who is next.

A model on a small machine answers one or two at a time. Those who wait are served in turns by user, so that
one who asks much does not hold up the others, and people before background jobs. Jobs never take more than half
of several slots, and a job that has one gives it back when a person would have to wait.
"""

from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import anyio

from companions.ports import ModelError


class Waiter:
    """Someone in the queue."""

    def __init__(self) -> None:
        self.called = anyio.Event()
        self.has_slot = False


class Turns:
    """A queue in turns: each user's first, then each user's second."""

    def __init__(self) -> None:
        self._users: OrderedDict[str, deque[Waiter]] = OrderedDict()

    def __bool__(self) -> bool:
        return bool(self._users)

    def add(self, user: str, waiter: Waiter) -> None:
        """To the end of the user's own queue."""
        self._users.setdefault(user, deque()).append(waiter)

    def next(self) -> Waiter:
        """Whose turn it is; the user's turn comes again after all others'."""
        user, waiting = self._users.popitem(last=False)
        waiter = waiting.popleft()
        if waiting:
            self._users[user] = waiting
        return waiter

    def drop(self, user: str, waiter: Waiter) -> None:
        """Someone gave up waiting."""
        waiting = self._users[user]
        waiting.remove(waiter)
        if not waiting:
            del self._users[user]


class Gate:
    """At most ``slots`` at once, at most ``most_waiting`` in the queue; whoever comes later is refused.

    With ``apart`` jobs and people never have the model at the same time: on a small machine two requests at once
    are both slow, whatever the number of slots.
    """

    def __init__(self, slots: int, *, most_waiting: int, apart: bool = False) -> None:
        self.slots = slots
        self.most_waiting = most_waiting
        self.apart = apart or slots == 1
        self.waiting = 0
        self._people, self._jobs = Turns(), Turns()
        self._at_once = 0
        self._jobs_at_once = 0
        self._most_jobs = max(1, slots // 2)  # the other half is free when people come
        self._giving_way: list[Callable[[], None]] = []  # of the jobs that hold a slot, the latest last

    @property
    def at_once(self) -> int:
        """Requests that hold a slot now."""
        return self._at_once

    @asynccontextmanager
    async def slot(
        self, user: str, *, background: bool = False, give_way: Callable[[], None] | None = None
    ) -> AsyncGenerator[None]:
        """One slot, when it is this user's turn. Raises ``ModelError`` when too many wait already.

        A job is told by ``give_way`` that a person waits for its slot: it is to leave soon.
        """
        if not background:
            self._make_room()
        if self._free(background=background) and not self._queue(background=background):
            self._take(background=background)
        else:
            await self._wait(user, background=background)
        if give_way is not None:
            self._giving_way.append(give_way)
        try:
            yield
        finally:
            if give_way is not None and give_way in self._giving_way:
                self._giving_way.remove(give_way)
            self._give_back(background=background)

    def _make_room(self) -> None:
        """A person comes: one job leaves when no slot is free, all of them where jobs stay apart."""
        if self.apart:
            leaving, self._giving_way = self._giving_way, []
        else:
            leaving = [self._giving_way.pop()] if self._at_once >= self.slots and self._giving_way else []
        for leave in leaving:
            leave()

    async def _wait(self, user: str, *, background: bool) -> None:
        if self.waiting >= self.most_waiting:
            raise ModelError("overloaded", "too many wait for the model")
        waiter = Waiter()
        queue = self._queue(background=background)
        queue.add(user, waiter)
        self.waiting += 1
        try:
            await waiter.called.wait()
        except BaseException:
            if waiter.has_slot:  # called and cancelled at the same moment
                self._give_back(background=background)
            else:
                queue.drop(user, waiter)
            raise
        finally:
            self.waiting -= 1

    def _queue(self, *, background: bool) -> Turns:
        return self._jobs if background else self._people

    def _free(self, *, background: bool) -> bool:
        people = self._at_once - self._jobs_at_once
        if background and (self._people or self._jobs_at_once >= self._most_jobs or (self.apart and people)):
            return False
        return self._at_once < self.slots

    def _take(self, *, background: bool) -> None:
        self._at_once += 1
        self._jobs_at_once += background

    def _give_back(self, *, background: bool) -> None:
        self._at_once -= 1
        self._jobs_at_once -= background
        for for_jobs in (False, True):
            queue = self._queue(background=for_jobs)
            while queue and self._free(background=for_jobs):
                self._take(background=for_jobs)
                waiter = queue.next()
                waiter.has_slot = True
                waiter.called.set()
