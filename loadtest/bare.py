"""A bare loop of ``websockets`` that sends what the server sends and does nothing else: what a run is compared with.

It keeps nothing, asks no model and reads nothing in a message; what it takes is the price of the library, the frames
and the machine. ``python -m loadtest.bare`` prints its address and serves until it is ended.
"""

import asyncio
import sys
import time
from itertools import count

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from protocol.codec import decode_command, encode
from protocol.frames import Event
from protocol.results import Ack
from protocol.session_frames import Hello, Limits, Model, Welcome
from protocol.talk_frames import (
    MessageAck,
    MessageCreated,
    MessageSend,
    ResponseCancel,
    ResponseDelta,
    ResponseDone,
    ResponseStarted,
)
from protocol.times import rfc3339
from protocol.values import Role

PIECE_SECONDS = 0.04  # the server gathers tokens for about as long into one frame
_numbers = count(1)


def new(prefix: str) -> str:
    """An id that this process gave to nothing else."""
    return f"{prefix}_{next(_numbers):032x}"


class Line:
    """One connection: what was said is answered with words at a set pace."""

    def __init__(self, socket: ServerConnection, tokens: int, per_second: float) -> None:
        self.socket = socket
        self.tokens = tokens
        self.per_second = per_second
        self.seq = count(1)
        self.positions = count(1)
        self.conversation = new("cnv")
        self.stopped = False

    async def send(self, event: Event) -> None:
        """Send an event."""
        await self.socket.send(encode(event, "json"), text=True)

    async def __call__(self) -> None:
        """Answer until the client goes."""
        async with asyncio.TaskGroup() as tasks:
            async for data in self.socket:
                match decode_command(data, "json"):
                    case Hello(id=named):
                        await self.send(welcome(named))
                    case MessageSend() as said:
                        tasks.create_task(self.answer(said))
                    case ResponseCancel(id=named):
                        self.stopped = True
                        await self.send(Ack(re=named, result={"response": None}))
                    case _:
                        pass

    async def answer(self, said: MessageSend) -> None:
        """Everything that the server sends for one message."""
        message, response, answer = new("msg"), new("rsp"), new("msg")
        self.stopped = False
        await self.send(MessageAck(re=said.id, message=message, conversation=self.conversation, durable=True))
        await self.send(self.created(message, "user", said.text))
        await self.send(
            ResponseStarted(
                seq=next(self.seq), response=response, message=message, conversation=self.conversation
            )
        )
        text = ""
        each = max(1, round(self.per_second * PIECE_SECONDS))
        for number, first in enumerate(range(0, self.tokens, each)):
            if self.stopped:
                break
            piece = "word " * min(each, self.tokens - first)
            text += piece
            await self.send(ResponseDelta(response=response, n=number, text=piece))
            await asyncio.sleep(each / self.per_second)
        await self.send(self.created(answer, "assistant", text))
        await self.send(
            ResponseDone(
                seq=next(self.seq),
                response=response,
                message=message,
                conversation=self.conversation,
                status="cancelled" if self.stopped else "completed",
                text=text,
                source="model",
                durable=False,
                answer=None,
            )
        )

    def created(self, message: str, role: Role, text: str) -> Event:
        """A message that stands in the conversation."""
        return MessageCreated(
            seq=next(self.seq),
            message=message,
            conversation=self.conversation,
            position=next(self.positions),
            role=role,
            text=text,
            at=rfc3339(time.time_ns() // 1_000_000),
        )


def welcome(named: str) -> Welcome:
    """What a client is greeted with."""
    return Welcome(
        re=named,
        session=new("ses"),
        resumed=False,
        seq=0,
        epoch=new("epo"),
        companion="bare",
        user="usr",
        role="person",
        conversation=None,
        limits=Limits(
            frame_bytes=1 << 20, message_chars=200_000, queue=4, commands_per_s=100.0, heartbeat_s=15
        ),
        features=(),
        model=Model(kind="bare", name="bare", connected=True),
    )


async def main(tokens: int, per_second: float) -> None:
    """Serve on a free port of this machine, and say which."""

    async def talk(socket: ServerConnection) -> None:
        try:
            await Line(socket, tokens, per_second)()
        except* ConnectionClosed:
            pass

    named = [Subprotocol("fireside.v1.json")]
    async with serve(talk, "127.0.0.1", 0, subprotocols=named, compression=None, max_size=None) as server:
        port: int = next(iter(server.sockets)).getsockname()[1]
        print(f"ws://127.0.0.1:{port}/ws", flush=True)
        await asyncio.get_running_loop().run_in_executor(
            None, sys.stdin.read
        )  # until whoever started it goes


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2])))
