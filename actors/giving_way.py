"""Which session ends where there are as many as there may be: one that only waits for its client to come back."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from companions.state import Idle

if TYPE_CHECKING:
    from actors.session import Session


def first_to_go(sessions: Iterable["Session"], user: str) -> "Session | None":
    """Of ``sessions``, the oldest first: one of ``user``, who asks for room, else of anybody; None where all are busy.

    Its talk is in the store and goes on from there, with whoever comes back to it.
    """
    waiting = [each for each in sessions if _waits(each)]
    return next((each for each in waiting if each.state.who.user == user), waiting[0] if waiting else None)


def _waits(session: "Session") -> bool:
    return session.met and session.client is None and isinstance(session.state.phase, Idle)
