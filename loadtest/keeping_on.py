"""People who write on whatever happens: each has an outbox, resends what has no durable ack, and keeps a ledger.

What the ledger holds was promised to them; after any number of kills the store must hold it, once and in order.
"""

import random
from collections import Counter
from dataclasses import dataclass, field

import anyio
from websockets.exceptions import WebSocketException

from loadtest.client import Broken, Talker, connected
from protocol.conversation_frames import ConversationClose
from protocol.errors import ErrorFrame
from protocol.frames import Event
from protocol.results import Ack
from protocol.session_frames import Resume
from protocol.talk_frames import Durable, MessageSend, ResponseDone

LINE_LOST = (OSError, EOFError, WebSocketException)
MOST_AT_ONCE = 3  # messages sent before the first is acknowledged; the server takes 4 beside the open answer
CLOSES = 0.05  # of the turns, the conversation is closed behind them
PAUSE_SECONDS = 0.05  # before a lost line is tried again


class Acks:
    """Counts acks of everybody; whoever waits for a number is told."""

    def __init__(self) -> None:
        self.count = 0
        self.waited_for = 0
        self.reached = anyio.Event()

    def add(self) -> None:
        """One more."""
        self.count += 1
        if self.count >= self.waited_for:
            self.reached.set()

    async def wait(self, count: int) -> None:
        """Until there are so many."""
        self.waited_for, self.reached = count, anyio.Event()
        if self.count < count:
            await self.reached.wait()


@dataclass
class Ledger:
    """What the people of a run were promised, and what they were refused."""

    acks: Acks = field(default_factory=Acks)
    messages: dict[str, str] = field(default_factory=dict[str, str])  # id to text, acknowledged as durable
    answers: dict[str, str] = field(
        default_factory=dict[str, str]
    )  # id to text, from a durable response.done
    refused: set[str] = field(default_factory=set[str])  # texts
    refusals: Counter[str] = field(default_factory=Counter[str])
    late: Counter[str] = field(
        default_factory=Counter[str]
    )  # what did not come in time over a line that stood
    broken: list[str] = field(default_factory=list[str])  # promises of the wire that were not kept
    resent: int = 0
    closed: int = 0
    left: int = 0


@dataclass
class Person:
    """One of them.

    ``trusting`` is the control: a client that takes every ack for a durable one, as if the server had committed.
    """

    name: str
    companion: str
    ledger: Ledger
    chance: random.Random
    trusting: bool = False
    most_at_once: int = MOST_AT_ONCE
    think_seconds: float = 0.0  # at most, before each turn
    leaves: float = 0.0  # of the turns, the line is dropped before the answer is over
    resume: Resume | None = None
    outbox: list[MessageSend] = field(default_factory=list[MessageSend])
    count: int = 0
    _ids: dict[str, MessageSend] = field(default_factory=dict[str, MessageSend])  # message to command
    _waits_for: str = ""
    _open: set[str] = field(default_factory=set[str])  # commands whose answer is waited for
    _messages: dict[str, str] = field(default_factory=dict[str, str])  # message to command, of this line

    async def keep_on(self, url: str, welcomed: anyio.Event) -> None:
        """Talk until the task is cancelled, over one line after the other."""
        while True:
            try:
                await self._talk(url, welcomed)
            except Broken as broken:
                self.ledger.broken.append(str(broken))
            except TimeoutError:
                self.ledger.late[self._waits_for] += 1
            except LINE_LOST:
                pass
            await anyio.sleep(PAUSE_SECONDS)

    async def _talk(self, url: str, welcomed: anyio.Event) -> None:
        self._waits_for = "welcome"
        async with connected(url) as talker:
            await talker.hello(companion=self.companion, user=self.name, resume=self.resume)
            welcomed.set()
            self.resume = talker.resume_point()
            self._open.clear()
            self._messages.clear()
            try:
                await self._turns(talker)
            finally:
                self.resume = talker.resume_point()

    async def _turns(self, talker: Talker) -> None:
        """Resend what has no durable ack, then write on until the line is lost, or left."""
        for command in list(self.outbox):
            self.ledger.resent += 1
            await self._send(talker, [command])
        while True:
            await anyio.sleep(self.chance.uniform(0, self.think_seconds))
            await self._send(talker, self._write())
            if self.chance.random() < self.leaves:
                self.ledger.left += 1
                return
            await self._answers(talker)
            if self.chance.random() < CLOSES:
                await self._close(talker)

    def _write(self) -> list[MessageSend]:
        commands: list[MessageSend] = []
        for _ in range(self.chance.randint(1, self.most_at_once)):
            self.count += 1
            text = f"{self.name} says {self.count}"
            commands.append(MessageSend(id=f"{self.name}-{self.count}", text=text))
        self.outbox.extend(commands)
        self._open.update(command.id for command in commands)
        return commands

    async def _send(self, talker: Talker, commands: list[MessageSend]) -> None:
        """Send, and wait for what each is answered with: an ack or a refusal."""
        for command in commands:
            await talker.send(command)
        waiting = {command.id: command for command in commands}
        self._waits_for = "ack"
        with anyio.fail_after(30):
            while waiting:
                self._note(event := await talker.receive(), waiting)
                if isinstance(event, Ack | ErrorFrame) and isinstance(event.re, str):
                    waiting.pop(event.re, None)

    async def _answers(self, talker: Talker) -> None:
        self._waits_for = "answer"
        with anyio.fail_after(30):
            while self._open:
                self._note(await talker.receive(), {})

    async def _close(self, talker: Talker) -> None:
        command = ConversationClose(id=f"{self.name}-close-{self.count}")
        await talker.send(command)
        self._waits_for = "close"
        with anyio.fail_after(30):
            while True:
                event = await talker.receive()
                self._note(event, {})
                if isinstance(event, Ack | ErrorFrame) and event.re == command.id:
                    self.ledger.closed += 1
                    return

    def _note(self, event: Event, waiting: dict[str, MessageSend]) -> None:
        match event:
            case Ack(re=re, message=str(message)) if re in waiting:
                self._acknowledged(waiting[re], message, durable=event.durable is True)
            case ErrorFrame(re=str(re)) if re in waiting:
                self._refused(waiting[re], event.code)
            case Durable(messages=messages):
                for message in messages:
                    if message in self._ids:
                        self._kept(self._ids[message], message)
            case ResponseDone():
                self._open.discard(self._messages.get(event.message, ""))
                if event.durable and event.answer is not None:
                    self.ledger.answers[event.answer] = event.text
            case _:
                pass

    def _acknowledged(self, command: MessageSend, message: str, *, durable: bool) -> None:
        self._messages[message] = command.id
        self._ids[message] = command
        if durable or self.trusting:
            self._kept(command, message)

    def _kept(self, command: MessageSend, message: str) -> None:
        self.ledger.messages[message] = command.text
        if command in self.outbox:
            self.outbox.remove(command)
        self.ledger.acks.add()

    def _refused(self, command: MessageSend, code: str) -> None:
        """It is not said, and never will be: this person writes something else instead."""
        self.ledger.refusals[code] += 1
        self.ledger.refused.add(command.text)
        self.outbox.remove(command)
        self._open.discard(command.id)
