"""How long a model may be waited for.

A stream waits once for each token, thousands of times a second over all sessions, so the waiting must cost
next to nothing: one timer a stream, moved only when it rings, instead of a cancel scope a token.
"""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import msgspec

T = TypeVar("T")


class Deadlines(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Seconds to wait for a model, and how much it may say; the figures of the design's sections 3 and 8.

    ``first_token`` runs from asking for a slot to the first sign of output, retries included. ``gap`` is
    the longest silence after it, ``total`` the longest answer. Pings and comments are no output.
    """

    first_token: float = 20.0
    job_slot: float = 60.0  # a job waits so long for a slot that people leave, then it comes back later
    job_first_token: float = 120.0  # and so long for a first word: what it has read is long
    gap: float = 10.0
    total: float = 120.0
    tokens_over: int = 64  # tokens beyond the prompt's ``max_tokens`` before the answer is cut
    bytes_for_token: int = 4096  # of the stream, for each token allowed; beyond that it is no answer


class TooLateError(Exception):
    """The deadline of a wait has passed."""


class Watch:
    """Bounds one task's waits, one after the other. As ``asyncio.timeout``, but for many short waits in a
    row.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.now = self._loop.time
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[object] | None = None  # while it waits
        self._until = 0.0
        self._rang = False

    async def wait(self, awaitable: Awaitable[T], until: float) -> T:
        """The awaitable's result, or ``TooLateError`` at the time ``until``."""
        task = asyncio.current_task()
        assert task is not None, "only a task can wait"
        before = task.cancelling()
        self._task, self._until, self._rang = task, until, False
        if self._timer is None or until < self._timer.when():
            self._set(until)
        try:
            return await awaitable
        except asyncio.CancelledError:
            if self._rang and task.uncancel() <= before:
                raise TooLateError from None
            raise
        finally:
            self._task = None

    def close(self) -> None:
        """No timer is left behind."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set(self, at: float) -> None:
        self.close()
        self._timer = self._loop.call_at(at, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self._task is None:
            return  # nobody waits now; the next wait sets the timer
        if self.now() < self._until:
            self._set(self._until)
        else:
            self._rang = True
            self._task.cancel()
