"""Ids: a prefix that says what it names, and a UUIDv7 (RFC 9562), which sorts by time without being order.

Order is by position and counters; the time in an id only keeps rows that were made together near one another.
"""

from companions.events import Minted
from server.host import host


def new_id(prefix: str) -> str:
    """A fresh id, such as ``msg_0190c4f2-…``."""
    milliseconds = now_ms() & (1 << 48) - 1
    random = host().bits(74)
    value = milliseconds << 80 | 0x7 << 76 | (random >> 62) << 64 | 0b10 << 62 | random & (1 << 62) - 1
    text = f"{value:032x}"
    return f"{prefix}_{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def mint(jobs: int) -> Minted:
    """Fresh ids for one exchange."""
    return Minted(
        conversation=new_id("cnv"),
        message=new_id("msg"),
        response=new_id("rsp"),
        answer=new_id("msg"),
        alert=new_id("alr"),
        jobs=tuple(new_id("job") for _ in range(jobs)),
    )


def now_ms() -> int:
    """The wall clock, in milliseconds since 1970 in UTC; for information, never for order."""
    return host().now_ms()
