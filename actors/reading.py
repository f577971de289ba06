"""A long message is read beside the loop, so that nobody else waits for it (D32)."""

from collections.abc import Sequence

import anyio
import anyio.to_thread

from actors.ports import Cast
from companions.state import State
from memory.reading import Reading

READ_AT_ONCE = 2_000  # characters; the figure for an analysis, 2 ms, holds up to here
HUGE = 20_000
"""Characters: what is longer may take a second and more, and threads share one processor with the loop."""

_one_huge = anyio.CapacityLimiter(1)


async def read_aside(cast: Cast, state: State, text: str, vector: Sequence[float] | None) -> Reading | None:
    """The reading of a long message, made in a thread; None for one that the rules read themselves.

    Huge ones are read one after the other, so that many of them at once leave the others their share.
    """
    if len(text) <= READ_AT_ONCE:
        return None
    limiter = _one_huge if len(text) > HUGE else None
    return await anyio.to_thread.run_sync(cast.rules.read, state, text, vector, limiter=limiter)
