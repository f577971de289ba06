"""A disk that neither gives nor refuses keeps nobody waiting beyond a bound.

A cancelled waiter does not cancel a function that the database's thread has in hand (decision D8). So who asks waits
for so long, and whoever comes while that function is still in the thread's hands is told at once.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine
from typing import Final, TypeVar

from storage.connection import BUSY_TIMEOUT_MS, Store
from storage.refusals import StoreRefused

T = TypeVar("T")

PATIENCE_S: Final = BUSY_TIMEOUT_MS / 1_000 + 1.0  # a lock of another program's is waited out first


class StoreSilent(StoreRefused):
    """The disk gave no answer in time; it may give one later."""

    def __init__(self) -> None:
        super().__init__("storage.busy", "no answer in time")


class _Withdrawn(Exception):
    """Nobody waits for it any more."""


class _Turn:
    """One function on its way: the thread takes it up, or who waits takes it back; whichever is first."""

    def __init__(self) -> None:
        self._one = [None]  # whoever takes it out decides: two threads look at it

    def taken(self) -> bool:
        try:
            self._one.pop()
        except IndexError:
            return False
        return True


class Patient:
    """A store whose answer is waited for so long: then, and while it still hangs, ``StoreSilent`` is raised.

    What was only to be read is left behind. A transaction is taken back where it had not begun, so that it is not
    done later; one that had begun is waited for, as its outcome is not known before.
    """

    def __init__(self, store: Store, seconds: float = PATIENCE_S) -> None:
        self.asked = store
        self._seconds = seconds
        self._late: list[Callable[[], bool]] = []  # whether the thread is done with what was given up

    async def read(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``fn`` against one consistent state."""
        return await self._in_time(self.asked.read, fn, leave=True)

    async def transact(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``fn`` in one transaction of its own."""
        return await self._in_time(self.asked.transact, fn, leave=False)

    async def tend(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``fn`` outside of any transaction; what the files need takes its time."""
        return await self.asked.tend(fn)

    async def _in_time(
        self,
        run: Callable[[Callable[[sqlite3.Connection], T]], Coroutine[object, None, T]],
        fn: Callable[[sqlite3.Connection], T],
        *,
        leave: bool,
    ) -> T:
        self._late = [each for each in self._late if not each()]
        if self._late:
            raise StoreSilent
        turn = _Turn()

        def unless_withdrawn(db: sqlite3.Connection) -> T:
            if not turn.taken():
                raise _Withdrawn
            return fn(db)

        # What is given up is heard to its end here: the thread may be done with it without having begun ``fn``.
        answer = asyncio.create_task(run(unless_withdrawn), name="asking")
        try:
            await asyncio.wait((answer,), timeout=self._seconds)
            if answer.done() or not (turn.taken() or leave):
                return await answer
        except BaseException:
            answer.cancel()
            raise
        finally:
            if leave:
                turn.taken()  # nobody would hear of it
        answer.add_done_callback(_heard)
        self._late.append(answer.done)
        raise StoreSilent


def _heard(answer: asyncio.Future[T]) -> None:
    """Nobody asks any more what came of it."""
    if not answer.cancelled():
        answer.exception()


def longer(store: Store, seconds: float) -> Store:
    """The same store, for a question whose answer is long."""
    return Patient(store.asked, seconds) if isinstance(store, Patient) else store
