"""The commands of a client, and the promise about their ids.

The same id again gets the first answer again; with other content it is refused. What changes something keeps its
result; reads run again. Ids are unique in a space: a session and those it continues.
"""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

import anyio
import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from actors.afterwards import afterwards, landed_late
from actors.check_ins import of_this_talk
from actors.command_kinds import MEMORY, READS, digest_of
from actors.health import health_of
from actors.landing import land
from actors.mail import Forgotten
from actors.ports import CommandRefused
from actors.ports import Done as DeskDone
from actors.reading import read_aside
from actors.repeating import answered_before, landed_since
from actors.reserving import kind_of, reserve
from actors.telling import unnumbered
from actors.unsaying import forget, let_go, still_landing
from companions.changes import (
    AnyChange,
    CommandDone,
    CommandId,
    ConversationOpened,
    Outcome,
    Refused,
    SessionContinued,
)
from companions.events import Ack, CancelAsked, CloseAsked, MessageSent, Refuse, RegenerateAsked
from companions.greeting import greeting
from companions.unsaying import Unsaid
from protocol.care_frames import ConsentSet
from protocol.catalogue import AnyCommand
from protocol.conversation_frames import (
    ConversationClose,
    ConversationCreate,
    ConversationDelete,
    ConversationOpen,
)
from protocol.errors import ErrorFrame
from protocol.frames import Event
from protocol.person_frames import HealthShare
from protocol.results import CommandAck, ConversationNamed, Done, Greeting
from protocol.talk_frames import GreetingGet, MessageSend, ResponseCancel, ResponseRegenerate
from protocol.values import Value

if TYPE_CHECKING:
    from actors.session import Session

MOST_SEEN = 256  # answers held in memory; older ones are in the store
DESK_SECONDS = 5.0
MOST_TRIES = 4  # of a command that was decided on what another changed meanwhile
CONFLICT: Final = Refused("state.conflict")


class Commands:
    """Takes the commands of one session's client and answers each once."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._seen: OrderedDict[str, tuple[str, Event | None]] = OrderedDict()
        self._forgot = False  # some ids of this session are in the store alone

    async def handle(self, command: AnyCommand) -> None:
        """Do ``command``, unless its id was used before."""
        if isinstance(command, READS):
            await self._do(command)
            return
        digest = digest_of(command)
        try:
            if await self._repeated(command, digest):
                return
        except CommandRefused as refused:  # whether it is new cannot be told now
            await self._refuse(command.id, refused)
            return
        self._remember(command.id, digest, None)
        await self._do(command)

    async def _repeated(self, command: AnyCommand, digest: str) -> bool:
        session = self._session
        known = self._seen.get(command.id)
        if known is None:
            return await self._repeated_from_store(command, digest)
        if known[0] != digest:
            await self.told(Refuse(re=command.id, code="id.reused"))
        elif known[1] is not None:
            await session.send(landed_since(known[1], session.state.late))
        return True  # else it is under way: its answer comes once

    async def _repeated_from_store(self, command: AnyCommand, digest: str) -> bool:
        who = self._session.state.who
        if who.space == who.session and not self._forgot:
            return False  # a session that continues none has all its ids in memory
        return await answered_before(self._session, command, digest)

    def _remember(self, id_: str, digest: str, answer: Event | None) -> None:
        self._seen[id_] = (digest, answer)
        while len(self._seen) > MOST_SEEN:
            self._seen.popitem(last=False)
            self._forgot = True

    def forget(self) -> None:
        """Hold no answer any more: it may quote what was removed. What a repeat may be told is in the store."""
        for id_ in [id_ for id_, (_, answer) in self._seen.items() if answer is not None]:
            del self._seen[id_]
        self._forgot = True

    async def told(self, answer: Ack | Refuse) -> None:
        """Send the answer to a command and keep it for repeats; a refusal is forgotten, so that it may be retried."""
        frame = unnumbered(answer, self._session.services.new_ref())
        if answer.re is not None and answer.re in self._seen:
            digest = self._seen[answer.re][0]
            if isinstance(answer, Ack):
                self._remember(answer.re, digest, frame)
            elif answer.code != "id.reused":
                del self._seen[answer.re]
                self._forgot = self._forgot or answer.code.startswith("storage.")  # it may land all the same
        await self._session.send(frame)

    async def failed(self, id_: str, ref: str) -> None:
        """Our fault. It may come again; if it landed all the same, the store says what it came to."""
        self._seen.pop(id_, None)
        self._forgot = True
        await self._session.send(unnumbered(Refuse(re=id_, code="server.failed"), ref))

    async def _result(self, re: str, value: Value) -> None:
        frame: Event = CommandAck(re=re, result=value)
        if re in self._seen:
            self._remember(re, self._seen[re][0], frame)
        await self._session.send(frame)

    # ------------------------------------------------------------ what each command does

    async def _do(self, command: AnyCommand) -> None:
        session = self._session
        at = session.services.now_ms()
        ids = session.services.mint(len(session.cast.rules.settings.jobs))
        match command:
            case MessageSend():
                await self._message(command)
            case ResponseCancel():
                response = None if command.response is UNSET else command.response
                await session.happen(CancelAsked(re=command.id, response=response, at=at))
            case ResponseRegenerate():
                asked = RegenerateAsked(
                    command=self._command_id(command),
                    message=command.message,
                    style=command.style,
                    ids=ids,
                    at=at,
                )
                await session.happen(asked)
            case ConversationClose():
                await self._close(command, at)
            case ConversationCreate():
                await self._create(command, ids.conversation)
            case ConversationOpen():
                await self._open(command)
            case GreetingGet():
                await session.memory.catch_up()
                text, topics = greeting(session.cast.companion, session.state, turn=session.outbox.seq)
                await self._result(command.id, Greeting(text=text, topics=topics))
            case HealthShare():
                await self._health(command)
            case _:
                await self._at_the_desk(command, at)

    async def _message(self, command: MessageSend) -> None:
        session = self._session
        if session.draining:
            await self.told(Refuse(re=command.id, code="session.busy"))
            return
        session.showing.asked_now()
        await session.memory.catch_up()
        vector = await session.services.vector(command.text) if command.text.strip() else None
        context = None if command.context is UNSET else msgspec.Raw(msgspec.json.encode(command.context))
        sent = MessageSent(
            command=self._command_id(command),
            text=command.text,
            ids=session.services.mint(len(session.cast.rules.settings.jobs)),
            at=session.services.now_ms(),
            context=context,
            vector=vector,
            reading=await read_aside(
                session.services.aside, session.cast.rules, session.state, command.text, vector
            ),
        )
        await session.happen(sent)

    def _command_id(self, command: AnyCommand) -> CommandId:
        return CommandId(space=self._session.state.who.space, id=command.id, digest=digest_of(command))

    def _is_open(self, conversation: str) -> bool:
        talk = self._session.state.talk
        return talk is not None and talk.conversation == conversation

    async def _close(self, command: ConversationClose, at: int) -> None:
        session = self._session
        if session.state.talk is None:
            await self._landed(command, ConversationNamed(conversation=None), (), at)
            return
        ids = session.services.mint(len(session.cast.rules.settings.jobs))
        await session.happen(
            CloseAsked(re=self._command_id(command), conversation=None, reason="asked", ids=ids, at=at)
        )

    async def _create(self, command: ConversationCreate, conversation: str) -> None:
        """A new conversation: it is stored with its first message; the one before it is over."""
        session = self._session
        kind = kind_of(session, command)
        if kind is None:
            await self.told(Refuse(re=command.id, code="policy.refused"))
            return
        named = ConversationNamed(conversation=conversation)
        outcome = await self._land(command, named, (), session.services.now_ms())
        if isinstance(outcome, Refused):
            await self.told(Refuse(re=command.id, code=outcome.code))
            return
        await session.close_talk()
        await session.memory.refresh(edited=True)
        reserve(session, command, kind, conversation)
        await self._result(command.id, named)

    async def _open(self, command: ConversationOpen) -> None:
        session = self._session
        if command.mode == "watch":
            await self.told(Refuse(re=command.id, code="auth.forbidden"))  # needs a grant with live consent
            return
        desk = session.services.desk
        try:
            opening = await desk.load(session.state.who, command.conversation)
            if opening is not None and not opening.closed:  # only who may have it may take it over
                await session.services.take_over(command.conversation, session.address)
                opening = await desk.load(session.state.who, command.conversation)
        except CommandRefused as refused:
            await self._refuse(command.id, refused)
            return
        if opening is None or opening.closed:
            code = "conversation.unknown" if opening is None else "conversation.closed"
            await self.told(Refuse(re=command.id, code=code))
            return
        if not self._is_open(command.conversation):
            await session.leave_talk()
            session.state = replace(
                session.state,
                talk=opening.talk,
                reserved=None,
                title=None,
                session_type=opening.talk.session_type,
            )
            session.hold()
        who, at = session.state.who, session.services.now_ms()
        turned = ConversationOpened(
            user=who.user, companion=who.companion, at=at, conversation=command.conversation
        )
        here = SessionContinued(
            user=who.user,
            companion=who.companion,
            at=at,
            session=who.session,
            space=who.space,
            conversation=command.conversation,
        )
        named = ConversationNamed(conversation=command.conversation)
        await self._landed(command, named, (turned, here), at)
        await session.show_conversation()
        await session.begin()

    async def _health(self, command: HealthShare) -> None:
        """Health context lives in the session only: not stored, not for idempotency either (D23)."""
        session = self._session
        self._seen.pop(command.id, None)
        if session.cast.companion.policy.memory.health == "never":
            await self.told(Refuse(re=command.id, code="policy.refused"))
            return
        session.state = replace(session.state, health=health_of(command))
        await self._result(command.id, Done())

    async def _at_the_desk(self, command: AnyCommand, at: int, *, tries: int = MOST_TRIES) -> None:
        """Commands on what is stored. What they change lands, with the result for repeats, before it is told."""
        session = self._session
        try:
            with anyio.fail_after(DESK_SECONDS):
                done = await session.services.desk.answer(session.state.who, command, at)
            if isinstance(command, ConversationDelete):  # nobody talks in it any more, wherever it is open
                await session.services.take_over(command.conversation, session.address)
        except CommandRefused as refused:
            await self._refuse(command.id, refused)
            return
        except TimeoutError:
            await self.told(Refuse(re=command.id, code="storage.busy"))
            return
        changes = tuple(of_this_talk(session, change) for change in done.changes)
        if done.unsaid is not None:
            await self._unsay(command, done, done.unsaid, at)
        elif not changes or isinstance(command, READS):
            await self._result(command.id, done.result)
        else:
            await self._land_at_the_desk(command, done.result, changes, at, tries)

    async def _land_at_the_desk(
        self, command: AnyCommand, result: Value, changes: tuple[AnyChange, ...], at: int, tries: int
    ) -> None:
        session = self._session
        if isinstance(command, ConsentSet) and not command.allow:
            session.services.decided(session.state.who)  # nobody looks on until the store takes a no
        outcome = await self._land(
            command, result, changes, at, late=partial(landed_late, session, command, changes)
        )
        if outcome == CONFLICT and isinstance(command, MEMORY) and tries > 1:  # decided on what was known
            await self._at_the_desk(command, at, tries=tries - 1)
        elif isinstance(outcome, Refused):
            await self.told(Refuse(re=command.id, code=outcome.code))
        else:
            await self._result(command.id, result)
            await afterwards(session, command, changes)

    async def _unsay(self, command: AnyCommand, done: DeskDone, unsaid: Unsaid, at: int) -> None:
        """Remove what was said; when it is acknowledged nobody holds it and no file has it."""
        session = self._session
        who, mine = session.state.who, session.address
        await let_go(session, unsaid)
        await session.services.unsay(who, unsaid, mine)
        result = done.result if done.after is None else None
        late = partial(landed_late, session, command, done.changes, unsaid)
        outcome = await self._land(command, result, done.changes, at, late=late)
        if isinstance(outcome, Refused):
            await self.told(Refuse(re=command.id, code=outcome.code))
            return
        await forget(session, unsaid)
        if still_landing(session, unsaid):
            mine.post(Forgotten(unsaid))
        await session.services.unsaid(who, unsaid, mine)
        if done.after is None:
            await self._result(command.id, done.result)
        else:
            await self._landed(command, await done.after(), (), at)

    async def _landed(
        self, command: AnyCommand, result: Value, changes: tuple[AnyChange, ...], at: int
    ) -> bool:
        """Land what a command changed, and answer it; False when the store refused."""
        outcome = await self._land(command, result, changes, at)
        if isinstance(outcome, Refused):
            await self.told(Refuse(re=command.id, code=outcome.code))
            return False
        await self._result(command.id, result)
        return True

    async def _refuse(self, re: str, refused: CommandRefused) -> None:
        self._seen.pop(re, None)
        code = unnumbered(Refuse(re=re, code=refused.code), self._session.services.new_ref())
        if refused.message is not None:
            code = msgspec.structs.replace(code, message=refused.message)
        if isinstance(code, ErrorFrame) and refused.current is not None:
            code = msgspec.structs.replace(code, current=refused.current)
        await self._session.send(code)

    async def _land(
        self,
        command: AnyCommand,
        result: Value | None,
        changes: tuple[AnyChange, ...],
        at: int,
        *,
        late: Callable[[], None] = lambda: None,
    ) -> Outcome:
        """Land changes, and with them the ``result`` to be kept for repeats, where there is one yet."""
        who = self._session.state.who
        kept = CommandDone(
            user=who.user,
            companion=who.companion,
            at=at,
            command=self._command_id(command),
            result=msgspec.Raw(msgspec.json.encode(result)),
        )
        # A command that has to wait is refused for now; sent again it finds what became of it.
        write = changes if result is None else (*changes, kept)
        return await land(self._session.services.writer, write, late)
