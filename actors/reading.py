"""A long message is read beside the loop, so that nobody else waits for it (D32)."""

from collections.abc import Sequence

import anyio.to_thread

from actors.ports import Cast
from companions.state import State
from memory.reading import Reading

READ_AT_ONCE = 2_000  # characters; the figure for an analysis, 2 ms, holds up to here


async def read_aside(cast: Cast, state: State, text: str, vector: Sequence[float] | None) -> Reading | None:
    """The reading of a long message, made in a thread; None for one that the rules read themselves."""
    if len(text) <= READ_AT_ONCE:
        return None
    return await anyio.to_thread.run_sync(cast.rules.read, state, text, vector)
