"""What a turn never waits for: the store's memory, work after another talk, the reading of somebody's long message."""

import threading
from collections.abc import Sequence

import anyio

from actors.reading import READ_AT_ONCE
from actors.session import Session
from companions.ports import ToolAnswer, ToolCall
from companions.remembered import Remembered
from companions.state import State, Who
from memory.reading import Reading
from protocol.talk_frames import ResponseDelta, ResponseDone
from tests.actors.stage import Shelf, Stage
from tests.companions.scenes import ScriptedRules


class Counting(Shelf):
    """A desk that counts the questions."""

    asked = 0

    async def remember(self, who: Who, open_talk: str | None = None) -> Remembered:
        self.asked += 1
        return await super().remember(who, open_talk)

    async def run_tool(self, who: Who, call: ToolCall, talk: str | None = None) -> ToolAnswer:
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


async def test_a_turn_asks_the_store_nothing() -> None:
    stage = Stage(["One. ", "Two."])
    stage.shelf = Counting()
    stage.session = Session(stage.session.state, stage.session.cast, stage.services(), stage.address)
    with anyio.fail_after(10):
        async with stage.open():
            for number in (1, 2, 3):
                await stage.say(f"Number {number}: what did I say?")
                await stage.client.told(ResponseDone, number)
    assert stage.shelf.asked == 0


async def test_a_long_message_is_read_beside_the_loop_and_a_short_one_at_once() -> None:
    rules = Reader()
    with anyio.fail_after(20):
        async with Stage(rules=rules).open() as stage:
            await stage.say("x" * READ_AT_ONCE)
            await stage.client.told(ResponseDone, 1)
            await stage.say("I want to end it all. " + "x" * READ_AT_ONCE)
            await stage.client.told(ResponseDone, 2)
    here = threading.get_ident()
    assert [thread == here for thread in rules.threads] == [True, False]
    assert stage.client.of(ResponseDelta)
