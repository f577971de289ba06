"""Shares with their uncertainty: the 95 % Wilson score interval of a proportion."""

from math import sqrt

_Z = 1.96


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The lower and upper end of the 95 % interval of ``hits`` out of ``of``; for none of none all of it."""
    if of == 0:
        return 0.0, 1.0
    share = hits / of
    centre = share + _Z * _Z / (2 * of)
    spread = _Z * sqrt(share * (1 - share) / of + _Z * _Z / (4 * of * of))
    scale = 1 + _Z * _Z / of
    return (centre - spread) / scale, (centre + spread) / scale


def row(name: str, hits: int, of: int) -> str:
    """One line of a table: the share, its interval and what it is counted from."""
    low, high = wilson(hits, of)
    share = hits / of if of else 0.0
    return f"{name:<36}{share:6.2f}   {low:.2f} to {high:.2f}   {hits}/{of}"
