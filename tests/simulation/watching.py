"""What a client sees on the wire, held against what the protocol promises."""

from collections import Counter

from protocol.conversation_frames import ConversationClosed
from protocol.frames import Event
from protocol.results import Ack
from protocol.session_frames import ConversationSnapshot, ResponseSnapshot
from protocol.talk_frames import MessageCreated, ResponseDelta, ResponseDone, ResponseStarted
from tests.simulation.ledger import Ledger


class Watching:
    """One person's view, over all their lines."""

    def __init__(self, name: str, ledger: Ledger) -> None:
        self._name = name
        self._ledger = ledger
        self._texts: dict[str, list[str]] = {}  # of the answers that are followed from their beginning
        self._next: dict[str, int] = {}
        self._positions: dict[str, int] = {}
        self._created: set[str] = set()
        self._acknowledged: set[str] = set()
        self._replayed_to = 0
        self._done: Counter[str] = Counter()
        self._closed: Counter[str] = Counter()

    def welcomed(self, resumed: bool, seq: int) -> None:
        """A new line; where the session goes on, events up to ``seq`` are told again."""
        self._replayed_to = seq if resumed else 0
        self._texts.clear()
        self._next.clear()
        self._positions.clear()

    def saw(self, event: Event) -> None:
        """Check one event."""
        match event:
            case MessageCreated():
                self._message(event)
            case ResponseStarted(response=response, message=message, seq=seq):
                if seq > self._replayed_to:  # deltas are not told again: a snapshot or the end has the text
                    self._texts[response] = []
                    self._next[response] = 0
                self._promised(message in self._created, f"{response} began before its message stood")
            case ResponseSnapshot(response=response, text=text, n=n, seq=seq) if seq > self._replayed_to:
                self._texts[response] = [text]
                self._next[response] = n
            case ResponseDelta(response=response, n=n, text=text):
                if response in self._next:
                    self._promised(n == self._next[response], f"{response}: delta {n}")
                    self._next[response] = n + 1
                    self._texts[response].append(text)
            case ResponseDone():
                self._answer(event)
            case Ack(message=str(message)):
                self._acknowledged.add(message)
            case ConversationSnapshot(messages=messages, unanswered=unanswered):
                self._created.update(each.message for each in messages)
                self._created.update(unanswered)
                self._created |= (
                    self._acknowledged
                )  # who shows the current exchange alone leaves out what was before
            case ConversationClosed(conversation=conversation):
                self._closed[conversation] += 1
                self._promised(self._closed[conversation] == 1, f"{conversation} was closed twice")
            case _:
                pass

    def _message(self, event: MessageCreated) -> None:
        before = self._positions.get(event.conversation, 0)
        self._promised(event.position > before, f"position {event.position} after {before}")
        self._positions[event.conversation] = event.position
        self._created.add(event.message)

    def _answer(self, event: ResponseDone) -> None:
        self._done[event.response] += 1
        self._promised(self._done[event.response] == 1, f"{event.response} was done twice")
        parts = self._texts.pop(event.response, None)
        if parts is not None:
            self._promised(
                "".join(parts) == event.text,
                f"{event.response}: {parts} are not {event.text!r} {event.status} {event.source}",
            )
        if event.answer is not None and parts is not None:
            self._promised(
                event.answer in self._created, f"{event.response} was done before its answer stood"
            )

    def _promised(self, kept: bool, what: str) -> None:
        if not kept:
            self._ledger.blame(f"{self._name}: {what}")
