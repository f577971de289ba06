"""The client that tests and load runs share: a real WebSocket, the protocol's own frames, an outbox that resends.

It keeps what it sent until that is acknowledged, notes what it was told, and checks what it can on the way: events
numbered without gaps, deltas without gaps, their sum the text.
"""

import itertools
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio
from msgspec import UNSET, UnsetType
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from protocol.codec import Unknown, decode_event, encode
from protocol.errors import ErrorFrame
from protocol.frames import Command, Event, Numbered, Wire
from protocol.results import Ack
from protocol.session_frames import Client as ClientName
from protocol.session_frames import ConversationSnapshot, Hello, Resume, Welcome
from protocol.talk_frames import MessageSend, ResponseCancel, ResponseDelta, ResponseDone

E = TypeVar("E", bound=Event)

SUBPROTOCOL: dict[Wire, Subprotocol] = {
    "json": Subprotocol("fireside.v1.json"),
    "msgpack": Subprotocol("fireside.v1.msgpack"),
}
PATIENCE_SECONDS = 60.0  # a server that never answers is found out; one on a busy machine is waited for
_names = itertools.count(1)


class Broken(AssertionError):
    """The server broke a promise of the protocol."""


class Talker:
    """One connection to the server."""

    def __init__(self, socket: ClientConnection, wire: Wire) -> None:
        self.socket = socket
        self.wire: Wire = wire
        self.events: list[Event] = []  # everything that came and was not taken yet
        self.welcome: Welcome | None = None
        self.seq = 0
        self._deltas: dict[str, list[str]] = {}

    async def send(self, command: Command) -> None:
        """Send a command."""
        await self.socket.send(encode(command, self.wire), text=self.wire == "json")

    async def receive(self) -> Event:
        """The next event, checked; unknown ones are skipped."""
        while True:
            event = decode_event(await self.socket.recv(), self.wire)
            if isinstance(event, Unknown):
                continue
            self._check(event)
            return event

    async def next(self, kind: type[E], *, seconds: float = PATIENCE_SECONDS) -> E:
        """The next event of ``kind``; what came before it is kept in ``events``."""
        with anyio.fail_after(seconds):
            while True:
                event = await self.receive()
                self.events.append(event)
                if isinstance(event, kind):
                    return event

    async def hello(
        self,
        *,
        companion: str | None = None,
        user: str | None = None,
        conversation: str | None = None,
        resume: Resume | None = None,
        token: str | None = None,
    ) -> Welcome:
        """Greet, and wait for the welcome."""
        await self.send(
            Hello(
                id=self.new_id(),
                client=ClientName(name="loadtest", version="1"),
                companion=UNSET if companion is None else companion,
                user=UNSET if user is None else user,
                conversation=UNSET if conversation is None else conversation,
                resume=UNSET if resume is None else resume,
                token=UNSET if token is None else token,
            )
        )
        self.welcome = await self.next(Welcome)
        self.seq = self.welcome.seq if not self.welcome.resumed else resume.seq if resume else 0
        return self.welcome

    def resume_point(self) -> Resume:
        """What a later hello needs to go on from here."""
        assert self.welcome is not None
        return Resume(session=self.welcome.session, seq=self.seq, epoch=self.welcome.epoch)

    def new_id(self) -> str:
        """A command id that no other command of this process has."""
        return f"cmd-{next(_names)}"

    async def say(self, text: str, *, id_: str | None = None, context: dict[str, Any] | None = None) -> Ack:
        """Send a message and wait for its ack; raises ``Refusal`` when it was refused."""
        command = MessageSend(
            id=id_ or self.new_id(), text=text, context=UNSET if context is None else context
        )
        return await self.ask(command)

    async def ask(self, command: Command) -> Ack:
        """Send a command and wait for its ack; raises ``Refusal`` when it was refused."""
        await self.send(command)
        with anyio.fail_after(PATIENCE_SECONDS):
            while True:
                event = await self.receive()
                self.events.append(event)
                if isinstance(event, Ack) and event.re == command.id:
                    return event
                if isinstance(event, ErrorFrame) and event.re == command.id:
                    raise Refusal(event)

    async def answer(self, *, seconds: float = PATIENCE_SECONDS) -> ResponseDone:
        """The end of the open answer."""
        return await self.next(ResponseDone, seconds=seconds)

    async def talk(self, text: str) -> ResponseDone:
        """Say something and wait for the whole answer."""
        await self.say(text)
        return await self.answer()

    async def cancel(self, response: str | UnsetType = UNSET) -> Ack:
        """Stop the open answer."""
        return await self.ask(ResponseCancel(id=self.new_id(), response=response))

    def _check(self, event: Event) -> None:
        match event:
            case Welcome():
                return
            case ConversationSnapshot(seq=seq):
                self.seq = seq
                return
            case ResponseDelta(response=response, n=n, text=text):
                said = self._deltas.setdefault(response, [])
                if n == len(said):
                    said.append(text)
            case _:
                pass
        if isinstance(event, Numbered):
            if event.seq != self.seq + 1:
                raise Broken(f"event {event.seq} after {self.seq}")
            self.seq = event.seq


class Refusal(Exception):
    """The server answered a command with an error."""

    def __init__(self, error: ErrorFrame) -> None:
        super().__init__(error.code)
        self.error = error
        self.code = error.code


@asynccontextmanager
async def connected(
    url: str,
    *,
    wire: Wire = "json",
    named: bool = True,
    headers: dict[str, str] | None = None,
    sock: socket.socket | None = None,
) -> AsyncGenerator[Talker]:
    """A connection to ``url`` (``ws://host:port/ws``), closed at the end; over ``sock``, if it is given."""
    async with connect(
        url,
        subprotocols=[SUBPROTOCOL[wire]] if named else None,
        max_size=None,
        compression=None,
        additional_headers=headers,
        close_timeout=1,
        proxy=None,
        sock=sock,
    ) as socket:
        yield Talker(socket, wire)
