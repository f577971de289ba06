"""What follows when the changes of a command have landed."""

from typing import TYPE_CHECKING

from actors.command_kinds import MEMORY
from companions.changes import AnyChange, JobsQueued
from protocol.care_frames import ConsentSet
from protocol.catalogue import AnyCommand
from protocol.person_frames import MoodCheckIn, ProfileAnswer, ProfileSet

if TYPE_CHECKING:
    from actors.session import Session


async def afterwards(session: "Session", command: AnyCommand, changes: tuple[AnyChange, ...]) -> None:
    """Those who hold what was changed learn of it, and work that was queued is begun."""
    if isinstance(command, MEMORY):
        session.services.memory_changed(session.state.who, ())
    if isinstance(command, ConsentSet):
        session.services.decided(session.state.who)
    if isinstance(command, ProfileSet | ProfileAnswer | MoodCheckIn):
        await session.memory.refresh(edited=True)
    for change in changes:
        if isinstance(change, JobsQueued):
            session.services.hand_over(change.conversation)
