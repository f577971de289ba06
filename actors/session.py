"""One session: a person, a companion, and the talk between them.

Everything that happens to a session arrives in its inbox, the model's words and the outcome of writes included,
so its state changes in one place and needs no lock. The rules are ``companions.conversation.step``; this actor
carries their effects out. A lost connection is not an end: the session finishes its answer and waits.
"""

from collections.abc import Callable
from functools import partial
from typing import assert_never

import anyio
import structlog
from anyio.abc import TaskGroup
from msgspec.structs import replace

from actors import telling
from actors.alarms import Alarm, Alarms
from actors.client import Client, Gone
from actors.commands import Commands
from actors.containing import answered, welcomed
from actors.disclosing import DISCLOSURE, Disclosing
from actors.mail import (
    Announce,
    Asked,
    Attach,
    Cut,
    Detach,
    Disclose,
    Drain,
    Forgotten,
    Linger,
    Mail,
    Refresh,
    Replaced,
    SummedUp,
    Unsay,
    Watch,
)
from actors.outbox import Outbox
from actors.owed import tell_owed
from actors.ports import Cast, Services
from actors.remembering import Remembering
from actors.ringing import ring
from actors.runtime import Address, Closed, Inbox
from actors.showing import Showing
from actors.snapshots import conversation_snapshot, response_snapshot
from actors.streams import Streams
from actors.unsaying import forgotten, let_go
from actors.watching import Watching
from actors.writer import Write
from companions import answering
from companions.changes import AnyChange, Deferred, Outcome, Refused
from companions.conversation import close, step
from companions.events import (
    Ack,
    Alert,
    AskModel,
    Effect,
    Event,
    HandOver,
    Refuse,
    Reload,
    Report,
    Save,
    Saved,
    SendDelta,
    StartTimer,
    StopModel,
    StopTimer,
    TellClosed,
    TellDone,
    TellDurable,
    TellHidden,
    TellMessage,
    TellNotice,
    TellSafety,
    TellStands,
    TellStarted,
    Ticket,
    TimerRang,
)
from companions.resuming import resumed
from companions.state import Idle, Responding, State, Step
from protocol.errors import CloseCode
from protocol.frames import Event as Frame
from protocol.session_frames import Notice, ServerDraining

LINGER_SECONDS = 60.0  # what a session holds for its client to go on at once; without a talk it ends then

log: structlog.stdlib.BoundLogger = structlog.get_logger("session")


class Session:
    """The actor of one session."""

    def __init__(self, state: State, cast: Cast, services: Services, address: Address[Mail]) -> None:
        self.state = state
        self.cast = cast
        self.services = services
        self.address = address
        self.outbox = Outbox()
        self.client: Client | None = None
        self.met = False  # a client was here
        self.draining = False
        self.commands = Commands(self)
        self.memory = Remembering(self)
        self.showing = Showing(self)
        self.watching = Watching(self)
        self._alarms = Alarms(partial(ring, self))
        self._streams = Streams(self)
        self._disclosing = Disclosing(self)
        self._owed = 0  # writes whose outcome has not come back
        self._held: str | None = None
        self._ran = False

    # ------------------------------------------------------------ the life of the actor

    async def __call__(self, inbox: Inbox[Mail]) -> None:
        """Serve until the session is over: its talk has ended and nobody is connected, or it was replaced."""
        try:
            async with anyio.create_task_group() as tasks:
                self._tasks: TaskGroup = tasks
                await self._pick_up()
                if self.state.leaving:
                    self._end_when_over()
                async for mail in inbox:
                    await self._receive(mail)
                    self._end_when_over()
                tasks.cancel_scope.cancel()
        finally:
            self._alarms.stop_all()

    async def _pick_up(self) -> None:
        """After a crash: the stream of an open answer went with it, so the answer ends as far as it was shown."""
        if self._ran:
            await self.take(answering.cut(self.cast.rules, self.state, "failed", self.services.now_ms()))
            if self.state.talk is not None:
                self._alarms.start("silence", self.cast.rules.settings.silence)
        else:
            self._alarms.start("linger", LINGER_SECONDS)  # mail may come before its first client
        self._ran = True

    def _end_when_over(self) -> None:
        if self._owed or not isinstance(self.state.phase, Idle):
            return
        needed = self.client is not None or self.state.talk is not None or "linger" in self._alarms
        if self.state.leaving or not needed:
            self.address.close()

    async def _receive(self, mail: Mail) -> None:
        match mail:
            case Attach():
                await welcomed(self, mail)
            case Detach(client=client):
                self.detach(client)
            case Asked(command=command):
                await answered(self, command)
            case Refresh():
                await self.memory.changed(mail)
                await tell_owed(self)
            case SummedUp():
                await self.memory.summed_up(mail)
            case Watch(onlooker=onlooker, begins=True):
                await self.watching.begin(onlooker)
            case Watch(onlooker=onlooker):
                await self.watching.end(onlooker)
            case Announce(make=make):
                await self.announce(make)
            case Replaced():
                await self._replaced()
            case Unsay(unsaid=unsaid, done=done):
                await let_go(self, unsaid)
                done.set()
            case Forgotten():
                await forgotten(self, mail)
            case Drain(reconnect_after_ms=milliseconds):
                await self._drain(milliseconds)
            case Cut():
                await self.leave()
            case Linger():
                if self._alarms.meant("linger"):
                    self._waited()
            case Disclose():
                if self._alarms.meant(DISCLOSURE):
                    await self._disclosing.rang()
            case _:
                await self.happen(mail)

    async def happen(self, event: Event) -> None:
        """An event of the rules: take the step, carry its effects out."""
        if isinstance(event, Saved) and not isinstance(event.outcome, Deferred):
            self._owed -= 1
        if isinstance(event, TimerRang) and not self._alarms.meant(event.timer):
            return
        await self.take(step(self.cast.rules, self.state, event))

    async def take(self, taken: Step) -> None:
        """The next state, and what is to be done."""
        self.state, effects = taken
        self.hold()
        for effect in effects:
            await self._carry_out(effect)
        if isinstance(self.state.phase, Idle):
            self.cast.rules.rest(self.state)
            await self._disclosing.between_turns()

    def hold(self) -> None:
        """Let it be known which conversation this session has: nobody else may talk in it, or end it."""
        conversation = self.state.talk.conversation if self.state.talk is not None else None
        if conversation != self._held:
            self._held = conversation
            self.services.holds(self.state.who.session, conversation)

    # ------------------------------------------------------------ clients come and go

    async def attach(self, mail: Attach) -> None:
        """A client is here, or here again: the one before it goes."""
        if self.client is not None and self.client is not mail.client:
            await self.client.close(CloseCode.REPLACED, "Another connection goes on with this session.")
        self.client, self.met = mail.client, True
        self._alarms.stop("linger")
        missed = self.outbox.after(mail.missed_after) if mail.missed_after is not None else None
        conversation = self.state.talk.conversation if self.state.talk is not None else None
        await self.send(mail.welcome(missed is not None, self.outbox.seq, conversation))
        trouble = self.services.trouble()
        if trouble is not None and missed is None:
            said = telling.person_word(trouble)
            await self.announce(lambda seq: Notice(seq=seq, code=trouble, say=said))
        elif self.services.restored and missed is None:
            quiet = self.cast.companion.policy.session.transcript == "current"
            note = None if quiet else telling.RESTORED
            await self.announce(lambda seq: Notice(seq=seq, code="store.restored", say=note))
        if missed is not None:
            for event in missed:
                await self.send(event)
            if isinstance(self.state.phase, Responding):
                phase = self.state.phase
                await self.announce(lambda seq: response_snapshot(phase, seq))
        else:
            await self._show_start(conversation)
        await self.memory.read_on()

    async def _show_start(self, conversation: str | None) -> None:
        """Somebody who is shown nothing of before begins here, or goes on with a conversation."""
        if conversation is not None:
            await self.show_conversation()
        await self._disclosing.start()

    async def show_conversation(self) -> None:
        """Where the open conversation stands."""
        now = self.cast.companion.policy.session.transcript == "current"
        await self.announce(lambda seq: conversation_snapshot(self.state, seq, only_current=now))

    def detach(self, client: Client) -> None:
        """A client has gone."""
        if self.client is client:
            self.client = None
            self._alarms.start("linger", LINGER_SECONDS)

    def _waited(self) -> None:
        """Nobody came back for a while: a talk is held whole only as long as something goes on in it."""
        goes_on = self._owed or self.state.late or not isinstance(self.state.phase, Idle)
        if goes_on and self.state.talk is not None:
            self._alarms.start("linger", LINGER_SECONDS)
        else:
            self.memory.lighten()

    async def begin(self) -> None:
        """The session stands with a conversation that was read back: see what it left undone."""
        ids = self.services.mint(len(self.cast.rules.settings.jobs))
        await self.take(resumed(self.cast.rules, self.state, ids, self.services.now_ms()))

    async def _replaced(self) -> None:
        words = self.cast.companion.texts.words
        await self.announce(lambda seq: Notice(seq=seq, code="session.replaced", say=words.get("ended")))
        if self.client is not None:
            await self.client.close(CloseCode.REPLACED, "Another session goes on with this conversation.")
            self.client = None
        await self.leave()

    async def _drain(self, reconnect_after_ms: int) -> None:
        self.draining = True
        await self._disclosing.record()
        await self.announce(lambda seq: ServerDraining(seq=seq, reconnect_after_ms=reconnect_after_ms))
        if isinstance(self.state.phase, Idle):
            await self.leave()
        else:
            self.state = replace(self.state, leaving=True)

    async def leave(self) -> None:
        """End here: what was shown of an open answer is kept, the conversation stays open in the store.

        Messages that wait are stored; whoever goes on with the conversation answers them.
        """
        self.state = replace(self.state, leaving=True)
        await self.take(answering.cut(self.cast.rules, self.state, "interrupted", self.services.now_ms()))

    async def goodbye(self) -> None:
        """The session is over: a client that is still there is told to come back later."""
        self.watching.leave()
        if self.client is not None:
            await self.client.close(CloseCode.DRAINING, "The server stops; come back a little later.")
            self.client = None

    # ------------------------------------------------------------ telling the client

    async def send(self, event: Frame) -> None:
        """Send, if anybody is there; a client that does not read is let go."""
        if self.client is None:
            return
        try:
            await self.client.send(event)
        except Gone:
            self.detach(self.client)

    async def announce(self, make: Callable[[int], Frame]) -> None:
        """Send a numbered event, which a client that comes back is told again."""
        await self.send(self.outbox.number(make))

    # ------------------------------------------------------------ effects

    async def _carry_out(self, effect: Effect) -> None:
        match effect:
            case Save(change=change, ticket=ticket, also=also):
                await self.save(change, ticket, also)
            case SendDelta() | TellDurable():
                await self.showing.delta(effect)
            case Ack() | Refuse():
                await self.commands.told(effect)
            case (
                TellMessage()
                | TellSafety()
                | TellStarted()
                | TellDone()
                | TellClosed()
                | TellHidden()
                | TellNotice()
            ):
                await self.showing.tell(effect)
            case AskModel():
                self._streams.start(self._tasks, effect)
            case StopModel(response=response):
                self._streams.stop(response)
            case StartTimer(timer=timer, seconds=seconds):
                self._alarms.start(timer, seconds)
            case StopTimer(timer=timer):
                self._alarms.stop(timer)
            case HandOver(conversation=conversation):
                self.services.hand_over(conversation)
                if self.state.talk is None or self.state.talk.conversation != conversation:
                    self.memory.fall_behind()  # it is of the past now, and to be remembered
            case Alert():
                self.services.alert(
                    self.state.who, effect.alert, effect.category, effect.level, effect.recipients
                )
            case TellStands(conversation=conversation):
                if self.state.talk is not None and self.state.talk.conversation == conversation:
                    await self.show_conversation()
            case Reload(conversation=conversation):
                await self.memory.reload(conversation)
            case Report():
                self.services.report(self.state.who, effect)
            case _:
                assert_never(effect)

    async def save(self, change: AnyChange, ticket: Ticket, also: tuple[AnyChange, ...] = ()) -> None:
        """Hand a change to the writer, and what lands with it; its outcome comes back as an event."""

        def reply(outcome: Outcome) -> None:
            self.address.post(Saved(ticket=ticket, outcome=outcome, at=self.services.now_ms()))
            self.memory.landed((change, *also), outcome)

        self._owed += 1
        try:
            await self.services.writer.send(Write((change, *also), reply))
        except Closed:
            reply(Refused("storage.busy"))

    def wind(self, alarm: Alarm, seconds: float) -> None:
        """Ring after so long."""
        self._alarms.start(alarm, seconds)

    async def leave_talk(self) -> None:
        """Leave the open conversation as it is, its open answer kept as far as it was shown (X20)."""
        await self.take(answering.cut(self.cast.rules, self.state, "interrupted", self.services.now_ms()))
        for alarm in ("silence", "quiet", "enough"):  # what was not handed over yet is, when the talk ends
            self._alarms.stop(alarm)
        self.state = replace(self.state, talk=None, queue=(), phase=Idle(), unhanded=0)
        await self.watching.left()
        self.hold()

    async def close_talk(self) -> None:
        """The open conversation gives way to a new one: it is over, and handed over."""
        ids = self.services.mint(len(self.cast.rules.settings.jobs))
        at = self.services.now_ms()
        await self.take(close(self.cast.rules, self.state, re=None, reason="replaced", ids=ids, at=at))
