"""What somebody who looks on at a talk is shown of it, while consent allows it (decisions D25, D27).

They see what the two say to each other from then on, as it comes, and nothing of what family is not told: a message
of abuse or self-harm, its answer, the help that is shown for it. It leaves no mark.
"""

from collections.abc import Callable

from companions.events import (
    SendDelta,
    TellClosed,
    TellDone,
    TellDurable,
    TellHidden,
    TellMessage,
    TellNotice,
    TellSafety,
    TellStarted,
)
from companions.state import Responding, State
from companions.summing_up import KEPT_OUT, is_private

Told = (
    TellMessage
    | TellSafety
    | TellStarted
    | TellDone
    | TellClosed
    | TellHidden
    | TellNotice
    | SendDelta
    | TellDurable
)


def crisis_of(state: State, message: str) -> str | None:
    """What a message of the person was read to be about, where it was read as a danger."""
    waiting = (state.phase.waiting,) if isinstance(state.phase, Responding) else ()
    for each in (*waiting, *state.queue):
        if each.message.id == message:
            return None if each.reading.crisis is None else each.reading.crisis.category
    rows = state.talk.emotions if state.talk is not None else ()
    return next((row.crisis_category for row in rows if row.message == message), None)


class Sight:
    """One talk as it is shown to those who look on: begun in the middle of it, it shows what begins afterwards."""

    def __init__(self) -> None:
        self._kept: set[str] = set()  # messages that are not shown
        self._shown: set[str] = set()  # responses whose beginning was shown

    def shows(self, state: State, told: Told, private: Callable[[str], bool] = is_private) -> bool:
        """Whether ``told`` is shown to them too."""
        match told:
            case TellSafety(message=message, category=category):
                self._kept |= {message} if category in KEPT_OUT else set()
                return False
            case TellMessage(message=message):
                if message.role == "user":
                    if crisis_of(state, message.id) in KEPT_OUT or private(message.text):
                        self._kept.add(message.id)
                    return message.id not in self._kept
                return message.answers is not None and message.answers not in self._kept
            case TellStarted(response=response, message=message):
                if message not in self._kept:
                    self._shown.add(response)
                return message not in self._kept
            case SendDelta(response=response):
                return response in self._shown
            case TellDone(response=response):
                return response in self._shown
            case TellClosed():
                return True
            case TellHidden() | TellNotice() | TellDurable():
                return False
