"""How fast a client may be: commands by a bucket, frames that are none by the minute."""

from collections import deque

import anyio


class Turnstile:
    """How many commands a second, by a bucket that holds two seconds' worth; and how many bad frames a minute."""

    def __init__(self, per_second: float, bad_per_minute: int) -> None:
        self._per_second = per_second
        self._most = max(2.0, 2 * per_second)
        self._level = self._most
        self._at = anyio.current_time()
        self._bad: deque[float] = deque()
        self._bad_per_minute = bad_per_minute

    def admits(self) -> bool:
        """Whether one more command may pass."""
        now = anyio.current_time()
        self._level = min(self._most, self._level + (now - self._at) * self._per_second)
        self._at = now
        if self._level < 1:
            return False
        self._level -= 1
        return True

    def bad(self) -> bool:
        """Count a bad frame; True when there were too many in a minute."""
        now = anyio.current_time()
        self._bad.append(now)
        while self._bad[0] < now - 60:
            self._bad.popleft()
        return len(self._bad) > self._bad_per_minute
