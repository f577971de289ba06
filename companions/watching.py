"""What somebody who looks on at a talk is shown of it, while consent allows it (decisions D25, D27).

They see what the two say to each other from then on, as it comes, and nothing of what family is not told: a message
of abuse or self-harm, its answer, the help that is shown for it, and nothing that is said in that talk afterwards. The
companion knows of it from then on, and so may any later answer speak of it, long before its whole text could be read;
messages without their answers would mark where it was. It looks as if nobody went on talking.
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
from companions.state import State
from companions.summing_up import is_private

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


class Sight:
    """One talk as it is shown to those who look on: begun in the middle of it, it shows what begins afterwards.

    An answer is shown when its beginning was, and that goes by the message it answers, which may have been said before
    anybody looked on. One that cannot be looked at any more is kept out. What is shown to nobody else any more is for
    the talk to know: it may have been said long before.
    """

    def __init__(self) -> None:
        self._kept: set[str] = set()  # messages that are not shown
        self._open: set[str] = set()  # messages that were read here, and are shown
        self._answered: set[str] = set()  # messages whose answer is shown
        self._shown: set[str] = set()  # responses whose beginning was shown

    def shows(self, state: State, told: Told, private: Callable[[str], bool] = is_private) -> bool:
        """Whether ``told`` is shown to them too."""
        match told:
            case TellMessage(message=message):
                if message.role == "user":
                    return self._seen(state, message.id, message.text, private)
                return message.answers in self._answered
            case TellStarted(response=response, message=message):
                seen = self._seen(state, message, _words_of(state, message), private)
                (self._answered.add if seen else self._answered.discard)(message)  # it may be answered anew
                if seen:
                    self._shown.add(response)
                return seen
            case SendDelta(response=response):
                return response in self._shown
            case TellDone(response=response):
                return response in self._shown
            case TellClosed():
                return True
            case TellSafety() | TellHidden() | TellNotice() | TellDurable():
                return False

    def _seen(self, state: State, message: str, text: str | None, private: Callable[[str], bool]) -> bool:
        """Whether a message of the person is one that is shown; it is read once."""
        if state.talk is None or state.talk.withheld is not False:
            return False
        if message not in self._kept | self._open:
            (self._kept if text is None or private(text) else self._open).add(message)
        return message not in self._kept


def _words_of(state: State, message: str) -> str | None:
    """What the person said in that message; None where it is not held any more."""
    said = state.talk.find(message) if state.talk is not None else None
    return said.text if said is not None else None
