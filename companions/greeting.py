"""The first words of a session."""

from companions.companion import Companion
from companions.remembered import Remembered, permit
from companions.state import PARENTS, State
from companions.texts import filled


def greeting(companion: Companion, state: State, *, turn: int) -> tuple[str, tuple[str, ...]]:
    """The first words of a session, and the topics of the last one that they may name (M4).

    A companion that may not know other sessions greets without them.
    """
    parents = companion.policy.session.parent_mode and state.session_type == PARENTS
    remembered = Remembered() if parents else state.remembered
    permitted = permit(companion.policy.memory, remembered, health=None, stated_here=(), anchors=())
    greetings = companion.texts.greetings
    profile, caregiver = permitted.profile, permitted.caregiver
    name = (profile and (profile.preferred_name or profile.name)) or (caregiver and caregiver.preferred_name)
    topics = permitted.topics
    if name and topics and greetings.name_topic:
        pool = greetings.name_topic
    elif topics and greetings.topic:
        pool = greetings.topic
    elif name and greetings.name:
        pool = greetings.name
    else:
        pool = greetings.plain
    words = {"name": name or "", "topic": topics[0] if topics else ""}
    return filled(pool[turn % len(pool)], words), topics
