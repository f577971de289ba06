"""A server that plays its part from a script: the page talks to it as it would to the real one.

It answers what every client asks (hello, ping, a greeting) and leaves the talk to the test, which hears the
page's commands one after the other and says what the server says. It serves the page's files as the real one.
"""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http import HTTPStatus
from itertools import count
from typing import Any, TypeVar
from urllib.parse import urlsplit

import anyio
import msgspec
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from protocol.catalogue import AnyCommand
from protocol.codec import decode_command, encode
from protocol.frames import Command, Event, Numbered
from protocol.results import CommandAck, Greeting, ResponseNamed
from protocol.session_frames import (
    ConversationSnapshot,
    Hello,
    Limits,
    Model,
    Ping,
    Pong,
    ResponseSnapshot,
    Resume,
    Welcome,
)
from protocol.talk_frames import (
    GreetingGet,
    MessageAck,
    MessageCreated,
    MessageSend,
    ResponseCancel,
    ResponseDelta,
    ResponseDone,
    ResponseStarted,
)
from protocol.values import Source, Status, Value
from server.static import CONTENT_SECURITY_POLICY, pages

C = TypeVar("C", bound=Command)
AT = "2026-01-02T09:30:00.000Z"
CONVERSATION = "cnv_1"
LIMITS = Limits(frame_bytes=1 << 20, message_chars=200_000, queue=4, commands_per_s=20.0, heartbeat_s=15.0)

WORDS = {
    "placeholder": "Write what is on your mind",
    "send": "Send",
    "stop": "Stop",
    "help": "Help",
    "memory": "My memory",
    "close": "Close",
    "you": "You",
    "crisis_title": "You are not alone",
    "no_model": "No language model is connected. Serenity answers in simple words of its own.",
    "waiting": "Serenity is thinking",
    "reconnecting": "Just a moment, we are connecting",
    "unsent": "Your words are kept and will be sent.",
    "offer_continue": "The last answer was cut short. Shall I go on?",
    "ended": "This talk has come to its end.",
    "disclosure": "Serenity is a computer program, not a human being.",
}

COMPANION: dict[str, Any] = {  # JSON for the page
    "name": "serenity",
    "display_name": "Serenity",
    "theme": "meadow",
    "text_px": 24,
    "words": WORDS,
    "transcript": "all",
    "pace_words_per_second": None,
    "help": [
        {"name": "Emergency services", "contact": "Call 112", "hours": "Day and night"},
        {"name": "Samaritans", "contact": "Call 116 123, free"},
    ],
    "language": "en",
}


class Stage:
    """What the page said, and what it is told. One session at a time, as the real server keeps it."""

    def __init__(self) -> None:
        self.companion = COMPANION
        self.model = Model(kind="ollama", name="deepseek-r1", connected=True)
        self.asked: list[str] = []  # the paths of every GET
        self.hellos: list[Hello] = []
        self.snapshot: ConversationSnapshot | None = None
        self.open: ResponseSnapshot | None = None  # told when the page comes back
        self.resumes = True
        self.events: list[Numbered] = []  # of the session, to be told again
        self.accepting = True
        self.dead: ServerConnection | None = None  # the other end of it is gone, and nobody said so
        self._knocked = anyio.Event()
        self.connection: ServerConnection | None = None
        self.url = ""
        self._heard = asyncio.Queue[AnyCommand](100)
        self._numbers = count(1)
        self._ids = count(1)

    async def hears(self, kind: type[C]) -> C:
        """The page's next command that is not answered by itself, which is of this kind."""
        with anyio.fail_after(60):
            command = await self._heard.get()
        assert isinstance(command, kind), command
        return command

    async def said_nothing(self) -> bool:
        """Whether no command waits to be heard."""
        return self._heard.empty()

    async def says(self, event: Event) -> None:
        """Tell the page."""
        if isinstance(event, Numbered) and not isinstance(event, ResponseSnapshot):
            self.events.append(event)
        if self.connection is not None:
            await self.connection.send(encode(event, "json"), text=True)

    def seq(self) -> int:
        """The number of the next event."""
        return next(self._numbers)

    def id(self, prefix: str) -> str:
        """A new id."""
        return f"{prefix}_{next(self._ids)}"

    async def takes(self, send: MessageSend, *, durable: bool = True) -> str:
        """Acknowledge a message and tell that it stands; its id."""
        message = self.id("msg")
        await self.says(MessageAck(re=send.id, message=message, conversation=CONVERSATION, durable=durable))
        await self.tells_message(message, "user", send.text)
        return message

    async def tells_message(self, message: str, role: str, text: str) -> None:
        await self.says(
            MessageCreated(
                seq=self.seq(),
                message=message,
                conversation=CONVERSATION,
                position=next(self._ids),
                role="user" if role == "user" else "assistant",
                text=text,
                at=AT,
            )
        )

    async def begins(self, message: str) -> str:
        response = self.id("rsp")
        await self.says(
            ResponseStarted(seq=self.seq(), response=response, message=message, conversation=CONVERSATION)
        )
        return response

    async def streams(self, response: str, *pieces: str, start: int = 0) -> None:
        for n, text in enumerate(pieces, start):
            eos = text.rstrip().endswith((".", "!", "?"))
            await self.says(ResponseDelta(response=response, n=n, text=text, eos=eos))

    async def ends(
        self,
        response: str,
        message: str,
        text: str,
        *,
        status: Status = "completed",
        source: Source = "model",
    ) -> None:
        answer = self.id("msg") if text else None
        if answer is not None:
            await self.tells_message(answer, "assistant", text)
        await self.says(
            ResponseDone(
                seq=self.seq(),
                response=response,
                message=message,
                conversation=CONVERSATION,
                status=status,
                text=text,
                source=source,
                durable=True,
                answer=answer,
            )
        )

    async def answers(self, send: MessageSend, *pieces: str) -> str:
        """The whole way of one message; its id."""
        message = await self.takes(send)
        response = await self.begins(message)
        await self.streams(response, *pieces)
        await self.ends(response, message, "".join(pieces))
        return message

    async def result(self, command: Command, result: Value) -> None:
        await self.says(CommandAck(re=command.id, result=result))

    async def is_knocked_at(self) -> None:
        """The page tries to come back, in vain."""
        with anyio.fail_after(60):
            await self._knocked.wait()

    async def drops(self) -> None:
        """The connection is lost without a word."""
        assert self.connection is not None
        self.connection.transport.abort()

    async def closes(self, code: int) -> None:
        assert self.connection is not None
        await self.connection.close(code)

    async def serve(self, connection: ServerConnection) -> None:
        try:
            async for data in connection:
                await self._take(decode_command(data, "json"), connection)
        except ConnectionClosed:
            pass
        finally:
            if self.connection is connection:
                self.connection = None

    async def _take(self, command: AnyCommand, connection: ServerConnection) -> None:
        if connection is self.dead:
            return
        match command:
            case Hello():
                await self._welcome(command, connection)
            case Ping():
                await self.says(Pong(re=command.id, now=AT))
            case GreetingGet():
                await self.result(command, Greeting(text="Good morning. It is good to see you.", topics=()))
            case ResponseCancel():
                await self.result(command, ResponseNamed(response=None))
                await self._heard.put(command)
            case _:
                await self._heard.put(command)

    async def _welcome(self, hello: Hello, connection: ServerConnection) -> None:
        self.hellos.append(hello)
        self.connection = connection
        resume = hello.resume if isinstance(hello.resume, Resume) and self.resumes else None
        stands = bool(self.events) if resume else self.snapshot is not None
        await self.says(
            Welcome(
                re=hello.id,
                session="ses_1",
                resumed=resume is not None,
                seq=0,
                epoch="epo_1",
                companion=self.companion["name"],
                user="ada",
                role="person",
                conversation=CONVERSATION if stands else None,
                limits=LIMITS,
                features=("open_mode",),
                model=self.model,
            )
        )
        await (self._begin_anew() if resume is None else self._go_on(resume))

    async def _begin_anew(self) -> None:
        self.events = []
        self._numbers = count(1)
        if self.snapshot is not None:
            await self.says(msgspec.structs.replace(self.snapshot, seq=self.seq()))

    async def _go_on(self, resume: Resume) -> None:
        missed = [event for event in self.events if event.seq > resume.seq]
        self.events = [event for event in self.events if event.seq <= resume.seq]
        for event in missed:
            await self.says(event)
        if self.open is not None:
            await self.says(msgspec.structs.replace(self.open, seq=self.seq()))

    def respond(self, _connection: ServerConnection, request: Request) -> Response | None:
        """Files and the companion by GET; a WebSocket while it is accepting."""
        asked = urlsplit(request.path)
        if asked.path == "/ws":
            if self.accepting:
                return None
            self._knocked.set()
            return answer(HTTPStatus.SERVICE_UNAVAILABLE)
        self.asked.append(request.path)
        if asked.path == "/companion.json":
            return answer(HTTPStatus.OK, "application/json", json.dumps(self.companion).encode())
        page = pages().get(asked.path)
        return answer(HTTPStatus.OK, page.kind, page.content) if page else answer(HTTPStatus.NOT_FOUND)


def answer(status: HTTPStatus, content_type: str = "text/plain", body: bytes = b"") -> Response:
    headers = Headers({"Content-Type": content_type, "Content-Length": str(len(body))})
    headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    return Response(status.value, status.phrase, headers, body)


@asynccontextmanager
async def stage() -> AsyncGenerator[Stage]:
    """A stage on a free port of this machine."""
    played = Stage()
    async with serve(
        played.serve,
        "127.0.0.1",
        0,
        subprotocols=[Subprotocol("fireside.v1.json")],
        process_request=played.respond,
        compression=None,
    ) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        played.url = f"http://127.0.0.1:{port}/"
        yield played
