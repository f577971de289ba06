"""Times gathered in a run, and the table that is made of them.

A latency is counted from when the request was due, not from when it was sent, so that a stalled server cannot
hide its own delay (coordinated omission).
"""

import math
from collections.abc import Sequence

import msgspec


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` (0 to 1) of ``values`` lie, by the nearest rank; nan without values."""
    if not values:
        return math.nan
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, math.ceil(share * len(ordered)) - 1))]


class Spread(msgspec.Struct, frozen=True):
    """A distribution in milliseconds."""

    count: int
    p50: float
    p95: float
    p99: float
    most: float


def spread(seconds: Sequence[float]) -> Spread:
    """The distribution of durations given in seconds."""
    scaled = [1_000 * each for each in seconds]
    most = max(scaled, default=math.nan)
    p50, p95, p99 = (percentile(scaled, share) for share in (0.5, 0.95, 0.99))
    return Spread(len(scaled), p50, p95, p99, most)


def table(rows: Sequence[tuple[str, Spread]]) -> str:
    """One line a measure."""
    width = max(len(name) for name, _ in rows)
    head = f"{'':<{width}}  {'count':>8} {'p50 ms':>9} {'p95 ms':>9} {'p99 ms':>9} {'max ms':>9}"
    lines = [
        f"{name:<{width}}  {each.count:>8} {each.p50:>9.1f} {each.p95:>9.1f} {each.p99:>9.1f} {each.most:>9.1f}"
        for name, each in rows
    ]
    return "\n".join([head, *lines])
