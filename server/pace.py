"""How fast clients may be together: handshakes of an address, commands of a device and of a person.

What one connection may do is its turnstile's business. Here is what opening more of them does not change.
"""

import ipaddress
from collections.abc import Callable, Iterable

import anyio

from server.bucket import Buckets
from server.entrance import OPEN, PAIRING, PERSON
from server.settings import Limits

LINES_PER_SECOND = 1.0
MOST_LINES = 100.0
_OF_MANY = frozenset({OPEN, PAIRING})  # lets in whoever comes: not one device


class Pace:
    """Counts for as long as the server runs. ``now`` is a monotonic clock in seconds."""

    def __init__(self, limits: Limits, now: Callable[[], float] = anyio.current_time) -> None:
        one = limits.commands_per_second
        devices, persons = limits.device_commands_per_second, limits.person_commands_per_second
        self._now = now
        self._handshakes = Buckets(limits.handshakes_per_minute / 60, limits.handshakes_per_minute)
        self._devices = _commands(max(one, devices))
        self._persons = _commands(max(one, persons))
        self._lines = Buckets(LINES_PER_SECOND, MOST_LINES)
        self._unwritten = 0

    def opens(self, address: str) -> bool:
        """Whether one more WebSocket may be opened from an address."""
        return self._handshakes.admits(network_of(address), self._now())

    def admits(self, by: Iterable[str]) -> bool:
        """Whether one more command may pass of those whom ``by`` let in (``Entrant.by``).

        The person first: one who is too fast takes nothing from others at the same device.
        """
        names, now = [name for name in by if name not in _OF_MANY], self._now()
        return all(
            (self._persons if name.startswith(PERSON) else self._devices).admits(name, now)
            for name in sorted(names, key=lambda name: not name.startswith(PERSON))
        )

    def lines_before(self, address: str) -> int | None:
        """Whether one more refusal of those at an address is written to the log: how many were not since the last
        line, of anybody's; None when it is not. Nobody fills a disk by being refused.
        """
        if not self._lines.admits(network_of(address), self._now()):
            self._unwritten += 1
            return None
        unwritten, self._unwritten = self._unwritten, 0
        return unwritten


def network_of(address: str) -> str:
    """Who is behind an address: itself, and of the sixth version its network of 64 bits, which one house has whole."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(found), 64), strict=False))


def _commands(per_second: float) -> Buckets:
    return Buckets(per_second, max(2.0, 2 * per_second))
