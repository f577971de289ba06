"""A person with an outbox, on virtual time: they talk, stop answers, close, come and go, and resend what has no
durable ack. What they were promised goes into the ledger."""

import random
from collections.abc import Awaitable, Callable
from typing import Protocol

import anyio
from msgspec import UNSET
from websockets.exceptions import ConnectionClosed

from loadtest.client import Broken, Refusal, Talker
from protocol.conversation_frames import (
    ConversationClose,
    ConversationCreate,
    ConversationDelete,
    ConversationHistory,
    ConversationList,
)
from protocol.errors import ErrorFrame
from protocol.frames import Command, Event
from protocol.memory_frames import MemoryAdd, MemoryList
from protocol.results import Ack
from protocol.session_frames import Resume
from protocol.talk_frames import (
    Durable,
    MessageCreated,
    MessageSend,
    ResponseCancel,
    ResponseDone,
    ResponseRegenerate,
)
from tests.simulation.fate import Fate
from tests.simulation.ledger import Ledger, mark
from tests.simulation.network import Line
from tests.simulation.watching import Watching

ACK_SECONDS = 60.0
ANSWER_SECONDS = 400.0
SAYINGS = (
    "I live in {place} now",
    "I moved to {place}",
    "My sister is called {name}",
    "I am allergic to {food}",
    "What day is it today?",
    "I feel a little {mood} this morning",
    "Tell me something calm",
    "I had {food} for breakfast",
)
AT_LENGTH = 0.3  # of the messages: they are read beside the loop
MORE = (
    "The street was quiet when I got up, and there was a little rain on the window.",
    "Somebody had put the chairs back, and the kettle took a long time.",
    "Then the post came, and there was nothing in it but a paper about the market.",
    "It is grey outside, but they say that it will be brighter in the afternoon.",
)
WORDS = {
    "place": ("Lisbon", "Berlin", "Oslo", "Turin"),
    "name": ("Ruth", "Marta", "Ines"),
    "food": ("peanuts", "porridge", "plums"),
    "mood": ("low", "glad", "restless"),
}


class World(Protocol):
    """What a person meets."""

    fate: Fate
    ledger: Ledger
    over: bool

    def open_line(self) -> Line | None:
        """A line to the server; None while there is none."""
        ...


class Person:
    """One of the people."""

    def __init__(self, world: World, name: str, companion: str, *, away: float = 0.0) -> None:
        self.world = world
        self.name = name
        self.companion = companion
        self.ledger = world.ledger
        self.ledger.companions[name] = companion
        self.chance: random.Random = world.fate.chance(name)
        self._away = away
        self._stays_away: random.Random = world.fate.chance(f"{name} stays away")
        self._at_length: random.Random = world.fate.chance(f"{name} writes at length")
        self.watching = Watching(name, world.ledger)
        self.outbox: list[MessageSend] = []
        self.resume: Resume | None = None
        self.conversation: str | None = None
        self._count = 0
        self._commands = 0
        self._sent: dict[str, MessageSend] = {}  # message to command
        self._space: list[tuple[MessageSend, str]] = []  # acknowledged under the ids that still hold
        self._message: dict[str, str] = {}  # command to message, on this line
        self._open: set[str] = set()  # commands whose answer is waited for
        self._again: set[str] = set()  # commands that an earlier line sent, perhaps with success
        self._answered: str | None = None  # the message that was answered last
        self._last: str | None = None  # the message that was acknowledged last
        self._stored: dict[str, str] = {}  # message to its answer

    async def live(self) -> None:
        """Until the world is over and everything this person said is kept."""
        while not self.world.over or self.outbox:
            line = self.world.open_line()
            if line is not None:
                await self._line(line)
            await self._be_away()

    async def _be_away(self) -> None:
        """A moment; or long enough for the session to let go of what it read in the talk."""
        await anyio.sleep(self.chance.uniform(0.1, 3.0))
        if self._stays_away.random() < self._away and not self.world.over:
            self.ledger.counts["long away"] += 1
            await anyio.sleep(self._stays_away.uniform(45.0, 150.0))

    async def _line(self, line: Line) -> None:
        talker = Talker(line.for_the_client, "json")
        try:
            await self._visit(talker)
        except ConnectionClosed:
            self.ledger.counts["lines lost"] += 1
        except Refusal as refusal:
            self.ledger.counts[f"refused: {refusal.code}"] += 1
        except Broken as broken:
            self.ledger.blame(f"{self.name}: {broken}")
        except TimeoutError:
            self.ledger.counts["late"] += 1
        finally:
            if talker.welcome is not None:
                self.resume = talker.resume_point()
            if self.chance.random() < 0.5:
                line.cut()
            else:
                with anyio.move_on_after(1, shield=True):
                    await line.client.close()

    async def _visit(self, talker: Talker) -> None:
        afresh = not self.outbox and self.chance.random() < 0.3
        conversation = self.chance.choice([None, "last"]) if afresh else None
        resume = None if afresh else self.resume
        welcome = await talker.hello(
            companion=self.companion, user=self.name, conversation=conversation, resume=resume
        )
        self.world.fate.note(self.name, "welcome", welcome.session, welcome.resumed, welcome.seq)
        self.watching.welcomed(welcome.resumed, welcome.seq)
        if resume is None:
            self._space.clear()
        self.resume, self.conversation = talker.resume_point(), welcome.conversation
        self._message.clear()
        self._open.clear()
        self._again = {command.id for command in self.outbox}
        for command in list(self.outbox):
            self.ledger.counts["resent"] += 1
            await self._send(talker, [command])
        if self.world.over:
            await self._until(talker, lambda: not self.outbox, ANSWER_SECONDS)
        while not self.world.over and self.chance.random() < 0.85:
            await anyio.sleep(self.chance.uniform(0.0, 5.0))
            await self._do_something(talker)

    async def _do_something(self, talker: Talker) -> None:
        deeds: list[tuple[float, Callable[[Talker], Awaitable[None]]]] = [
            (10.0, self.say),
            (2.0, self.stop),
            (1.5, self.leave_at_once),
            (1.5, self.close),
            (0.7, self.create),
            (1.0, self.repeat),
            (0.3, self.use_an_id_twice),
            (1.0, self.look),
            (0.5, self.add),
            (0.7, self.answer_anew),
            (0.3, self.delete),
            (0.3, self.be_silent),
            (0.3, self.be_deaf),
        ]
        often, what = zip(*deeds, strict=True)
        deed = self.chance.choices(what, often)[0]
        self.ledger.counts[deed.__name__] += 1
        await deed(talker)

    # ------------------------------------------------------------ what they do

    async def say(self, talker: Talker) -> None:
        await self._send(talker, self._write())
        if self.chance.random() < 0.8:
            await self._answers(talker)

    async def stop(self, talker: Talker) -> None:
        await self._send(talker, self._write())
        await anyio.sleep(self.chance.uniform(0.0, 1.5))
        await self._ask(talker, ResponseCancel(id=self._new_id()))
        await self._answers(talker)

    async def leave_at_once(self, talker: Talker) -> None:
        for command in self._write():
            await talker.send(command)
        await anyio.sleep(self.chance.uniform(0.0, 0.2))
        raise ConnectionClosed(None, None)

    async def close(self, talker: Talker) -> None:
        await self._ask(talker, ConversationClose(id=self._new_id()))
        self.conversation = None
        self._open.clear()

    async def create(self, talker: Talker) -> None:
        await self._ask(talker, ConversationCreate(id=self._new_id()))
        self.conversation = None
        self._open.clear()

    async def repeat(self, talker: Talker) -> None:
        """The same id with the same words gets the first answer again."""
        if self._space:
            command, message = self.chance.choice(self._space)
            answer = await self._ask(talker, command)
            if isinstance(answer, Ack) and answer.message != message and self.ledger.stands(message):
                self.ledger.blame(f"{self.name}: {command.id} was {message}, and is {answer.message}")

    async def use_an_id_twice(self, talker: Talker) -> None:
        if self._space:
            command, message = self.chance.choice(self._space)
            answer = await self._ask(talker, MessageSend(id=command.id, text="Something else."))
            if isinstance(answer, Ack) and self.ledger.stands(message):  # what was removed has no words left
                self.ledger.blame(f"{self.name}: {command.id} was taken with other words")

    async def look(self, talker: Talker) -> None:
        looks: list[Command] = [ConversationList(id=self._new_id()), MemoryList(id=self._new_id())]
        if self.conversation is not None:
            looks.append(ConversationHistory(id=self._new_id(), conversation=self.conversation))
        await self._ask(talker, self.chance.choice(looks))

    async def add(self, talker: Talker) -> None:
        place = self.chance.choice(WORDS["place"])
        await self._ask(talker, MemoryAdd(id=self._new_id(), text=f"I live in {place}."))

    async def answer_anew(self, talker: Talker) -> None:
        if self._answered is None or self._answered != self._last or self._open or self.outbox:
            return
        message = self._answered
        before = self._stored[message]
        self.ledger.unsure.add(before)
        answer = await self._ask(talker, ResponseRegenerate(id=self._new_id(), message=message))
        if isinstance(answer, Ack):
            await self._until(talker, lambda: self._stored.get(message) != before, ANSWER_SECONDS)

    async def delete(self, talker: Talker) -> None:
        conversation = self.conversation
        if conversation is None or self._open or self.outbox:
            return
        self.ledger.doomed.add(conversation)
        answer = await self._ask(talker, ConversationDelete(id=self._new_id(), conversation=conversation))
        if isinstance(answer, Ack):
            self.ledger.gone(conversation)
            self.conversation, self._answered = None, None

    async def be_silent(self, talker: Talker) -> None:
        """Long enough for the conversation to end by itself."""
        await anyio.sleep(self.chance.uniform(600.0, 2_400.0))

    async def be_deaf(self, talker: Talker) -> None:
        await self._send(talker, self._write())
        await anyio.sleep(self.chance.uniform(5.0, 30.0))

    # ------------------------------------------------------------ on the line

    def _new_id(self) -> str:
        self._commands += 1
        return f"{self.name}-c{self._commands}"

    def _write(self) -> list[MessageSend]:
        commands: list[MessageSend] = []
        for _ in range(self.chance.choice([1, 1, 1, 2, 3])):
            self._count += 1
            words = {each: self.chance.choice(choice) for each, choice in WORDS.items()}
            saying = self.chance.choice(SAYINGS).format(**words)
            text = f"{saying} ({mark(self.name, self._count)})"
            if self._at_length.random() < AT_LENGTH:
                text = " ".join([text, *MORE])
                self.ledger.counts["at length"] += 1
            commands.append(MessageSend(id=f"{self.name}-{self._count}", text=text))
        self.outbox.extend(commands)
        self._open.update(command.id for command in commands)
        return commands

    async def _send(self, talker: Talker, commands: list[MessageSend]) -> None:
        for command in commands:
            await talker.send(command)
        waiting = {command.id: command for command in commands}
        await self._until(talker, lambda: not waiting, ACK_SECONDS, waiting)

    async def _answers(self, talker: Talker) -> None:
        await self._until(talker, lambda: not self._open, ANSWER_SECONDS)

    async def _ask(self, talker: Talker, command: Command) -> Event:
        """Send a command that is not a message of the outbox; its answer."""
        await talker.send(command)
        answers: list[Event] = []

        def answered() -> bool:
            return bool(answers)

        await self._until(talker, answered, ACK_SECONDS, re=command.id, answers=answers)
        return answers[0]

    async def _until(
        self,
        talker: Talker,
        over: Callable[[], bool],
        seconds: float,
        waiting: dict[str, MessageSend] | None = None,
        *,
        re: str = "",
        answers: list[Event] | None = None,
    ) -> None:
        """Read until something has come; a line that lives and brings nothing is a broken promise."""
        with anyio.move_on_after(seconds) as waited:
            while not over():
                event = await talker.receive()
                self._note(event, waiting if waiting is not None else {})
                if answers is not None and isinstance(event, Ack | ErrorFrame) and event.re == re:
                    answers.append(event)
        if waited.cancelled_caught:
            self.ledger.blame(f"{self.name}: no answer within {seconds:.0f} s ({sorted(waiting or {})} {re})")
            raise TimeoutError

    def _note(self, event: Event, waiting: dict[str, MessageSend]) -> None:
        self.world.fate.note(self.name, event)
        self.watching.saw(event)
        match event:
            case Ack(re=re, message=str(message)) if re in waiting:
                self._acknowledged(waiting.pop(re), message, event)
            case ErrorFrame(re=str(re), code="storage.busy") if re in waiting and re in self._again:
                raise Refusal(event)  # what became of it before cannot be told now: it is sent again
            case ErrorFrame(re=str(re)) if re in waiting:
                self._refused(waiting.pop(re), event.code)
            case Durable(messages=messages):
                for each in messages:
                    if each in self._sent:
                        self._kept(self._sent[each], each)
            case MessageCreated(role="assistant", message=message, conversation=conversation):
                self.ledger.where[message] = conversation
            case ResponseDone():
                self._done(event)
            case _:
                pass

    def _acknowledged(self, command: MessageSend, message: str, ack: Ack) -> None:
        self._message[message] = command.id
        if message not in self._sent:  # else it was sent again, and others may stand behind it
            self._last = message
        self._sent[message] = command
        if ack.conversation is not UNSET:
            self.conversation = self.ledger.where[message] = ack.conversation
        self.ledger.counts["acks" if ack.durable is True else "acks, not durable"] += 1
        if ack.durable is True:
            self._kept(command, message)

    def _kept(self, command: MessageSend, message: str) -> None:
        self.ledger.messages[message] = command.text
        self._space.append((command, message))
        if command in self.outbox:
            self.outbox.remove(command)

    def _refused(self, command: MessageSend, code: str) -> None:
        self.ledger.counts[f"refused: {code}"] += 1
        self.ledger.refused.add(command.text)
        self.outbox.remove(command)
        self._open.discard(command.id)

    def _done(self, done: ResponseDone) -> None:
        self.ledger.counts["answers"] += 1
        self.ledger.counts[f"answers, {done.status}"] += 1
        self._open.discard(self._message.get(done.message, ""))
        if done.answer is not None:
            self._answered = done.message
            self._stored[done.message] = done.answer
            self.ledger.where[done.answer] = done.conversation
            if (
                done.durable and done.status != "interrupted"
            ):  # whose part gives way to the whole where one goes on
                self.ledger.answers[done.answer] = done.text
