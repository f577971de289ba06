"""The timers of one session: each under its name, on the loop's clock, and none left when the session ends."""

import asyncio
from collections.abc import Callable
from typing import Literal, TypeAlias

from companions.events import Timer

Alarm: TypeAlias = Timer | Literal["linger", "disclosure"]


class Alarms:
    """Rings by leaving mail; one that was stopped or set anew while its mail was on its way is not meant."""

    def __init__(self, ring: Callable[[Alarm], None]) -> None:
        self._ring = ring
        self._set: dict[Alarm, asyncio.TimerHandle] = {}
        self._rang: set[Alarm] = set()  # whose mail is on its way

    def __contains__(self, alarm: Alarm) -> bool:
        return alarm in self._set or alarm in self._rang

    def start(self, alarm: Alarm, seconds: float) -> None:
        """Ring after ``seconds``; one that runs under the same name starts anew."""
        self.stop(alarm)
        self._set[alarm] = asyncio.get_running_loop().call_later(seconds, self._over, alarm)

    def stop(self, alarm: Alarm) -> None:
        """Do not ring."""
        self._rang.discard(alarm)
        handle = self._set.pop(alarm, None)
        if handle is not None:
            handle.cancel()

    def stop_all(self) -> None:
        """None is left."""
        for alarm in list(self._set):
            self.stop(alarm)

    def meant(self, alarm: Alarm) -> bool:
        """Whether the mail of an alarm that has come still counts; it does once."""
        meant = alarm in self._rang
        self._rang.discard(alarm)
        return meant

    def _over(self, alarm: Alarm) -> None:
        del self._set[alarm]
        self._rang.add(alarm)
        self._ring(alarm)
