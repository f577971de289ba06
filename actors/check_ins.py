"""Which talk a check-in belongs to: the open one, or the one that begins next (S12: mood at start and end)."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from companions.changes import AnyChange, MoodCheckedIn

if TYPE_CHECKING:
    from actors.session import Session


def of_this_talk(session: "Session", change: AnyChange) -> AnyChange:
    """``change``, a check-in tied to its talk; a talk that has not begun is promised its id."""
    if not isinstance(change, MoodCheckedIn):
        return change
    state = session.state
    if state.talk is None and state.reserved is None:
        session.state = state = replace(state, reserved=session.services.mint(0).conversation)
    return replace(change, conversation=state.talk.conversation if state.talk is not None else state.reserved)
