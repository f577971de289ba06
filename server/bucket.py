"""Token buckets: how much may come at once, and how much over time. Pure: the time is given.

``per_second`` and a time are in any clock's seconds that only goes forward.
"""

from collections import OrderedDict

MOST_KEYS = 10_000


class Bucket:
    """Holds ``most`` at first, and is filled by ``per_second``, to ``most`` again."""

    def __init__(self, per_second: float, most: float, now: float) -> None:
        self._per_second = per_second
        self._most = most
        self._level = most
        self._at = now

    def admits(self, now: float) -> bool:
        """Whether one more may pass at ``now``; what does not pass costs nothing."""
        self.spend(0, now)
        if self._level < 1:
            return False
        self._level -= 1
        return True

    def spend(self, cost: float, now: float) -> None:
        """So much has passed, which was only known afterwards: there may be less than nothing now."""
        self._level = min(self._most, self._level + (now - self._at) * self._per_second) - cost
        self._at = now

    def wait(self, now: float) -> float:
        """Seconds until there is no less than nothing; 0 where there is something."""
        return max(0.0, -(self._level + (now - self._at) * self._per_second) / self._per_second)


class Buckets:
    """One bucket for each key, at most ``most_keys`` of them: whoever came longest ago is forgotten first.

    Somebody who was forgotten begins with a full bucket, which is what the others' long absence would have filled.
    """

    def __init__(self, per_second: float, most: float, *, most_keys: int = MOST_KEYS) -> None:
        self._per_second = per_second
        self._most = most
        self._most_keys = most_keys
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def admits(self, key: str, now: float) -> bool:
        """Whether one more of ``key`` may pass at ``now``."""
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = Bucket(self._per_second, self._most, now)
        self._buckets.move_to_end(key)
        if len(self._buckets) > self._most_keys:
            self._buckets.popitem(last=False)
        return bucket.admits(now)
