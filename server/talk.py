"""A person at the terminal: ``fireside talk``."""

import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from threading import Thread

import anyio
import anyio.from_thread
import anyio.lowlevel
from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.typing import Subprotocol

from protocol.codec import Unknown, decode_event, encode
from protocol.errors import ErrorFrame
from protocol.frames import Command, Event
from protocol.session_frames import Client, Hello, Notice, Welcome
from protocol.talk_frames import MessageSend, ResponseCancel, ResponseDelta, ResponseDone, SafetyShown
from server.ids import new_id

LINES_AHEAD = 64  # typed while an answer streams


async def talk(url: str, companion: str | None, user: str | None, token: str | None = None) -> int:
    """Talk until the person ends it: 0; 1 when there is no server, or it ended the talk; 2 when it refused."""
    shown = {} if token is None else {"Authorization": f"Bearer {token}"}
    try:
        async with connect(
            url, additional_headers=shown, subprotocols=[Subprotocol("fireside.v1.json")], max_size=None
        ) as socket:
            return await Terminal(socket).converse(companion, user)
    except InvalidURI:
        _complain(f"{url} is no address of a server; write for example ws://127.0.0.1:8765/ws")
        return 2
    except (OSError, InvalidHandshake):
        _complain(f"No server answers at {url}. Start one with: fireside serve")
        return 1


class Terminal:
    """One talk: what is typed goes out, what comes is printed, until either side ends it."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._welcomed = anyio.Event()
        self._answered: anyio.Event | None = None  # while an answer is waited for
        self._code = 0

    async def converse(self, companion: str | None, user: str | None) -> int:
        """Greet, then talk; the exit code."""
        hello = Hello(id=new_id("cmd"), client=Client(name="fireside talk", version="1"), conversation="last")
        if companion is not None:
            hello = replace(hello, companion=companion)
        if user is not None:
            hello = replace(hello, user=user)
        await self._send(hello)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._interrupts, tasks.cancel_scope)
            tasks.start_soon(self._type, tasks.cancel_scope)
            await self._show_all()
            tasks.cancel_scope.cancel()
        return self._code

    async def _send(self, command: Command) -> None:
        with suppress(ConnectionClosed):  # whoever reads the socket says so
            await self._socket.send(encode(command, "json"), text=True)

    async def _interrupts(self, over: anyio.CancelScope) -> None:
        """Ctrl-C stops the open answer; without one it ends the talk."""
        with anyio.open_signal_receiver(signal.SIGINT) as signals:
            async for _ in signals:
                if self._answered is None:
                    self._code = 130
                    over.cancel()
                else:
                    await self._send(ResponseCancel(id=new_id("cmd")))

    async def _type(self, over: anyio.CancelScope) -> None:
        await self._welcomed.wait()
        async for line in _lines():
            if line.strip():
                answered = self._answered = anyio.Event()
                await self._send(MessageSend(id=new_id("cmd"), text=line.rstrip("\n")))
                await answered.wait()
            print("> ", end="", flush=True)
        over.cancel()

    async def _show_all(self) -> None:
        """Print events until the server ends the talk, or refuses to begin it."""
        reason = ""
        try:
            async for data in self._socket:
                event = decode_event(data, "json")
                self._show(event)
                if isinstance(event, ErrorFrame) and not self._welcomed.is_set():
                    self._code = 2
                    return
        except ConnectionClosed as closed:
            reason = closed.rcvd.reason if closed.rcvd is not None else ""
        _complain(f"\nThe server ended the talk. {reason}")
        self._code = 1

    def _show(self, event: Event | Unknown) -> None:
        match event:
            case Welcome():
                word = "" if event.model.connected else " (no language model is connected: own words only)"
                print(f"You are talking with {event.companion}{word}. Ctrl-D ends.\n> ", end="", flush=True)
                self._welcomed.set()
            case ResponseDelta(text=text):
                print(text, end="", flush=True)
            case ResponseDone():
                print("\n", flush=True)
                self._done()
            case SafetyShown():
                print(f"\n{event.say}")
                for each in event.resources:
                    print(f"  {each.name}: {each.contact} {each.hours or ''}")
                print(flush=True)
            case Notice(say=say) if say:
                asking = "\n> " if self._answered is None else "\n"
                print(f"\r{say}", end=asking, flush=True)  # over the sign that waits for words
            case ErrorFrame():
                print(f"{event.say or event.message}", flush=True)
                self._done()
            case _:
                pass

    def _done(self) -> None:
        if self._answered is not None:
            self._answered.set()
            self._answered = None


def _complain(text: str) -> None:
    print(text, file=sys.stderr)


async def _lines() -> AsyncIterator[str]:
    """Lines of standard input. They are read in a thread that nobody waits for: a terminal may never answer."""
    send, receive = anyio.create_memory_object_stream[str](LINES_AHEAD)
    token = anyio.lowlevel.current_token()

    def read() -> None:
        try:
            for line in sys.stdin:
                anyio.from_thread.run(send.send, line, token=token)
            anyio.from_thread.run_sync(send.close, token=token)
        except (RuntimeError, anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass  # the talk is over

    Thread(target=read, daemon=True).start()
    async with receive:
        async for line in receive:
            yield line
