"""When Python looks for what nobody holds any more: seldom, since a look at everything stops everybody."""

import gc
import sys

from memory import reading

SWITCH_SECONDS = 0.001  # a thread that thinks for a job lets the loop go on after so long


def quiet_collector() -> None:
    """What is there after start stays; collect seldom (pauses of half a second and more at 10,000 connections)."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    sys.setswitchinterval(SWITCH_SECONDS)


def warm() -> None:
    """Make every table that a message is read by, and let these stay out of later looks, too."""
    reading.warm()
    quiet_collector()
