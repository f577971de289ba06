"""Between what limits a figure lies, at 95%, however the values are spread."""

import math
from collections.abc import Sequence

import msgspec

from memory.slopes import median

LEAST_FOR_A_MEDIAN = 6  # with five values no interval by ranks holds a median with 95%: 1 - 2 / 2**5 < 0.95
_Z = 1.959964  # of the normal distribution, 95% two-sided
_EXACT_UP_TO = 400


class Interval(msgspec.Struct, frozen=True):
    """A middle value and its limits."""

    middle: float
    low: float
    high: float


def of_median(values: Sequence[float]) -> Interval | None:
    """The median and limits for it by ranks; None for fewer than ``LEAST_FOR_A_MEDIAN``.

    W. J. Conover, *Practical Nonparametric Statistics*, 3rd edition, section 3.2: it supposes nothing of how values
    are spread.
    """
    ranked, count = sorted(values), len(values)
    if count < LEAST_FOR_A_MEDIAN:
        return None
    out = _left_out(count)
    return Interval(median(ranked), ranked[out], ranked[count - 1 - out])


def _left_out(count: int) -> int:
    """How many of the smallest, and of the largest, stand outside of the limits."""
    if count > _EXACT_UP_TO:
        return math.ceil(count / 2 - _Z * math.sqrt(count) / 2) - 1
    below, smaller = 1, 0  # of the 2**count ways to fall on either side, those with at most ``smaller`` below
    while True:
        further = below + math.comb(count, smaller + 1)
        if 2 * further > 0.05 * 2**count:
            return smaller
        below, smaller = further, smaller + 1


def share(part: int, whole: int) -> Interval:
    """A share of ``whole`` (at least 1), with Wilson's limits (E. B. Wilson, JASA 22, 1927, pages 209 to 212)."""
    found, room = part / whole, _Z**2 / whole
    centre = (found + room / 2) / (1 + room)
    reach = _Z * math.sqrt(found * (1 - found) / whole + room / (4 * whole)) / (1 + room)
    return Interval(found, max(0.0, centre - reach), min(1.0, centre + reach))


def shift(before: Sequence[float], after: Sequence[float]) -> Interval:
    """How much higher ``after`` lies than ``before``: Hodges-Lehmann, with limits from the Mann-Whitney test.

    M. Hollander and D. A. Wolfe, *Nonparametric Statistical Methods*, 2nd edition, sections 4.2 and 4.3, with the
    normal approximation; for at least 5 values on each side.
    """
    differences = sorted(later - earlier for earlier in before for later in after)
    pairs, values = len(differences), len(before) + len(after)
    out = math.floor(pairs / 2 - _Z * math.sqrt(pairs * (values + 1) / 12))
    out = min(max(out, 1), (pairs + 1) // 2)
    return Interval(median(differences), differences[out - 1], differences[pairs - out])
