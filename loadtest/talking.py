"""The first scenario: N people talk at once, each answer streamed by the shipped model server.

Everyone thinks between messages; some stop an answer. In the end the store is opened and every message that was
acknowledged must be there exactly once.
"""

import random
import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import anyio
import msgspec

from loadtest.client import Refusal, Talker, connected
from loadtest.figures import Spread, spread
from protocol.talk_frames import ResponseDelta, ResponseDone, ResponseStarted

SAYINGS = (
    "I went for a walk along the river this morning.",
    "Could you tell me something calm?",
    "My tomatoes are ripening one after the other.",
    "I slept badly and feel a little low.",
    "What could I cook for my sister on Sunday?",
    "The light in the kitchen is lovely just now.",
)


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """How much."""

    clients: int = 200
    messages: int = 3
    ramp_seconds: float = 4.0
    think_seconds: float = 1.0
    stop_share: float = 0.05
    companion: str = "serenity"
    seed: int = 1


class Gathered:
    """What a run saw."""

    def __init__(self) -> None:
        self.connect: list[float] = []
        self.ack: list[float] = []
        self.first: list[float] = []
        self.between: list[float] = []
        self.whole: list[float] = []
        self.deltas = 0
        self.characters = 0
        self.errors: Counter[str] = Counter()
        self.acknowledged: list[tuple[str, str]] = []  # message id and text
        self.answers: list[tuple[str, str]] = []

    def measures(self) -> dict[str, list[float]]:
        """What was measured, in seconds, by its name."""
        return {
            "connect and welcome": self.connect,
            "message to ack": self.ack,
            "message to first word": self.first,
            "between words": self.between,
            "message to end of answer": self.whole,
        }

    def rows(self) -> list[tuple[str, Spread]]:
        """The measures for a table."""
        return [(name, spread(values)) for name, values in self.measures().items()]


async def run(url: str, load: Load, seen: Gathered) -> None:
    """Let everybody talk; returns when the last has finished."""
    async with anyio.create_task_group() as tasks:
        for number in range(load.clients):
            tasks.start_soon(_person, url, load, seen, number)


async def _person(url: str, load: Load, seen: Gathered, number: int) -> None:
    chance = random.Random(load.seed * 100_003 + number)  # a run can be repeated
    await anyio.sleep(load.ramp_seconds * number / max(1, load.clients))
    began = time.perf_counter()
    try:
        async with connected(url) as talker:
            await talker.hello(companion=load.companion, user=f"person-{number}")
            seen.connect.append(time.perf_counter() - began)
            for turn in range(load.messages):
                await anyio.sleep(load.think_seconds * chance.random())
                await _exchange(talker, seen, f"{chance.choice(SAYINGS)} ({number}.{turn})", load, chance)
    except (OSError, TimeoutError, Refusal) as error:
        seen.errors[getattr(error, "code", type(error).__name__)] += 1


async def _exchange(talker: Talker, seen: Gathered, text: str, load: Load, chance: random.Random) -> None:
    due = time.perf_counter()
    ack = await talker.say(text)
    seen.ack.append(time.perf_counter() - due)
    if ack.durable is True and isinstance(ack.message, str):
        seen.acknowledged.append((ack.message, text))
    stop_after = chance.randrange(3, 12) if chance.random() < load.stop_share else None
    last = None
    with anyio.fail_after(120):
        while True:
            event = await talker.receive()
            now = time.perf_counter()
            match event:
                case ResponseDelta(n=n, text=piece):
                    (seen.first.append(now - due) if last is None else seen.between.append(now - last))
                    last = now
                    seen.deltas += 1
                    seen.characters += len(piece)
                    if n == stop_after:
                        await talker.cancel()
                case ResponseStarted():
                    pass
                case ResponseDone(answer=answer, text=said, durable=durable):
                    seen.whole.append(now - due)
                    if durable and answer is not None:
                        seen.answers.append((answer, said))
                    return
                case _:
                    pass


def missing_or_doubled(store: Path, said: list[tuple[str, str]]) -> tuple[int, int]:
    """How many of the acknowledged are not in the store as they were said, and how many are there twice."""
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as db:
        rows = dict(db.execute("SELECT id, text FROM messages").fetchall())
        texts = Counter(text for (text,) in db.execute("SELECT text FROM messages WHERE role = 'user'"))
    lost = sum(1 for message, text in said if rows.get(message) != text)
    doubled = sum(1 for _, text in said if texts[text] > 1)
    return lost, doubled
