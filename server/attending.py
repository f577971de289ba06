"""Those who care for somebody and are here now: what they are told without asking.

Each has a seat while they are connected. An alert is told at once to every seat whose grant it is for; the table of
alerts is the truth, so that who comes later, and who was cut off, is told of what is still open. A look now and then
finds what changes by itself: a consent that runs out, a grant that was ended.
"""

import sqlite3
from collections import deque
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from typing import Protocol, TypeAlias, get_args

import anyio
import structlog

from actors.client import Client, Gone
from actors.mail import Mail
from actors.runtime import Address
from companions.alerting import Raised, alert_words, tells
from companions.consenting import Scope
from companions.state import Who
from companions.unsaying import Unsaid
from protocol.alert_frames import AlertAcknowledged, CareChanged
from protocol.errors import CloseCode
from protocol.frames import Event
from protocol.session_frames import AlertRaised
from protocol.times import rfc3339
from storage.alerts import Mark, alerts_told
from storage.connection import Store
from storage.consents import standing
from storage.grants import Grant, grant_of
from storage.refusals import StoreRefused

MOST_WAITING = 512
LOOK_SECONDS = 1.0
SCOPES: tuple[Scope, ...] = get_args(Scope)

Make: TypeAlias = Callable[[int], Event]
Unsay: TypeAlias = Callable[[Who, Unsaid, Address[Mail] | None], Awaitable[None]]

log: structlog.stdlib.BoundLogger = structlog.get_logger("attending")


class Stoppable(Protocol):
    """A look at a talk that goes on."""

    def stop(self) -> None:
        """Nothing more is seen, from this moment."""
        ...


class Line(Client, Protocol):
    """The connection of who sits here."""

    def take_back(self) -> None:
        """What was sent and is still on its way does not arrive any more: whoever is behind loses the line."""
        ...


class Seat:
    """Where one holder of a grant sits: what they are told waits here, in order and bounded."""

    def __init__(self, token: str, grant: Grant, companion: str) -> None:
        self.token = token
        self.grant = grant
        self.companion = companion
        self.seq = 0
        self.looking: Stoppable | None = None  # at a talk
        self.open: frozenset[Scope] | None = None  # what consent opened when it was last looked at
        self._waiting: deque[tuple[Make | Event, bool]] = deque()  # and whether it is of a talk looked on at
        self._line: Line | None = None  # once words of a talk were sent over it
        self._bell = anyio.Event()
        self._told: set[str] = set()
        self._over: tuple[CloseCode, str] | None = None

    def tell(self, what: Make | Event, *, of_talk: bool = False) -> None:
        """Have it told: numbered where it is made of its number. Who does not read is let go, and may come back."""
        if len(self._waiting) >= MOST_WAITING:
            self.leave(CloseCode.SLOW_READER, "This client does not read what it is sent.")
        else:
            self._waiting.append((what, of_talk))
        self._bell.set()

    def hush(self) -> None:
        """See nothing more of a talk, and what was said in one and waits, here or on its way, is not told any more."""
        self.stop_looking()
        self._waiting = deque(each for each in self._waiting if not each[1])
        if self._line is not None:
            self._line.take_back()
            self._line = None

    def alert(self, raised: Raised) -> None:
        """Somebody should look; told once."""
        if raised.id in self._told:
            return
        self._told.add(raised.id)
        say = alert_words(raised.category, raised.level)
        self.tell(
            lambda seq: AlertRaised(
                seq=seq,
                alert=raised.id,
                user=raised.user,
                category=raised.category,
                level=raised.level,
                say=say,
            )
        )

    def stop_looking(self) -> None:
        """See nothing more of a talk."""
        if self.looking is not None:
            self.looking.stop()
            self.looking = None

    def leave(self, code: CloseCode, reason: str) -> None:
        """Nothing more is told, and the connection is closed."""
        self.stop_looking()
        self._over = self._over or (code, reason)
        self._waiting.clear()
        self._bell.set()

    async def serve(self, client: Line) -> None:
        """Tell what waits, as it comes, until the seat is left or the client is gone."""
        try:
            while self._over is None:
                while self._waiting:
                    what, of_talk = self._waiting.popleft()
                    self._line = client if of_talk else self._line
                    await client.send(self._numbered(what))
                if self._over is None:
                    self._bell = anyio.Event()
                    await self._bell.wait()
            await client.close(*self._over)
        except Gone:
            return

    def _numbered(self, what: Make | Event) -> Event:
        if isinstance(what, Event):
            return what
        self.seq += 1
        return what(self.seq)


class Attending:
    """All who are here."""

    def __init__(self, store: Store, now_ms: Callable[[], int]) -> None:
        self._store = store
        self.now_ms = now_ms
        self._seats: set[Seat] = set()

    @contextmanager
    def seated(self, seat: Seat) -> Generator[None]:
        """``seat`` is taken while the block runs."""
        self._seats.add(seat)
        try:
            yield
        finally:
            self._seats.discard(seat)

    async def catch_up(self, seat: Seat) -> None:
        """Tell what is still open, the oldest first."""
        try:
            found = await self._store.read(lambda db: alerts_told(db, seat.grant, only_open=True))
        except StoreRefused as refused:
            log.warning("alerts.unseen", code=refused.code)
            return
        for each in reversed(found):
            seat.alert(
                Raised(
                    id=each.id,
                    user=seat.grant.user,
                    companion=each.companion,
                    category=each.category,
                    level=each.level,
                    recipients=(seat.grant.role,),
                    at=each.at,
                )
            )

    def alert(self, who: Who, alert: str, category: str, level: int, recipients: tuple[str, ...]) -> None:
        """Somebody should look after ``who``: the log says so without a word of theirs, and who is here is told."""
        raised = Raised(
            id=alert,
            user=who.user,
            companion=who.companion,
            category=category,
            level=level,
            recipients=recipients,
            at=self.now_ms(),
        )
        log.warning(
            "alert.raised",
            alert=alert,
            session=who.session,
            category=category,
            level=level,
            recipients=list(recipients),
            here=self.raised(raised),
        )

    def raised(self, raised: Raised) -> int:
        """Tell everybody here whom it is for; how many that are."""
        seats = [
            seat
            for seat in self._seats
            if seat.grant.covers(raised.user, raised.companion)
            and tells(seat.grant.role, raised.category, raised.recipients)
        ]
        for seat in seats:
            seat.alert(raised)
        return len(seats)

    def acknowledged(self, grant: Grant, companion: str, alert: str, first: Mark) -> None:
        """Somebody looks after it: the others in the same role learn of it."""
        for seat in self._seats:
            if seat.grant.role == grant.role and seat.grant.covers(grant.user, companion):
                seat.tell(
                    lambda seq: AlertAcknowledged(seq=seq, alert=alert, by=first.name, at=rfc3339(first.at))
                )

    def decided(self, user: str) -> None:
        """Consent about somebody has changed: what is shown is asked for anew, and looking on is over."""
        for seat in self._seats:
            if seat.grant.user == user:
                seat.hush()
                seat.open = None
                seat.tell(lambda seq: CareChanged(seq=seq, reason="consent"))

    def hushed(self, unsay: Unsay) -> Unsay:
        """``unsay``, before which nobody who is here is shown any more of it: nobody looks on, and nothing waits."""

        async def shown_to_nobody(who: Who, what: Unsaid, by: Address[Mail] | None) -> None:
            for seat in self._seats:
                if seat.grant.user == who.user:
                    seat.hush()
            await unsay(who, what, by)

        return shown_to_nobody

    async def __call__(self) -> None:
        """Look again and again, for ever."""
        while True:
            await anyio.sleep(LOOK_SECONDS)
            await self.look()

    async def look(self) -> None:
        """See what has changed by itself: consents that ran out, grants that ended."""
        seats, at = list(self._seats), self.now_ms()
        if not seats:
            return
        try:
            stands = await self._store.read(lambda db: [_stands(db, seat, at) for seat in seats])
        except StoreRefused as refused:
            log.warning("attending.unseen", code=refused.code)
            return
        for seat, found in zip(seats, stands, strict=True):
            if found is None:
                seat.leave(CloseCode.AUTH_REFUSED, "The grant has ended.")
                continue
            if "watching" not in found:
                seat.hush()  # at its date, also while nobody says anything
            before, seat.open = seat.open, found
            if before is not None and before != found:
                seat.tell(lambda seq: CareChanged(seq=seq, reason="consent"))


def _stands(db: sqlite3.Connection, seat: Seat, at: int) -> frozenset[Scope] | None:
    """What consent opens to a seat; None where its grant has ended."""
    if grant_of(db, seat.token) != seat.grant:
        return None
    now = standing(db, user=seat.grant.user, companion=seat.companion, at=at)
    return frozenset(scope for scope in SCOPES if now.granted(scope))
