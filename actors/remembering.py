"""What a session knows of its person, and when it reads it again.

Facts stand at the beginning of a prompt, which a model server keeps: an open talk keeps those it began with until
the person changes them (D9), and what was found meanwhile is read when the next one begins.

A session that nobody is connected to holds what it needs to end its talk and to show it. What was read in messages,
of this talk and of earlier ones, is most of what a session weighs: it is let go of, and read again from the store for
who comes back.
"""

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from actors.mail import Refresh, SummedUp
from actors.ports import CommandRefused, Opening
from companions.changes import AnswerGiven, AnyChange, Landed, Outcome
from companions.fact_changes import FactAdded, FactsForgotten
from companions.handing_over import summed_up
from companions.remembered import Remembered
from companions.state import Idle
from companions.talk import lightened, read_again
from memory.recall import Remembered as Index
from protocol.memory_frames import MemoryChanged

if TYPE_CHECKING:
    from actors.session import Session

ORDERS: Final = (FactAdded, FactsForgotten)
"""What the person wants remembered or forgotten, said in the talk."""


class Remembering:
    """The memory of one session."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        talk = session.state.talk
        self._unread = talk.conversation if talk is not None else None  # a talk that was only shown so far
        self._light: str | None = None  # the talk of which nothing is held that was read in its messages
        self._behind = False  # something was found while a talk was open that keeps what it began with
        self._unheard = False  # the store gave no answer in time: it is asked again

    async def changed(self, mail: Refresh) -> None:
        """What is remembered is not what it was."""
        if self._session.state.talk is None and not mail.edited:
            self.fall_behind()
        else:
            await self.refresh(edited=mail.edited)
        items = mail.items
        if items is not None and self._session.cast.companion.policy.session.transcript == "all":
            await self._session.announce(lambda seq: MemoryChanged(seq=seq, items=items))

    async def refresh(self, *, edited: bool) -> None:
        """Read again what is remembered of the person; ``edited``: they changed it themselves.

        Where the store gives no answer in time it is asked again before the next message. What was held goes on until
        then, unless the person changed it: it may be what they have just taken away.
        """
        if not await self._refreshed(edited=edited) and edited:
            self._session.state = replace(self._session.state, remembered=Remembered())

    async def _refreshed(self, *, edited: bool) -> bool:
        session = self._session
        talk, held = session.state.talk, session.state.remembered
        try:
            fresh = await session.services.desk.remember(
                session.state.who, talk.conversation if talk else None
            )
            contacts = await session.services.contacts(session.state.who)
        except CommandRefused:
            self._unheard = True
            return False
        self._unheard = False
        self._behind = talk is not None and not edited
        if self._behind:
            fresh = replace(
                fresh,
                facts=held.facts,
                key_facts=held.key_facts,
                topics=held.topics,
                lately=held.lately,
            )
        if self._light is not None:
            fresh = _lightened(fresh)
        session.state = replace(session.state, remembered=fresh, contacts=contacts)
        return True

    async def read_on(self) -> None:
        """A talk that was only shown so far is read as soon as the store gives it; then see what it left undone."""
        session = self._session
        if self._light is not None:
            await self._weigh_again()
        if self._unheard:
            await self._refreshed(edited=True)
        talk = session.state.talk
        if talk is None or talk.conversation != self._unread:
            self._unread = None
        elif (
            isinstance(session.state.phase, Idle)
            and not session.state.queue
            and await self.reload(talk.conversation)
        ):
            self._unread = None
            if session.state.talk is not None and session.state.talk.unanswered:
                await session.services.warmed()
            await session.begin()

    def lighten(self) -> None:
        """Nobody is there and nothing goes on: what was read in messages is let go of, as the store has them all."""
        session = self._session
        talk = session.state.talk
        if talk is not None and self._light is None and self._unread is None:
            self._light = talk.conversation
            remembered = _lightened(session.state.remembered)
            session.state = replace(session.state, talk=lightened(talk), remembered=remembered)

    async def _weigh_again(self) -> None:
        """Somebody is back: what was let go of is read again; a store that gives nothing now is asked next time."""
        session = self._session
        talk = session.state.talk
        if talk is not None and talk.conversation == self._light:
            opening = await self.loaded(talk.conversation)
            if opening is None:
                return
            session.state = replace(session.state, talk=read_again(talk, opening.talk))
        self._light = None
        await self.refresh(edited=False)

    async def reload(self, conversation: str) -> bool:
        """The open talk is not as it was held: read it again; whether the store gave it."""
        session = self._session
        opening = await self.loaded(conversation)
        held = session.state.talk
        if opening is not None and held is not None:
            withheld = held.withheld or opening.talk.withheld  # what was said may not have landed yet
            session.state = replace(session.state, talk=replace(opening.talk, withheld=withheld))
        return opening is not None

    async def loaded(self, conversation: str) -> Opening | None:
        """A conversation, where the store gives it now."""
        try:
            return await self._session.services.desk.load(self._session.state.who, conversation)
        except CommandRefused:
            return None

    async def summed_up(self, mail: SummedUp) -> None:
        """The window of the open talk goes on from its summary (D11)."""
        session = self._session
        talk = session.state.talk
        if talk is not None and talk.conversation == mail.conversation:
            fresh = summed_up(talk, revision=mail.revision, text=mail.text, covers=mail.covers)
            session.state = replace(session.state, talk=fresh)
        if mail.tell is not None:
            await session.announce(mail.tell)

    def fall_behind(self) -> None:
        """Something is new, and nobody talks: it is read when the next talk begins, not when many end at once."""
        self._behind = True

    async def catch_up(self) -> None:
        """A conversation may begin: with what is known by now."""
        if self._behind and self._session.state.talk is None:
            await self._refreshed(edited=True)

    def landed(self, changes: tuple[AnyChange, ...], outcome: Outcome) -> None:
        """A message has landed, and with it what it orders; or an answer, and gone is what it took the place of."""
        if isinstance(outcome, Landed) and any(map(_changes_memory, changes)):
            self._session.services.memory_changed(self._session.state.who, ())


def _changes_memory(change: AnyChange) -> bool:
    if isinstance(change, AnswerGiven):
        return change.takes_back
    return isinstance(change, ORDERS)


def _lightened(remembered: Remembered) -> Remembered:
    """The same without what was stated in earlier talks."""
    return replace(remembered, stated=(), index=Index())
