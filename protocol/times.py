"""Times on the wire: RFC 3339 in UTC with milliseconds, ``2026-01-02T03:04:05.678Z``.

Inside the server a time is an ``int``: milliseconds since 1970 in UTC.
"""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final, TypeAlias

from msgspec import Meta

Time: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$",
        description="RFC 3339 in UTC with milliseconds.",
        examples=["2026-01-02T03:04:05.678Z"],
        extra_json_schema={"format": "date-time"},
    ),
]

_1970: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_FIRST: Final = (datetime(1, 1, 1, tzinfo=UTC) - _1970) // _MILLISECOND
_LAST: Final = (datetime(9999, 12, 31, 23, 59, 59, 999_000, tzinfo=UTC) - _1970) // _MILLISECOND


def rfc3339(at: int) -> Time:
    """The time ``at``, in milliseconds since 1970, as it is written on the wire.

    A clock may be wrong by any amount: what lies outside the years 1 to 9999 is shown as the nearest of them.
    """
    moment = _1970 + min(max(at, _FIRST), _LAST) * _MILLISECOND
    return f"{moment.replace(tzinfo=None).isoformat(timespec='milliseconds')}Z"


def milliseconds(time: Time) -> int:
    """The milliseconds since 1970 of a time on the wire; ``ValueError`` for a time that no calendar has."""
    return (datetime.fromisoformat(time).astimezone(UTC) - _1970) // _MILLISECOND
