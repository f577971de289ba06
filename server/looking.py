"""Whatever somebody else sees of a person is written down before they see it; what cannot be written down is not shown.

One place for all of it: a look is a command that reads, or the beginning of looking on at a talk.
"""

from typing import Final

from companions.care_changes import Looked
from companions.state import Who
from protocol import care_frames as care
from protocol.access import kind_of
from protocol.alert_frames import CareEscalations
from protocol.catalogue import AnyCommand
from protocol.conversation_frames import ConversationOpen
from protocol.trend_frames import CareTrends
from server.ids import new_id
from storage.grants import Grant

LOOKS: Final = (
    care.CareNotes,
    care.CareEmotions,
    care.CareRepetition,
    care.CareSummaries,
    care.CareHistory,
    CareTrends,
    CareEscalations,
    ConversationOpen,
)
"""Commands by which somebody sees something of a person."""


def audited(command: AnyCommand, grant: Grant, who: Who, at: int) -> Looked | None:
    """What is written down of ``command``; None for one that shows nothing of the person."""
    if not isinstance(command, LOOKS):
        return None
    talk = command.conversation if isinstance(command, care.CareHistory | ConversationOpen) else None
    return Looked(
        user=grant.user,
        companion=who.companion,
        at=at,
        look=new_id("lok"),
        holder=grant.id,
        role=grant.role,
        name=grant.name,
        kind=kind_of(command),
        conversation=talk,
    )
