"""Looking on at a talk from a seat: by a grant and live consent, and not a moment longer."""

from collections.abc import Callable
from typing import Protocol

from msgspec.structs import replace

from actors.client import Onlooker
from actors.ports import CommandRefused
from companions.consenting import watched_until
from companions.state import Who
from protocol.care_frames import WatchingEnded
from protocol.frames import Event, Numbered
from server.attending import Seat
from server.care_pages import not_allowed
from storage.connection import Store
from storage.consents import standing


class Talks(Protocol):
    """The talks that go on now."""

    def watch(self, user: str, companion: str, conversation: str, onlooker: Onlooker) -> str | None:
        """Have somebody look on; the conversation's id."""
        ...

    def unwatch(self, user: str, onlooker: Onlooker) -> None:
        """They look on no longer."""
        ...


class Looking:
    """One holder of a grant, looking on until ``until`` (milliseconds since 1970) at the latest."""

    def __init__(self, seat: Seat, talks: Talks, until: int, now_ms: Callable[[], int]) -> None:
        self.name = seat.grant.name
        self._talks = talks
        self._seat = seat
        self._until = until
        self._now_ms = now_ms
        self._ended = False

    @property
    def sees(self) -> bool:
        """Whether it goes on: it was not stopped, and consent has not run out."""
        return not self._ended and self._now_ms() < self._until

    def show(self, event: Event) -> bool:
        """Pass it on, numbered for the seat; False once consent has ended."""
        if not self.sees:
            return False
        if isinstance(event, Numbered):
            self._seat.tell(lambda seq: replace(event, seq=seq), of_talk=True)
        else:
            self._seat.tell(event, of_talk=True)
        return True

    def stop(self) -> None:
        """Nothing more is passed on, from this moment; the person sees that nobody is there any more."""
        if not self._ended:
            self._ended = True
            self._talks.unwatch(self._seat.grant.user, self)

    def over(self) -> None:
        """There is nothing more to see; who looked on is told."""
        self._ended = True
        if self._seat.looking is self:
            self._seat.looking = None
        self._seat.tell(lambda seq: WatchingEnded(seq=seq))


async def look_on(
    store: Store, talks: Talks, seat: Seat, who: Who, conversation: str, now_ms: Callable[[], int]
) -> str:
    """Begin; the conversation's id. Raises ``CommandRefused`` without consent, and where no such talk goes on."""
    at = now_ms()
    now = await store.read(lambda db: standing(db, user=who.user, companion=who.companion, at=at))
    until = watched_until(now.consents, now.at)
    if until is None:
        raise not_allowed()
    seat.stop_looking()
    looking = Looking(seat, talks, until - now.at + at, now_ms)
    found = talks.watch(who.user, who.companion, conversation, looking)
    if found is None:
        raise CommandRefused("conversation.unknown")
    seat.looking = looking
    return found
