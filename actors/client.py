"""A connection as a session sees it."""

from typing import Protocol

from protocol.errors import CloseCode
from protocol.frames import Event


class Gone(Exception):
    """The client is not there any more, or reads too slowly."""


class Client(Protocol):
    """One connection, as a session sees it."""

    async def send(self, event: Event) -> None:
        """Send an event; ``Gone`` when the client left or did not read for too long."""
        ...

    async def close(self, code: CloseCode, reason: str) -> None:
        """Close the connection; never raises."""
        ...
