"""Everything that is left to chance, from one seed; and the trace by which two runs are compared."""

import hashlib
import random
from collections.abc import Callable
from typing import TypeVar

import anyio

T = TypeVar("T")

BEGAN_MS = 1_790_000_000_000  # the date on which every simulation begins


class Fate:
    """Streams of chance by name, so that one more draw in one place moves nothing elsewhere; and the machine."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._streams: dict[str, random.Random] = {}
        self._trace = hashlib.sha256()
        self.noted = 0
        self.last: list[str] = []  # what happened last, for whoever reads a failure

    def chance(self, name: str) -> random.Random:
        """The stream of that name."""
        if name not in self._streams:
            self._streams[name] = random.Random(f"{self.seed}/{name}")
        return self._streams[name]

    def note(self, *what: object) -> None:
        """Something happened that somebody outside of the server could see."""
        line = f"{anyio.current_time():.6f} {' '.join(map(str, what))}"
        self._trace.update(line.encode())
        self.noted += 1
        self.last = [*self.last[-39:], line]

    def trace(self) -> str:
        """The digest of everything that was noted."""
        return self._trace.hexdigest()

    # ------------------------------------------------------------ the machine (``server.host.Host``)

    def now_ms(self) -> int:
        return BEGAN_MS + round(anyio.current_time() * 1_000)

    def bits(self, count: int) -> int:
        return self.chance("ids").getrandbits(count)

    async def aside(self, think: Callable[[], T], limiter: anyio.CapacityLimiter) -> T:
        async with limiter:
            await anyio.sleep(self.chance("threads").uniform(0.0, 0.05))
            return think()
