"""All but a short message is read beside the loop, so that nobody else waits for it (D32)."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol, TypeVar

import anyio
import anyio.to_thread

from companions.state import Rules, State
from memory.reading import Reading

T = TypeVar("T")

READ_AT_ONCE = 160
"""Characters: up to here 99 of 100 readings take about 2 ms, the bound of an analysis (docs/measures.md)."""
HUGE = 20_000
"""Characters: what is longer may take a second and more, and no other message waits for that."""

_one = anyio.CapacityLimiter(1)  # a second thread would only keep the loop waiting twice as long
_one_huge = anyio.CapacityLimiter(1)


class Aside(Protocol):
    """Where to think so that nobody waits for it."""

    async def __call__(self, think: Callable[[], T], limiter: anyio.CapacityLimiter) -> T:
        """What ``think`` returns; no more at a time than ``limiter`` lets."""
        ...


async def on_a_thread(think: Callable[[], T], limiter: anyio.CapacityLimiter) -> T:
    """What ``think`` returns, done on a thread."""
    return await anyio.to_thread.run_sync(think, limiter=limiter)


async def read_aside(
    aside: Aside, rules: Rules, state: State, text: str, vector: Sequence[float] | None
) -> Reading | None:
    """The reading of a message that is not short; None for one that the rules read themselves.

    They are read one after the other, so that many of them at once leave the others their share.
    """
    if len(text) <= READ_AT_ONCE:
        return None
    return await aside(partial(rules.read, state, text, vector), _one_huge if len(text) > HUGE else _one)
