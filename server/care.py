"""Those who care for a person, on a connection of their own: no session, no talk, and only what they may have.

Who they are is shown by a token at each hello, and looked up again for every command, so that a grant that has ended
opens nothing any more. The person is the grant's, never the frame's (guarantee 17).
"""

import sqlite3
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from actors.command_kinds import digest_of
from actors.ports import CommandRefused, Done
from companions.care_changes import AlertReleased, ConsentDecided
from companions.changes import AnyChange, Outcome, Refused
from companions.companion import Companion
from companions.state import Who
from companions.unsaying import Unsaid
from protocol.catalogue import AnyCommand
from protocol.conversation_frames import ConversationOpen
from protocol.frames import Event
from protocol.results import CommandAck, ConversationNamed
from server.attending import Attending, Line, Seat
from server.audit import RecordedStore
from server.care_desk import CareDesk
from server.erasing import Erasures
from server.onlooking import Talks, look_on
from storage.connection import Store
from storage.grants import Grant, grant_of
from storage.patience import StoreSilent
from storage.refusals import StoreRefused

Land: TypeAlias = Callable[[AnyChange], Awaitable[Outcome]]
MOST_SEEN = 256


class Care:
    """What the door is handed for those who hold a grant."""

    def __init__(
        self,
        store: Store,
        land: Land,
        erasures: Erasures,
        *,
        changed: Callable[[str], None],
        unsay: Callable[[Who, Unsaid], Awaitable[None]],
        unsaid: Callable[[Who, Unsaid], Awaitable[None]],
        attending: Attending,
        talks: Talks,
    ) -> None:
        self.attending = attending
        self.talks = talks
        self.store = store
        self.land = land
        self.erasures = erasures
        self.changed = changed  # what a person's companion should know has changed
        self.unsay = unsay  # the person's sessions let go of what is about to be removed
        self.unsaid = unsaid  # and forget it

    async def grant(self, token: str) -> Grant | None:
        """The grant that a token shows; none while the store refuses. Raises ``CommandRefused`` where it is slow."""

        def ask(db: sqlite3.Connection) -> Grant | None:
            return grant_of(db, token)

        try:
            return await self.store.read(ask)
        except StoreSilent as silent:
            raise CommandRefused(silent.code) from None
        except StoreRefused:
            return None

    def sitting(self, token: str, grant: Grant, companion: Companion, session: str) -> "Sitting":
        """One connection of a holder."""
        return Sitting(self, token, grant, companion, session)


class Sitting:
    """Answers the commands of one connection, each once: the same id again gets the first answer again."""

    def __init__(self, care: Care, token: str, grant: Grant, companion: Companion, session: str) -> None:
        self._care = care
        self._token = token
        self._store = RecordedStore(
            care.store,
            person=grant.user,
            companion=companion.id,
            role=grant.role,
            by=grant.id,
            name=grant.name,
        )
        self._desk = CareDesk(self._store, care.erasures, care.attending, companion, grant, session)
        self.seat = Seat(token, grant, companion.id)
        self._seen: OrderedDict[str, tuple[str, Event]] = OrderedDict()

    async def told(self, client: Line) -> None:
        """Tell the holder what concerns them, from what is open now on, until they leave or their grant ends."""
        attending = self._care.attending
        with attending.seated(self.seat):
            await attending.catch_up(self.seat)
            try:
                await self.seat.serve(client)
            finally:
                self.seat.stop_looking()

    async def answer(self, command: AnyCommand, at: int) -> Event:
        """The answer to ``command``; raises ``CommandRefused``."""
        grant = await self._care.grant(self._token)
        if grant != self._desk.grant:
            raise CommandRefused("auth.forbidden", "The grant has ended.")
        digest, known = digest_of(command), self._seen.get(command.id)
        if known is not None and known[0] != digest:
            raise CommandRefused("id.reused")
        if known is not None:
            return known[1]
        try:
            self._store.on_behalf(command, at)
            done = await self._answered(command, at)
            await self._store.settle()
        except StoreRefused as refused:
            raise CommandRefused(refused.code) from None
        await self._landed(done)
        result = done.result if done.after is None else await done.after()
        answer: Event = CommandAck(re=command.id, result=result)
        if done.changes:  # what reads runs again
            self._remember(command.id, digest, answer)
        return answer

    async def _answered(self, command: AnyCommand, at: int) -> Done:
        desk, care = self._desk, self._care
        if not isinstance(command, ConversationOpen):
            return await desk.answer(command, at)
        found = await look_on(
            self._store, care.talks, self.seat, desk.who, command.conversation, care.attending.now_ms
        )
        return Done(result=ConversationNamed(conversation=found))

    async def _landed(self, done: Done) -> None:
        if done.unsaid is not None:
            await self._care.unsay(self._desk.who, done.unsaid)
        for change in done.changes:
            outcome = await self._care.land(change)
            if isinstance(outcome, Refused):
                raise CommandRefused(outcome.code)
        if done.unsaid is not None:
            await self._care.unsaid(self._desk.who, done.unsaid)
        if done.changes:
            self._care.changed(self._desk.grant.user)
        if any(isinstance(change, ConsentDecided | AlertReleased) for change in done.changes):
            self._care.attending.decided(self._desk.grant.user)

    def _remember(self, id_: str, digest: str, answer: Event) -> None:
        self._seen[id_] = (digest, answer)
        while len(self._seen) > MOST_SEEN:
            self._seen.popitem(last=False)
