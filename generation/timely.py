"""The vector of the message that was just sent: in time, or not at all (D32).

A person waits for the answer, so nothing here takes longer than a tenth of a second, and nothing fails: without a
vector the message is read by its words alone, as it is where there is no embedder. An embedder that fails again
and again is left alone for a while, so that it does not cost each message that tenth.
"""

from collections.abc import Callable
from typing import Literal, TypeAlias

import anyio

from companions.ports import Embedder, ModelError
from generation.patience import Breaker

VectorOutcome: TypeAlias = Literal["made", "late", "failed", "resting"]

WITHIN_SECONDS = 0.1
FAILURES = 3  # in a row, before the embedder is left alone
REST_SECONDS = 30.0
MOST_CHARS = 1_000  # small encoders read about 250 tokens; of longer text the first and the last half of this


class Timely:
    """Asks ``embedder`` for one text within ``within`` seconds; ``count`` is told what came of it.

    ``now`` is a monotonic clock in seconds.
    """

    def __init__(
        self,
        embedder: Embedder,
        count: Callable[[VectorOutcome], None],
        *,
        within: float = WITHIN_SECONDS,
        now: Callable[[], float] = anyio.current_time,
    ) -> None:
        self._embedder = embedder
        self._count = count
        self._within = within
        self._breaker = Breaker(failures=FAILURES, rest=REST_SECONDS, now=now)

    async def __call__(self, text: str) -> tuple[float, ...] | None:
        """The vector of ``text``, or None."""
        try:
            self._breaker.enter()
        except ModelError:
            self._count("resting")
            return None
        return await self._asked(head_and_tail(text))

    async def warm(self) -> None:
        """Lets the embedder load its model before the first message needs it; how that ends does not matter."""
        try:
            await self._embedder.embed(["Good morning."])
        except ModelError:
            return  # the first message finds out again, and is counted

    async def _asked(self, text: str) -> tuple[float, ...] | None:
        try:
            with anyio.move_on_after(self._within):
                vectors = await self._embedder.embed([text])
                self._breaker.succeeded()
                self._count("made")
                return tuple(vectors[0])
        except ModelError as error:
            self._breaker.failed(error.fault)
            self._count("failed")
            return None
        except BaseException:
            self._breaker.abandoned()
            raise
        self._breaker.failed("first_token")
        self._count("late")
        return None


def head_and_tail(text: str) -> str:
    """``text``, or its first and last half of ``MOST_CHARS`` characters."""
    half = MOST_CHARS // 2
    return text if len(text) <= MOST_CHARS else f"{text[:half]}\n{text[-half:]}"
