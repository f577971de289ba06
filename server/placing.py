"""When things were, by the days and hours of this device's own place, where the clock can be believed."""

from collections.abc import Sequence
from datetime import datetime

from memory.clocks import Placed, believable, days_filled
from server.past_talks import moment_of


def placed(times: Sequence[int]) -> tuple[Placed, ...]:
    """The day and the hour of each of ``times`` (milliseconds since 1970, in the order they were stored)."""
    good = believable(times)
    moments = [_local(at) if is_good else None for at, is_good in zip(times, good, strict=True)]
    days = days_filled([0 if moment is None else moment.toordinal() for moment in moments], good)
    return tuple(
        Placed(day, None if moment is None else moment.hour)
        for day, moment in zip(days, moments, strict=True)
    )


def _local(at: int) -> datetime:
    return moment_of(at).astimezone()
