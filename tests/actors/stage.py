"""A session on a stage: a client that keeps a record, a model that plays a script, a store that is a list."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import anyio
import anyio.lowlevel
from msgspec import UNSET

from actors.client import Gone
from actors.mail import Asked, Attach, Detach, Mail
from actors.ports import Cast, Done, Opening, Services, Waits
from actors.runtime import Address, Inbox, supervise
from actors.session import Session
from actors.writer import Write
from companions.changes import AnyChange, CommandId, Landed, Outcome, Refused, Repeated
from companions.events import Minted
from companions.owed import Owed
from companions.ports import Finished, ModelError, Piece, Prompt, Text, ToolAnswer, ToolCall
from companions.remembered import Remembered
from companions.state import State, Who
from companions.talk import Talk
from protocol.catalogue import AnyCommand
from protocol.errors import CloseCode
from protocol.frames import Event
from protocol.results import Done as Nothing
from protocol.session_frames import Limits, Model, Welcome
from protocol.talk_frames import MessageSend, ResponseDelta
from tests.companions.library import shipped
from tests.companions.scenes import WHO, ScriptedRules

E = TypeVar("E", bound=Event)
Beat = str | float | ModelError
"""A piece of text, a pause in seconds, or how the model fails."""


class Record:
    """A client that keeps what it is sent; whoever waits for an event is woken by it."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.at: list[float] = []
        self.closed: CloseCode | None = None
        self.gone = False
        self._came = anyio.Event()

    async def send(self, event: Event) -> None:
        await anyio.lowlevel.checkpoint()
        if self.gone:
            raise Gone
        self.events.append(event)
        self.at.append(anyio.current_time())
        self._wake()

    def known(self) -> bool:
        return True

    async def close(self, code: CloseCode, reason: str) -> None:
        self.closed = code
        self._wake()

    def _wake(self) -> None:
        self._came.set()
        self._came = anyio.Event()

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    async def told(self, kind: type[E], count: int = 1) -> E:
        """Event number ``count`` of that kind, when it has come."""
        while len(found := self.of(kind)) < count:
            await self._came.wait()
        return found[count - 1]

    async def came(self, count: int) -> None:
        """Until so many events have come."""
        while len(self.events) < count:
            await self._came.wait()

    async def let_go(self) -> CloseCode:
        """The code this client is closed with, once it is."""
        while self.closed is None:
            await self._came.wait()
        return self.closed

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.of(ResponseDelta))


@dataclass
class ScriptedModel:
    """Plays one script a request, the last one again and again; counts what is open."""

    scripts: list[Sequence[Beat]]
    kind: str = "scripted"
    name: str = "scripted"
    connected: bool = True
    asked: int = 0
    open: int = 0

    @asynccontextmanager
    async def stream(self, prompt: Prompt) -> AsyncGenerator[AsyncIterator[Piece]]:
        script = self.scripts[min(self.asked, len(self.scripts) - 1)]
        self.asked += 1
        self.open += 1
        try:
            yield self._pieces(script)
        finally:
            self.open -= 1

    async def _pieces(self, script: Sequence[Beat]) -> AsyncIterator[Piece]:
        for beat in script:
            await anyio.lowlevel.checkpoint()
            if isinstance(beat, ModelError):
                raise beat
            if isinstance(beat, str):
                yield Text(beat)
            else:
                await anyio.sleep(beat)
        yield Finished("stop")


@dataclass
class Shelf:
    """A writer and a desk over a list of changes; each commit takes ``seconds``."""

    seconds: float = 0.0
    changes: list[AnyChange] = field(default_factory=list[AnyChange])
    refuses: str | None = None
    breaks: bool = False  # at the next command, once
    opening: Opening | None = None  # the conversation there is
    reading: float = 0.0  # how long it takes to read it
    before: Repeated | Waits | None = None  # what came of every command that is asked for

    async def write(self, inbox: Inbox[Write]) -> None:
        async for write in inbox:
            await anyio.sleep(self.seconds)
            outcome: Outcome = Refused(self.refuses) if self.refuses else Landed()
            if self.refuses is None:
                self.changes.extend(write.changes)
            write.reply(outcome)

    def of(self, kind: type[AnyChange]) -> list[AnyChange]:
        return [change for change in self.changes if isinstance(change, kind)]

    async def load(self, who: Who, conversation: str, *, read: bool = True) -> Opening | None:
        if read and self.reading:
            await anyio.sleep(self.reading)
        return self.opening

    async def remember(self, who: Who, open_talk: str | None = None) -> Remembered:
        await anyio.lowlevel.checkpoint()
        return Remembered()

    async def retained(self, command: CommandId) -> Repeated | Refused | Waits | None:
        return self.before

    async def answer(self, who: Who, command: AnyCommand, at: int) -> Done:
        await anyio.lowlevel.checkpoint()
        if self.breaks:
            self.breaks = False
            raise RuntimeError("a fault of ours")
        return Done(result=Nothing())

    async def run_tool(
        self, who: Who, call: ToolCall, talk: str | None = None, hidden: AbstractSet[str] = frozenset()
    ) -> ToolAnswer:
        return ToolAnswer("")


class Counted:
    """Measures, kept."""

    def __init__(self) -> None:
        self.first: list[float] = []

    def said(self) -> None:
        return

    def first_delta(self, seconds: float) -> None:
        self.first.append(seconds)

    def answered(self, companion: str, source: str, status: str) -> None:
        return

    def tokens(self, companion: str, prompt: int, completion: int) -> None:
        return


class Stage:
    """A session with its doubles."""

    def __init__(
        self,
        *scripts: Sequence[Beat],
        rules: ScriptedRules | None = None,
        commit: float = 0.0,
        talk: Talk | None = None,
    ) -> None:
        self.rules = rules or ScriptedRules()
        self.model = ScriptedModel(list(scripts) or [["Yes."]])
        self.shelf = Shelf(commit)
        self.client = Record()
        self.measures = Counted()
        self.handed_over: list[str] = []
        self.warms = 0.0  # seconds until what messages are read by is there
        self.over = anyio.Event()
        self.fault: Literal["holding", "welcoming"] | None = None  # of ours, at the next chance, once
        self.writer: Address[Write] = Address(100)
        self.address: Address[Mail] = Address(64)
        self._count = 0
        cast = Cast(companion=shipped("serenity")[0], rules=self.rules)
        self.session = Session(State(who=WHO, talk=talk), cast, self.services(), self.address)

    def services(self) -> Services:
        async def nobody(conversation: str, by: Address[Mail]) -> None:
            return

        return Services(
            writer=self.writer,
            model=self.model,
            desk=self.shelf,
            now_ms=lambda: int(anyio.current_time() * 1_000),
            mint=self._mint,
            new_ref=lambda: "ref_1",
            hand_over=self.handed_over.append,
            take_over=nobody,
            holds=lambda _session, _conversation: self._break("holding"),
            owed=self._owed,
            alert=nothing,
            report=nothing,
            measure=self.measures,
            warmed=self._warmed,
        )

    async def _warmed(self) -> None:
        if self.warms:
            await anyio.sleep(self.warms)

    async def _owed(self, who: Who) -> Owed | None:
        self._break("welcoming")
        return None

    def _break(self, where: str) -> None:
        if self.fault == where:
            self.fault = None
            raise RuntimeError("a fault of ours")

    def _mint(self, jobs: int) -> Minted:
        self._count += 1
        n = self._count
        return Minted(
            conversation=f"cnv_{n}",
            message=f"msg_{n}",
            response=f"rsp_{n}",
            answer=f"ans_{n}",
            alert=f"alr_{n}",
            jobs=tuple(f"job_{n}_{each}" for each in range(jobs)),
        )

    @asynccontextmanager
    async def open(self) -> AsyncGenerator["Stage"]:
        """The session runs, a client is there; at the end both it and the writer are let end."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.shelf.write, Inbox(self.writer))
            tasks.start_soon(self._run)
            await self.attach(self.client)
            yield self
            self.address.close()
            await self.over.wait()
            self.writer.close()

    async def _run(self) -> None:
        try:
            await supervise(self.session, self.address, name="session", most_restarts=3)
        finally:
            self.over.set()

    async def attach(self, client: Record, after: int | None = None) -> None:
        """A client comes, or comes back."""
        await self.address.send(Attach(client, welcome, after))

    async def say(self, text: str = "Tell me.", *, id_: str | None = None) -> None:
        """The person says something."""
        self._count += 1
        await self.address.send(Asked(MessageSend(id=id_ or f"c{self._count}", text=text, context=UNSET)))

    async def leave(self) -> None:
        """The connection is lost."""
        await self.address.send(Detach(self.client))


def nothing(*_: object) -> None:
    """What is told to nobody."""


def welcome(resumed: bool, seq: int, conversation: str | None) -> Event:
    """A welcome as a door would make it."""
    return Welcome(
        re="h",
        session=WHO.session,
        resumed=resumed,
        seq=seq,
        epoch="epo_1",
        companion=WHO.companion,
        user=WHO.user,
        role="person",
        conversation=conversation,
        limits=Limits(frame_bytes=1, message_chars=1, queue=4, commands_per_s=1.0, heartbeat_s=1.0),
        features=(),
        model=Model(kind="scripted", name="scripted", connected=True),
    )
