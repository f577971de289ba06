"""The sessions there are: who holds which conversation, and how a client finds its session again.

A conversation has one session. Another that opens it to talk takes it over: the first is told, ends, and what it
had shown is in the store before the second reads it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import anyio
import msgspec
import structlog
from anyio.abc import TaskGroup

from actors.client import Onlooker
from actors.commands import Commands
from actors.giving_way import first_to_go
from actors.landing import land
from actors.mail import Announce, Cut, Drain, Forgotten, Mail, Refresh, Replaced, SummedUp, Unsay, Watch
from actors.outbox import Outbox
from actors.ports import Cast, CommandRefused, Opening, Services
from actors.runtime import Address, supervise
from actors.session import Session
from companions.changes import SessionContinued
from companions.remembered import Remembered
from companions.state import State, Who
from companions.unsaying import Unsaid

TAKE_OVER_SECONDS = 5.0
MOST_TRIES = 4
MAILBOX = 64

log: structlog.stdlib.BoundLogger = structlog.get_logger("sessions")


class Principal(msgspec.Struct, frozen=True, kw_only=True):
    """Who is on the other side, as the door found out: a person by name, and in which role."""

    user: str
    role: str


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a hello asks for."""

    companion: str
    conversation: str | None = None
    session_type: str | None = None
    resume_session: str | None = None
    resume_seq: int | None = None
    resume_epoch: str | None = None


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """A session that is not live any more: the id space it had, and its conversation."""

    space: str
    conversation: str | None


class Past(Protocol):
    """The sessions of before, in the store."""

    async def session_left(self, user: str, companion: str, session: str) -> Left | None:
        """What a session of that user left, or None when it is not known or another's."""
        ...

    def epoch(self) -> str:
        """The store's epoch: changed by every restore."""
        ...


@dataclass
class Live:
    """A session that runs."""

    session: Session
    address: Address[Mail]
    over: anyio.Event
    role: str


class Sessions:
    """All live sessions of this process."""

    def __init__(self, tasks: TaskGroup, casts: dict[str, Cast], past: Past, *, most: int = 10_000) -> None:
        self._tasks = tasks
        self._casts = casts
        self._past = past
        self._most = most
        self._live: dict[str, Live] = {}
        self._holders: dict[str, str] = {}  # conversation to session
        self._holding: dict[str, str] = {}  # session to conversation
        self._waiting: dict[Address[Mail], Address[Mail]] = {}  # sessions for the end of others
        self.draining = False

    def __len__(self) -> int:
        return len(self._live)

    def cast(self, companion: str) -> Cast | None:
        """The companion of that id."""
        return self._casts.get(companion)

    def lives(self, session: str) -> bool:
        """Whether the session of that id is live."""
        return session in self._live

    def held(self, conversation: str) -> bool:
        """Whether a live session has the conversation."""
        return conversation in self._holders

    async def join(
        self, services: Services, principal: Principal, wanted: Wanted, new_id: str
    ) -> tuple[Address[Mail], str, int | None]:
        """The session for a hello: its mailbox, its id, and what it may be resumed after.

        Raises ``CommandRefused`` for a companion or a conversation there is not.
        """
        cast = self._casts.get(wanted.companion)
        if cast is None:
            raise CommandRefused("companion.unknown")
        if self.draining:
            raise CommandRefused("session.busy")
        live = self._same(principal, cast, wanted)
        if live is not None:
            resumable = wanted.resume_epoch == self._past.epoch()
            session_id = live.session.state.who.session
            return live.address, session_id, wanted.resume_seq if resumable else None
        await self._room(principal.user)
        return await self._begin(services, cast, principal, wanted, new_id), new_id, None

    async def _room(self, user: str) -> None:
        """Room for one more, where one that only waits has to give way for it; raises ``CommandRefused``."""
        if len(self._live) < self._most:
            return
        open_ones = (each.session for each in self._live.values() if not each.address.closed)
        leaving = first_to_go(open_ones, user)
        if leaving is not None:
            live = self._live[leaving.state.who.session]
            live.address.post(Cut())
            with anyio.move_on_after(TAKE_OVER_SECONDS):
                await live.over.wait()
        if len(self._live) >= self._most:
            raise CommandRefused("session.busy")

    def _same(self, principal: Principal, cast: Cast, wanted: Wanted) -> Live | None:
        live = self._live.get(wanted.resume_session or "")
        if live is None or live.address.closed:
            return None
        who = live.session.state.who
        same = (who.user, who.companion, live.role) == (principal.user, cast.companion.id, principal.role)
        return live if same else None  # what a person was told by themselves is not told again to a device

    async def _begin(
        self, services: Services, cast: Cast, principal: Principal, wanted: Wanted, new_id: str
    ) -> Address[Mail]:
        companion = cast.companion.id
        left = None
        if wanted.resume_session is not None:
            left = await self._past.session_left(principal.user, companion, wanted.resume_session)
        who = Who(
            session=new_id, space=left.space if left else new_id, user=principal.user, companion=companion
        )
        asked = wanted.conversation or (left.conversation if left else None)
        kind = wanted.session_type or cast.companion.policy.session.default_type
        if kind not in cast.companion.policy.session.types:
            raise CommandRefused("policy.refused", f"{cast.companion.name} has no session of that type.")
        strict = wanted.conversation not in (None, "last")
        opening, known = await self._taken(services, who, asked, strict=strict)
        state = State(
            who=who,
            talk=opening.talk if opening else None,
            remembered=known,
            contacts=await services.contacts(who),
            session_type=opening.talk.session_type if opening else kind,
        )
        session = self._start(state, cast, services, principal.role)
        if left is not None:  # the welcome waits for it
            change = SessionContinued(
                user=who.user,
                companion=who.companion,
                at=services.now_ms(),
                session=who.session,
                space=who.space,
                conversation=state.talk.conversation if state.talk else None,
            )
            await _known(session, change)
        return session.address

    async def _taken(
        self, services: Services, who: Who, asked: str | None, *, strict: bool
    ) -> tuple[Opening | None, Remembered]:
        """The conversation to go on with, which nobody holds at this moment, and what is remembered.

        While the store is read another hello may take the same conversation: the later one gets it.
        """
        for _ in range(MOST_TRIES):
            opening = await self._opening(services, who, asked, strict=strict)
            known = await services.desk.remember(who, opening.talk.conversation if opening else None)
            if opening is None or not self.held(opening.talk.conversation):
                return opening, known
        raise CommandRefused("session.busy")

    async def _opening(
        self, services: Services, who: Who, conversation: str | None, *, strict: bool
    ) -> Opening | None:
        """The conversation to go on with; a closed one is not gone on with, an unknown one is refused."""
        if conversation is None:
            return None
        opening = await services.desk.load(
            who, conversation, read=False
        )  # the session reads it once it is shown
        if opening is None and strict:
            raise CommandRefused("conversation.unknown")
        if opening is None or opening.closed:
            return None
        if self.held(opening.talk.conversation):
            await self.take_over(opening.talk.conversation, None)
            opening = await services.desk.load(who, opening.talk.conversation, read=False)
        return opening if opening is not None and not opening.closed else None

    def _start(self, state: State, cast: Cast, services: Services, role: str) -> Session:
        address: Address[Mail] = Address(MAILBOX)
        session = Session(state, cast, services, address)
        live = Live(session, address, anyio.Event(), role)
        self._live[state.who.session] = live
        session.hold()
        self._tasks.start_soon(self._run, live, name="session")
        return session

    async def _run(self, live: Live) -> None:
        name = live.session.state.who.session
        try:
            await supervise(live.session, live.address, name="session", most_restarts=3)
        except Exception:
            log.error("session.lost", session=name)
        finally:
            live.address.close()
            with anyio.move_on_after(2, shield=True):
                await live.session.goodbye()
            self._live.pop(name, None)
            self.holds(name, None)
            live.over.set()
            _emptied(live.session)

    def holds(self, session: str, conversation: str | None) -> None:
        """``session`` has that conversation now, and no other; None: it has none."""
        before = self._holding.pop(session, None)
        if before is not None and self._holders.get(before) == session:
            del self._holders[before]
        if conversation is not None and session in self._live:
            self._holders[conversation] = session
            self._holding[session] = conversation

    async def take_over(self, conversation: str, by: Address[Mail] | None) -> None:
        """End another session's hold on a conversation; when it returns, what that session showed is stored.

        Raises ``CommandRefused`` when that session does not end in time, or waits itself for the one that asks:
        of two that open each other's conversation at once the later one gives way.
        """
        holder = self._live.get(self._holders.get(conversation, ""))
        if holder is None or holder.address is by:
            return
        if by is not None and self._waits_for(holder.address, by):
            raise CommandRefused("session.busy")
        holder.address.post(Replaced())
        if by is not None:
            self._waiting[by] = holder.address
        try:
            with anyio.move_on_after(TAKE_OVER_SECONDS):
                await holder.over.wait()
        finally:
            if by is not None:
                del self._waiting[by]
        if not holder.over.is_set():
            raise CommandRefused("session.busy")

    def _waits_for(self, one: Address[Mail] | None, other: Address[Mail]) -> bool:
        """Whether ``one`` cannot end before ``other`` has done what it is doing."""
        while one is not None and one is not other:
            one = self._waiting.get(one)
        return one is other

    def refresh(
        self,
        user: str,
        *,
        companion: str | None = None,
        edited: bool = False,
        items: tuple[str, ...] | None = None,
    ) -> None:
        """What is remembered of ``user`` has changed: their sessions (with ``companion``) read it again."""
        for live in self._live.values():
            who = live.session.state.who
            if who.user == user and companion in (None, who.companion):
                live.address.post(Refresh(edited=edited, items=items))

    async def unsay(self, who: Who, unsaid: Unsaid, by: Address[Mail] | None) -> None:
        """The other sessions of that person with that companion let go of what is about to be removed."""
        asked: list[anyio.Event] = []
        for live in self._others(who, by):
            asked.append(anyio.Event())
            live.address.post(Unsay(unsaid, asked[-1]))
        with anyio.move_on_after(TAKE_OVER_SECONDS):
            for done in asked:
                await done.wait()

    def unsaid(self, who: Who, unsaid: Unsaid, by: Address[Mail] | None) -> None:
        """It was removed: before the other sessions take anything else in, they forget it."""
        for live in self._others(who, by):
            live.address.post(Forgotten(unsaid))

    def _others(self, who: Who, by: Address[Mail] | None) -> list[Live]:
        owner = (who.user, who.companion)
        return [
            live
            for live in self._live.values()
            if live.address is not by
            and not live.address.closed
            and (live.session.state.who.user, live.session.state.who.companion) == owner
        ]

    def summed_up(self, user: str, companion: str, mail: SummedUp) -> None:
        """A summary of one of the person's conversations has landed: it may be of the one they talk in."""
        for live in self._live.values():
            who = live.session.state.who
            if (who.user, who.companion) == (user, companion):
                live.address.post(mail)

    def watch(self, user: str, companion: str, conversation: str, onlooker: Onlooker) -> str | None:
        """Have somebody look on at a talk that goes on now ("last": the one there is); its id, None where none does.

        A talk with parents is none that anybody looks on at.
        """
        for live in self._live.values():
            state, settings = live.session.state, live.session.cast.rules.settings
            if (state.who.user, state.who.companion) != (user, companion) or state.talk is None:
                continue
            if conversation not in ("last", state.talk.conversation):
                continue
            if not settings.with_parents(state.talk.session_type):
                live.address.post(Watch(onlooker=onlooker, begins=True))
                return state.talk.conversation
        return None

    def unwatch(self, user: str, onlooker: Onlooker) -> None:
        """They look on no longer."""
        for live in self._live.values():
            if live.session.state.who.user == user:
                live.address.post(Watch(onlooker=onlooker, begins=False))

    def announce(self, session: str, announce: Announce) -> None:
        """Tell one session's client something."""
        live = self._live.get(session)
        if live is not None:
            live.address.post(announce)

    async def drain(self, jitter_ms: Sequence[int], grace: float) -> None:
        """Tell every client to come back later, let open answers finish for ``grace`` seconds, then cut them."""
        self.draining = True
        for at, live in enumerate(list(self._live.values())):
            live.address.post(Drain(jitter_ms[at % len(jitter_ms)]))
        with anyio.move_on_after(grace):
            await self._all_over()
        for live in list(self._live.values()):
            live.address.post(Cut())
        with anyio.move_on_after(grace):
            await self._all_over()

    async def _all_over(self) -> None:
        for live in list(self._live.values()):
            await live.over.wait()


def _emptied(session: Session) -> None:
    """Let go of what a session remembered when it is over: it and its parts hold each other, and would hold that too
    until Python looks at everything. The rest stays, for the outcome of a last write may still come.
    """
    session.state = State(who=session.state.who)
    session.outbox = Outbox()
    session.commands = Commands(session)


async def _known(session: Session, continued: SessionContinued) -> None:
    """Let the store know whose ids ``session`` goes on with before anybody is told of it.

    A client that was welcomed, and comes back after a crash with what it was not acknowledged, names this session:
    were it unknown, its messages would be taken for new ones, and those that had landed would be said twice.
    """
    try:
        await land(session.services.writer, (continued,))
    except BaseException:
        session.address.close()  # whoever greeted has gone: nobody comes to it
        raise
