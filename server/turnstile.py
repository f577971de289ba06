"""How fast a client may be: commands by a bucket, frames that are none by the minute."""

from collections import deque

import anyio

from server.bucket import Bucket


class Turnstile:
    """How many commands a second, by a bucket that holds two seconds' worth; and how many bad frames a minute."""

    def __init__(self, per_second: float, bad_per_minute: int) -> None:
        self._bucket = Bucket(per_second, max(2.0, 2 * per_second), anyio.current_time())
        self._bad: deque[float] = deque()
        self._bad_per_minute = bad_per_minute

    def admits(self) -> bool:
        """Whether one more command may pass."""
        return self._bucket.admits(anyio.current_time())

    def bad(self) -> bool:
        """Count a bad frame; True when there were too many in a minute."""
        now = anyio.current_time()
        self._bad.append(now)
        while self._bad[0] < now - 60:
            self._bad.popleft()
        return len(self._bad) > self._bad_per_minute
