"""When to ask a failing model server again, and when to leave it alone.

Only what failed before the first token is asked again, and only what may pass by itself. A server that
keeps failing is not asked at all for a while, so that people get their fall-back at once instead of after a
wait.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Literal

import msgspec

from companions.ports import ModelError, ModelFault

PASSING: frozenset[ModelFault] = frozenset(("unreachable", "rate_limited", "overloaded", "broken"))
SERVERS_FAULT: frozenset[ModelFault] = PASSING.union(("first_token", "stalled"))


class Retries(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """At most ``most`` further attempts, ``first`` seconds doubling between them, all waits together
    ``budget``.

    The figures keep a fall-back within 2 s of a question to a server that refuses.
    """

    most: int = 2
    first: float = 0.2
    longest: float = 1.0
    budget: float = 1.2

    def pause(self, attempt: int, chance: float, asked: float | None) -> float:
        """Seconds before the attempt after ``attempt`` (from 0): full jitter, or what the server asks."""
        return asked if asked is not None else chance * min(self.longest, self.first * 2**attempt)


def retry_after(
    headers: Mapping[str, str], now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> float | None:
    """The seconds a server asks to wait, given as a number or as a date; None when it does not ask."""
    value = headers.get("retry-after", "").strip()
    if value.replace(".", "", 1).isdecimal() and value.isascii():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - now()).total_seconds())
    except (TypeError, ValueError):
        return None


class Breaker:
    """Opens after ``failures`` in a row; after ``rest`` seconds one request tries whether the server is back.

    ``now`` is a monotonic clock in seconds. States: closed, open, and half-open while the one request tries.
    """

    def __init__(self, *, failures: int, rest: float, now: Callable[[], float]) -> None:
        self._most = failures
        self._rest = rest
        self._now = now
        self._failures = 0
        self._opened_at: float | None = None
        self._trying = False

    @property
    def state(self) -> Literal["closed", "open", "half_open"]:
        """For metrics and tests."""
        if self._opened_at is None:
            return "closed"
        return "half_open" if self._trying else "open"

    def enter(self) -> None:
        """Before each request; raises ``ModelError`` while the server is left alone."""
        if self._opened_at is None:
            return
        if self._trying or self._now() < self._opened_at + self._rest:
            raise ModelError("overloaded", "the model server keeps failing and is left alone for a while")
        self._trying = True

    def succeeded(self) -> None:
        """The server gave output."""
        self._failures, self._opened_at, self._trying = 0, None, False

    def failed(self, fault: ModelFault) -> None:
        """The request failed; only what is the server's fault counts."""
        if fault not in SERVERS_FAULT:
            self.succeeded()  # it answered, whatever it said
            return
        self._failures += 1
        if self._trying or self._failures >= self._most:
            self._opened_at, self._trying = self._now(), False

    def abandoned(self) -> None:
        """The request was cancelled before anything was learned; another one may try."""
        self._trying = False
