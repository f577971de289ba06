"""Downloads: a frame gives a ticket, and the ticket one download (decision D31).

A ticket is good for 60 seconds, once, and only while the session that asked for it lives.
"""

import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

TICKET_SECONDS = 60.0
PATH = "/download/"
MOST_TICKETS = 1_000


@dataclass(frozen=True)
class Download:
    """What a ticket gives: a file with its name and kind."""

    name: str
    kind: str
    content: bytes


@dataclass(frozen=True)
class _Ticket:
    session: str
    until: float
    make: Callable[[], Awaitable[Download]]


class Tickets:
    """The tickets that were given and not used."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._given: dict[str, _Ticket] = {}

    def give(self, session: str, make: Callable[[], Awaitable[Download]]) -> str:
        """The path of a download that ``make`` makes when it is fetched."""
        now = self._clock()
        self._given = {name: each for name, each in self._given.items() if each.until > now}
        while len(self._given) >= MOST_TICKETS:
            del self._given[next(iter(self._given))]
        name = secrets.token_urlsafe(24)
        self._given[name] = _Ticket(session, now + TICKET_SECONDS, make)
        return f"{PATH}{name}"

    async def take(self, path: str, lives: Callable[[str], bool]) -> Download | None:
        """The download at ``path``, once; None for a path that is none, or none any more.

        ``lives`` says whether a session does.
        """
        ticket = self._given.pop(path.removeprefix(PATH), None)
        if ticket is None or self._clock() >= ticket.until or not lives(ticket.session):
            return None
        return await ticket.make()
