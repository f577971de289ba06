"""Telling the person that this is no human being: at the start, and again after so much talk; each time is recorded.

The policy says when (``disclosure``). A reminder that falls due in the middle of an answer, while nobody is there, or
while nobody talks, waits for the next moment between two turns.
"""

from typing import TYPE_CHECKING, Final

from companions.changes import DisclosureShown, Occasion
from companions.events import QuietTicket
from companions.state import Idle
from protocol.session_frames import Notice

if TYPE_CHECKING:
    from actors.session import Session

DISCLOSURE: Final = "disclosure"
"""The code of the notice, and the name of the alarm."""
RECORDED_AFTER = 2.0
"""Seconds from a showing to its record: derived data makes no message wait for the disk (decision D1)."""
_SECONDS = 60.0


class Disclosing:
    """What a session says about its own nature, and when."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._due = False
        self._shown: DisclosureShown | None = None  # not recorded yet
        policy = session.cast.companion.policy.disclosure
        self._at_start = policy.at_start
        self._every = policy.every_minutes

    async def start(self) -> None:
        """Somebody begins a session; one that goes on from an earlier one was told in that."""
        who = self._session.state.who
        if self._at_start and who.space == who.session:
            await self._show("start")
        else:
            self._wind()

    async def rang(self) -> None:
        """A showing is to be recorded, or so much time has passed since it that it is time to tell again."""
        if self._shown is not None:
            await self.record()
            self._wind()
            return
        self._due = True
        await self.between_turns()

    async def between_turns(self) -> None:
        """Tell them now, if it is due and somebody is there who talks."""
        session = self._session
        if self._due and session.client and session.state.talk and isinstance(session.state.phase, Idle):
            await self._show("reminder")

    async def record(self) -> None:
        """Write down what was shown, if it is not."""
        shown, self._shown = self._shown, None
        if shown is not None:
            await self._session.save(shown, QuietTicket())

    async def _show(self, occasion: Occasion) -> None:
        await self.record()
        session = self._session
        self._due = False
        words = session.cast.companion.texts.words["disclosure"]
        await session.announce(lambda seq: Notice(seq=seq, code=DISCLOSURE, say=words))
        talk, who = session.state.talk, session.state.who
        self._shown = DisclosureShown(
            user=who.user,
            companion=who.companion,
            at=session.services.now_ms(),
            session=who.session,
            seq=session.outbox.seq,
            conversation=talk.conversation if talk is not None else None,
            occasion=occasion,
        )
        session.wind(DISCLOSURE, RECORDED_AFTER)

    def _wind(self) -> None:
        if self._every is not None:
            self._session.wind(DISCLOSURE, self._every * _SECONDS)
