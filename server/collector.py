"""When Python looks for what nobody holds any more but itself: at what is new often, at everything seldom.

A look stops everybody. One at what a minute brought takes a few milliseconds; one at everything takes longer the more
people are there, so it waits the longer for the next.
"""

import gc
import sys
import time

import anyio

SWITCH_SECONDS = 0.001  # a thread that thinks for a job lets the loop go on after so long
LOOK_SECONDS = 60.0  # between two looks; at everything only where that is cheap enough
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


async def collecting(every: float = LOOK_SECONDS) -> None:
    """Look again and again, for ever: what dropped lines leave behind would else lie there for hours."""
    full_at = anyio.current_time() + LOOK_SECONDS
    while True:
        await anyio.sleep(every)
        if anyio.current_time() < full_at:
            gc.collect(1)
        else:
            full_at = anyio.current_time() + until_full_look(_look_at_everything())


def until_full_look(took: float) -> float:
    """Seconds until everything is looked at again, when that ``took`` so many."""
    return max(LOOK_SECONDS, took * LEAST_SHARE)


def _look_at_everything() -> float:
    began = time.thread_time()  # what others do on this machine meanwhile does not make a look dearer
    gc.collect()
    return time.thread_time() - began
