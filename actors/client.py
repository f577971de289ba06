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

    def known(self) -> bool:
        """Whether whoever is there is the person: on a device of several people, once they have shown their PIN."""
        ...

    async def close(self, code: CloseCode, reason: str) -> None:
        """Close the connection; never raises."""
        ...


class Onlooker(Protocol):
    """Somebody who looks on at a talk, as its session sees them."""

    @property
    def name(self) -> str:
        """As the person knows them."""
        ...

    @property
    def sees(self) -> bool:
        """Whether they may look on, now."""
        ...

    def show(self, event: Event) -> bool:
        """Show it, numbered for them, without waiting; False when they may not look on any more."""
        ...

    def over(self) -> None:
        """There is nothing more to see."""
        ...
