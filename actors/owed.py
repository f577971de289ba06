"""Telling the person what others decided about them: when they come, and at once while they are here."""

from typing import TYPE_CHECKING

from companions.events import QuietTicket
from protocol.session_frames import Notice

if TYPE_CHECKING:
    from actors.session import Session


async def tell_owed(session: "Session") -> None:
    """Tell it, in the companion's words; while nobody is here who is known to be the person, it waits for them."""
    client = session.client
    if client is None or not client.known():
        return
    owed = await session.services.owed(session.state.who)
    if owed is None:
        return
    say = " ".join(owed.say)
    await session.announce(lambda seq: Notice(seq=seq, code="consent.told", say=say))
    if session.client is client:  # who left in the middle of it is told again
        await session.save(owed.told, QuietTicket())
