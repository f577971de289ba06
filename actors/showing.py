"""What the rules have a session tell: to its client, and a copy to those who look on."""

from typing import TYPE_CHECKING

import anyio

from actors.telling import Told, numbered, unnumbered
from companions.events import SendDelta, TellDone, TellDurable, TellMessage

if TYPE_CHECKING:
    from actors.session import Session


class Showing:
    """The voice of one session; it knows when a message was asked, to measure the first word."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._asked_at: float | None = None

    def asked_now(self) -> None:
        """A message arrived: the time to its first word counts from here."""
        self._session.services.measure.said()
        self._asked_at = anyio.current_time()

    async def delta(self, effect: SendDelta | TellDurable) -> None:
        """A piece of an answer, or word of what has landed."""
        session = self._session
        if isinstance(effect, SendDelta) and effect.n == 0 and self._asked_at is not None:
            session.services.measure.first_delta(anyio.current_time() - self._asked_at)
            self._asked_at = None
        await session.send(unnumbered(effect, ""))
        await session.watching.shown(effect)

    async def tell(self, told: Told) -> None:
        """A numbered event."""
        session = self._session
        size = len(told.message.text) if isinstance(told, TellMessage) else 0
        if isinstance(told, TellDone):
            size = len(told.text)
            session.services.measure.answered(session.state.who.companion, told.source, told.status)
        await session.send(session.outbox.number(lambda seq: numbered(told, seq), size))
        await session.watching.shown(told)
