"""The process is killed, as a power cut would end it; what was acknowledged is there, once, in order."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest
from websockets.exceptions import WebSocketException

from loadtest.client import Talker, connected
from loadtest.model_script import Script
from loadtest.model_server import model_server
from loadtest.process import ServerProcess, server_process
from protocol.conversation_frames import ConversationClose, ConversationClosed
from protocol.session_frames import ConversationSnapshot, Resume
from protocol.talk_frames import MessageSend, ResponseDelta

SEED = 20_260
KILLS = 6


async def test_a_kill_in_mid_answer_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    async with model_server(Script(tokens=300, tokens_per_second=40.0)) as model:
        arguments = ["--model", f"openai:m@{model.url}/v1"]
        async with server_process(tmp_path, arguments) as server, connected(server.url) as talker:
            await talker.hello(companion="serenity", user="ann")
            ack = await talker.say("Tell me something long.")
            point = talker.resume_point()
            for _ in range(5):
                await talker.next(ResponseDelta)
            await server.kill()
        async with server_process(tmp_path, arguments) as server, connected(server.url) as talker:
            welcome = await talker.hello(companion="serenity", user="ann", resume=point)
            assert not welcome.resumed
            assert welcome.conversation == ack.conversation
            snapshot = await talker.next(ConversationSnapshot)
            assert snapshot.messages[0].message == ack.message
            assert snapshot.messages[0].text == "Tell me something long."
            again = await talker.say("And now?")
            assert again.conversation == ack.conversation


async def test_the_same_id_after_a_kill_gets_the_first_answer(tmp_path: Path) -> None:
    async with server_process(tmp_path) as server, connected(server.url) as talker:
        await talker.hello(companion="serenity", user="ann")
        first = await talker.say("I was here.", id_="once")
        point = talker.resume_point()
        await server.kill()
    async with server_process(tmp_path) as server, connected(server.url) as talker:
        await talker.hello(companion="serenity", user="ann", resume=point)
        again = await talker.say("I was here.", id_="once")
        assert (again.message, again.conversation) == (first.message, first.conversation)
    assert [text for _, text in stored(tmp_path)].count("I was here.") == 1


async def test_a_kill_right_after_a_close_leaves_one_summary(tmp_path: Path) -> None:
    closed: list[str] = []
    for number in range(3):
        async with server_process(tmp_path) as server, connected(server.url) as talker:
            await talker.hello(companion="serenity", user=f"p{number}")
            await talker.talk("My garden has a gate, and the roses are in bloom.")
            await talker.send(ConversationClose(id="close"))
            closed.append((await talker.next(ConversationClosed)).conversation)
            await server.kill()
    async with server_process(tmp_path):
        with anyio.fail_after(30):
            while len(summed_up(tmp_path)) < len(closed):  # noqa: ASYNC110 - another process writes them
                await anyio.sleep(0.05)
    assert sorted(summed_up(tmp_path)) == sorted(closed)


def summed_up(folder: Path) -> list[str]:
    """The conversation of each summary there is."""
    with closing(sqlite3.connect(folder / "data" / "fireside.db")) as db:
        return [row[0] for row in db.execute("SELECT conversation FROM summaries").fetchall()]


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


class Outbox:
    """A person who writes on whatever happens, and resends what has no ack."""

    def __init__(self, user: str, acks: Acks) -> None:
        self.user = user
        self.acks = acks
        self.resume: Resume | None = None
        self.unsent: list[MessageSend] = []
        self.acknowledged: dict[str, str] = {}
        self.count = 0

    async def talk(self, url: str) -> None:
        """Connect, resend, write on until the line breaks."""
        async with connected(url) as talker:
            await talker.hello(companion="serenity", user=self.user, resume=self.resume)
            self.resume = talker.resume_point()
            for command in list(self.unsent):
                await self._send(talker, command)
            while True:
                self.count += 1
                command = MessageSend(id=f"{self.user}-{self.count}", text=f"{self.user} says {self.count}")
                self.unsent.append(command)
                await self._send(talker, command)
                await talker.answer()

    async def _send(self, talker: Talker, command: MessageSend) -> None:
        ack = await talker.ask(command)
        if isinstance(ack.message, str) and ack.durable is True:
            self.acknowledged[ack.message] = command.text
            self.unsent.remove(command)
            self.acks.add()


@pytest.mark.parametrize("seed", [SEED])
async def test_nothing_acknowledged_is_lost_doubled_or_out_of_order(tmp_path: Path, seed: int) -> None:
    print(f"seed {seed}")
    chance = random.Random(seed)
    acks = Acks()
    people = [Outbox(f"p{number}", acks) for number in range(4)]
    async with model_server(Script(tokens=6)) as model:
        for _ in range(KILLS):
            async with server_process(tmp_path, ["--model", f"openai:m@{model.url}/v1"]) as server:
                await until_killed(server, people, chance.randrange(1, 12), chance.uniform(0, 0.02))
    rows = stored(tmp_path)
    texts = [text for _, text in rows]
    assert sum(len(person.acknowledged) for person in people) >= KILLS
    for person in people:
        for message, text in person.acknowledged.items():
            assert (message, text) in rows
        mine = [text for text in texts if text.startswith(f"{person.user} says")]
        assert len(mine) == len(set(mine))
        numbers = [int(text.rsplit(" ", 1)[1]) for text in mine]
        assert numbers == sorted(numbers)
    assert gaps(tmp_path) == 0


async def until_killed(server: ServerProcess, people: list[Outbox], acks: int, seconds: float) -> None:
    """Everybody talks; some moments after so many further acks the process is killed, whatever it does then."""
    counter = people[0].acks
    enough = counter.count + acks

    async def keep_on(person: Outbox) -> None:
        try:
            await person.talk(server.url)
        except (OSError, EOFError, TimeoutError, WebSocketException):
            return

    async with anyio.create_task_group() as tasks:
        for person in people:
            tasks.start_soon(keep_on, person)
        with anyio.fail_after(30):
            await counter.wait(enough)
        await anyio.sleep(seconds)
        await server.kill()


def stored(folder: Path) -> list[tuple[str, str]]:
    """The person's messages, in the order of their conversations and positions."""
    with closing(sqlite3.connect(folder / "data" / "fireside.db")) as db:
        return db.execute(
            """
            SELECT m.id, m.text FROM messages m JOIN conversations c ON c.id = m.conversation
            WHERE m.role = 'user' ORDER BY c.created_at, m.conversation, m.position
            """
        ).fetchall()


def gaps(folder: Path) -> int:
    """Conversations whose positions are not 1, 2, 3 … without a gap."""
    with closing(sqlite3.connect(folder / "data" / "fireside.db")) as db:
        rows = db.execute(
            "SELECT conversation, MAX(position), COUNT(*) FROM messages GROUP BY conversation"
        ).fetchall()
    return sum(1 for _, last, count in rows if last != count)
