"""What the first talks need, made beside whatever else begins while the server starts."""

import anyio
import anyio.to_thread

from generation.upstream import adapter
from memory import reading
from server.collector import collecting, quiet_collector


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
