"""What follows when the changes of a command have landed."""

from typing import TYPE_CHECKING

from actors.command_kinds import MEMORY
from actors.mail import Forgotten, Refresh
from companions.changes import AnyChange, JobsQueued
from companions.unsaying import Unsaid
from protocol.care_frames import ConsentSet
from protocol.catalogue import AnyCommand
from protocol.person_frames import MoodCheckIn, ProfileAnswer, ProfileSet

if TYPE_CHECKING:
    from actors.session import Session


def landed_late(
    session: "Session", command: AnyCommand, changes: tuple[AnyChange, ...], unsaid: Unsaid | None = None
) -> None:
    """The same for changes whose command was refused for as long as the store was: they have landed after all."""
    session.address.post(Refresh(edited=True))
    _told(session, command, changes)
    if unsaid is not None:
        session.address.post(Forgotten(unsaid, late=True))


async def afterwards(session: "Session", command: AnyCommand, changes: tuple[AnyChange, ...]) -> None:
    """Those who hold what was changed learn of it, and work that was queued is begun."""
    if isinstance(command, ProfileSet | ProfileAnswer | MoodCheckIn):
        await session.memory.refresh(edited=True)
    _told(session, command, changes)


def _told(session: "Session", command: AnyCommand, changes: tuple[AnyChange, ...]) -> None:
    if isinstance(command, MEMORY):
        session.services.memory_changed(session.state.who, ())
    if isinstance(command, ConsentSet):
        session.services.decided(session.state.who)
    for change in changes:
        if isinstance(change, JobsQueued):
            session.services.hand_over(change.conversation)
