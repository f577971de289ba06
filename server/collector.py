"""When Python looks for what nobody holds any more but itself: at what is new often, at everything seldom.

A look stops everybody. One at what a minute brought takes a few milliseconds; one at everything takes longer the more
people are there, so it waits the longer for the next.
"""

import gc
import sys
import time

import anyio
import anyio.to_thread

from generation.upstream import adapter
from memory import reading

SWITCH_SECONDS = 0.001  # a thread that thinks for a job lets the loop go on after so long
LOOK_SECONDS = 60.0
FULL_LOOK_SECONDS = 60.0  # at least, between two looks at everything
LEAST_SHARE = (
    5_000  # of the time between them goes into one: one of 12 ms every minute, of 0.5 s in 42 minutes
)


def seldom_collector() -> None:
    """By itself Python looks seldom from here on (half a second at 10,000 connections)."""
    gc.set_threshold(50_000, 20, 20)
    sys.setswitchinterval(SWITCH_SECONDS)


def quiet_collector() -> None:
    """The same, and what is there now stays out of every later look."""
    seldom_collector()
    gc.collect()
    gc.freeze()


class Warmth:
    """What the first talks need, made beside whatever else begins, on a thread of its own; ``done`` once it is there.

    That is every table that a message is read by, and what asks servers where ``connects``. What only some messages
    need is made after, beside the talks. All that is there then stays; from then on it is looked at as ``collecting``
    does.
    """

    def __init__(self, *, connects: bool) -> None:
        self.done = anyio.Event()
        self._connects = connects

    async def __call__(self) -> None:
        """Make it, then look again and again, for ever."""
        await anyio.to_thread.run_sync(self._make)
        self.done.set()
        await anyio.to_thread.run_sync(self._make_the_rest)
        await collecting()

    def _make(self) -> None:
        if self._connects:
            adapter()
        reading.prepare()

    def _make_the_rest(self) -> None:
        reading.warm()
        quiet_collector()


async def collecting(every: float = LOOK_SECONDS) -> None:
    """Look again and again, for ever: what dropped lines leave behind would else lie there for hours."""
    full_at = anyio.current_time() + FULL_LOOK_SECONDS
    while True:
        await anyio.sleep(every)
        if anyio.current_time() < full_at:
            gc.collect(1)
        else:
            full_at = anyio.current_time() + until_full_look(_look_at_everything())


def until_full_look(took: float) -> float:
    """Seconds until everything is looked at again, when that ``took`` so many."""
    return max(FULL_LOOK_SECONDS, took * LEAST_SHARE)


def _look_at_everything() -> float:
    began = time.thread_time()  # what others do on this machine meanwhile does not make a look dearer
    gc.collect()
    return time.thread_time() - began
