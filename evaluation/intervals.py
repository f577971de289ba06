"""Shares with their uncertainty, as lines of a table."""

from memory.intervals import Interval, share


def row(name: str, hits: int, of: int) -> str:
    """One line of a table: the share, its interval and what it is counted from; of nothing nothing is known."""
    found = share(hits, of) if of else Interval(0.0, 0.0, 1.0)
    return f"{name:<36}{found.middle:6.2f}   {found.low:.2f} to {found.high:.2f}   {hits}/{of}"
