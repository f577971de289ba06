"""What a turn never waits for: the store's memory, work after another talk, the reading of somebody's long message."""

import threading
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TypeVar

import anyio
import pytest

from actors.reading import READ_AT_ONCE, on_a_thread
from actors.session import Session
from companions.ports import ToolAnswer, ToolCall
from companions.remembered import Remembered
from companions.state import State, Who
from memory.reading import Reading
from protocol.talk_frames import ResponseDelta, ResponseDone
from tests.actors.stage import Shelf, Stage
from tests.clock import current, virtual_time
from tests.companions.scenes import ScriptedRules

T = TypeVar("T")


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return virtual_time()


class Counting(Shelf):
    """A desk that counts the questions."""

    asked = 0

    async def remember(self, who: Who, open_talk: str | None = None) -> Remembered:
        self.asked += 1
        return await super().remember(who, open_talk)

    async def run_tool(
        self, who: Who, call: ToolCall, talk: str | None = None, hidden: AbstractSet[str] = frozenset()
    ) -> ToolAnswer:
        self.asked += 1
        return ToolAnswer("")


class Reader(ScriptedRules):
    """Rules that note in which thread they read."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: list[int] = []

    def read(self, state: State, text: str, vector: Sequence[float] | None = None) -> Reading:
        self.threads.append(threading.get_ident())
        return super().read(state, text, vector)


async def while_time_stands_still(think: Callable[[], T], limiter: anyio.CapacityLimiter) -> T:
    """As the server reads a long message; the clock does not jump meanwhile, however long it takes."""
    with current().holding():
        return await on_a_thread(think, limiter)


async def test_a_turn_asks_the_store_nothing() -> None:
    stage = Stage(["One. ", "Two."])
    stage.shelf = Counting()
    stage.session = Session(stage.session.state, stage.session.cast, stage.services(), stage.address)
    async with stage.open():
        for number in (1, 2, 3):
            await stage.say(f"Number {number}: what did I say?")
            await stage.client.told(ResponseDone, number)
    assert stage.shelf.asked == 0


async def test_a_long_message_is_read_beside_the_loop_and_a_short_one_at_once() -> None:
    rules = Reader()
    stage = Stage(rules=rules)
    services = replace(stage.services(), aside=while_time_stands_still)
    stage.session = Session(stage.session.state, stage.session.cast, services, stage.address)
    async with stage.open():
        await stage.say("x" * READ_AT_ONCE)
        await stage.client.told(ResponseDone, 1)
        await stage.say("I want to end it all. " + "x" * READ_AT_ONCE)
        await stage.client.told(ResponseDone, 2)
    here = threading.get_ident()
    assert [thread == here for thread in rules.threads] == [True, False]
    assert stage.client.of(ResponseDelta)
