"""The date that the server is told: moved by hand, over days, ten years ahead and back to 1970."""

from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import TypeVar

import anyio
import anyio.to_thread

T = TypeVar("T")

FIRST = datetime(2026, 3, 1)  # noqa: DTZ001  # by the place of this machine, as the server tells days
TEN_YEARS_MS = 3_652 * 24 * 3_600_000
BOOT_MS = 90_000  # after the beginning of 1970, a device without a battery


def moment(day: int, hour: int = 0, minute: int = 0) -> int:
    """Milliseconds of an hour of a day of the month."""
    local = FIRST + timedelta(days=day, hours=hour, minutes=minute)
    return round(local.astimezone().timestamp() * 1_000)


class Calendar:
    """Stands in for the machine: its date is ``at``, a millisecond later at each look."""

    def __init__(self, seed: int) -> None:
        self.at = moment(0)
        self._dice = Random(seed)

    def now_ms(self) -> int:
        """The date."""
        self.at += 1
        return self.at

    def bits(self, count: int) -> int:
        """Chance, from the seed."""
        return self._dice.getrandbits(count)

    async def aside(self, think: Callable[[], T], limiter: anyio.CapacityLimiter) -> T:
        """On a thread."""
        return await anyio.to_thread.run_sync(think, limiter=limiter)
