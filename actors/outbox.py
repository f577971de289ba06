"""The numbered events of a session: each has its number, the last ones are kept for a client that comes back.

What is kept is bounded in number and in bytes; what was dropped is on disk, and a client that missed it gets a
snapshot instead.
"""

from collections import deque
from collections.abc import Callable, Sequence

from protocol.frames import Event

MOST_EVENTS = 256
MOST_BYTES = 256 * 1024
OVERHEAD = 300  # bytes of an event besides its text, roughly


class Outbox:
    """Numbers events from 1 without gaps, and replays those after a number while they are kept."""

    def __init__(self, *, most_events: int = MOST_EVENTS, most_bytes: int = MOST_BYTES) -> None:
        self.seq = 0
        self._most_events = most_events
        self._most_bytes = most_bytes
        self._kept: deque[tuple[int, Event, int]] = deque()
        self._bytes = 0

    def number(self, make: Callable[[int], Event], size: int = 0) -> Event:
        """The next event, made by ``make`` of its number; ``size`` is the length of its text."""
        self.seq += 1
        event = make(self.seq)
        self._kept.append((self.seq, event, size + OVERHEAD))
        self._bytes += size + OVERHEAD
        while self._kept and (len(self._kept) > self._most_events or self._bytes > self._most_bytes):
            self._bytes -= self._kept.popleft()[2]
        return event

    def forget(self) -> None:
        """Keep none of what was sent: something in it was removed. Who comes back is shown how it stands."""
        self._kept.clear()
        self._bytes = 0

    def after(self, seq: int) -> Sequence[Event] | None:
        """The events after ``seq``; None when some of them are not kept any more, or never were."""
        if seq > self.seq or seq < self.seq - len(self._kept):
            return None
        return [event for number, event, _ in self._kept if number > seq]
