"""A person at the terminal: ``fireside talk``."""

import asyncio
import sys
from collections.abc import AsyncIterator

import anyio
from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from protocol.codec import Unknown, decode_event, encode
from protocol.errors import ErrorFrame
from protocol.frames import Command
from protocol.session_frames import Client, Hello, Notice, Welcome
from protocol.talk_frames import MessageSend, ResponseCancel, ResponseDelta, ResponseDone, SafetyShown
from server.ids import new_id


async def talk(url: str, companion: str | None, user: str | None) -> int:
    """Talk until the person ends it; 0, or 1 when there is no server."""
    try:
        async with connect(url, subprotocols=["fireside.v1.json"], max_size=None) as socket:  # type: ignore[list-item]
            await _converse(socket, companion, user)
    except (OSError, InvalidHandshake):
        print(f"No server answers at {url}. Start one with: fireside serve", file=sys.stderr)
        return 1
    except ConnectionClosed as closed:
        reason = closed.rcvd.reason if closed.rcvd is not None else ""
        print(f"\nThe server ended the talk. {reason}", file=sys.stderr)
    return 0


async def _converse(socket: ClientConnection, companion: str | None, user: str | None) -> None:
    hello = Hello(id=new_id("cmd"), client=Client(name="fireside talk", version="1"), conversation="last")
    if companion is not None:
        hello = replace(hello, companion=companion)
    if user is not None:
        hello = replace(hello, user=user)
    await _send(socket, hello)
    done = asyncio.Event()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_print_events, socket, done)
        async for line in _lines():
            if line.strip():
                done.clear()
                await _send(socket, MessageSend(id=new_id("cmd"), text=line.rstrip("\n")))
                try:
                    await done.wait()
                except asyncio.CancelledError:
                    await _send(socket, ResponseCancel(id=new_id("cmd")))
                    raise
            print("> ", end="", flush=True)
        tasks.cancel_scope.cancel()


async def _send(socket: ClientConnection, command: Command) -> None:
    await socket.send(encode(command, "json"), text=True)


async def _lines() -> AsyncIterator[str]:
    """Lines of standard input, read in a thread, so that answers go on printing."""
    while True:
        line = await anyio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True)
        if not line:
            return
        yield line


async def _print_events(socket: ClientConnection, done: asyncio.Event) -> None:
    async for data in socket:
        event = decode_event(data, "json")
        match event:
            case Welcome():
                word = "" if event.model.connected else " (no language model is connected: own words only)"
                print(f"You are talking with {event.companion}{word}. Ctrl-D ends.\n> ", end="", flush=True)
            case ResponseDelta(text=text):
                print(text, end="", flush=True)
            case ResponseDone():
                print("\n", flush=True)
                done.set()
            case SafetyShown():
                print(f"\n{event.say}")
                for each in event.resources:
                    print(f"  {each.name}: {each.contact} {each.hours or ''}")
                print(flush=True)
            case Notice(say=say) if say:
                print(f"\n{say}", flush=True)
            case ErrorFrame():
                print(f"\n{event.say or event.message}", flush=True)
                done.set()
            case Unknown() | _:
                pass
