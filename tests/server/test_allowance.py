"""Tokens of a day: the model is asked up to them, the companion speaks for itself beyond them, and a day ends."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from companions.ports import Finished, ModelError, Piece, Prompt, PromptMessage, Text, Usage
from loadtest.client import Talker
from loadtest.model_script import Script
from protocol.errors import ErrorFrame
from protocol.session_frames import Notice
from protocol.talk_frames import ResponseDone
from server.allowance import DAY_SECONDS, Allowance, Rationed, cost
from server.settings import Limits
from storage.spent import Spent
from tests.server.scenes import played
from tests.server.test_pace import Hands

TEXT = "It is good to hear from you. The kettle is on, and the window is open."


class Counting:
    """A model that says one word and what it cost."""

    kind = "counting"
    name = "counting"
    connected = True

    def __init__(self, *costs: int) -> None:
        self.costs = list(costs)
        self.prompts: list[Prompt] = []

    @asynccontextmanager
    async def stream(self, prompt: Prompt) -> AsyncGenerator[AsyncIterator[Piece]]:
        self.prompts.append(prompt)
        yield self._pieces(self.costs.pop(0))

    async def _pieces(self, tokens: int) -> AsyncIterator[Piece]:
        yield Text("Yes.")
        yield Usage(tokens - 1, 1)
        yield Finished("stop")


def prompt(user: str = "ann", *, background: bool = False) -> Prompt:
    return Prompt(
        system="You are kind.",
        messages=(PromptMessage(role="user", text="Hello."),),
        max_tokens=10,
        user=user,
        background=background,
    )


async def told(model: Rationed, asked: Prompt) -> list[Piece]:
    async with model.stream(asked) as pieces:
        return [piece async for piece in pieces]


async def test_the_model_is_asked_up_to_the_last_token_and_not_beyond_it() -> None:
    model = Counting(99, 1, 50)
    rationed = Rationed(model, Allowance(100, Hands()))
    await told(rationed, prompt())
    await told(rationed, prompt())  # one token was left
    with pytest.raises(ModelError) as refused:
        await told(rationed, prompt())
    assert (len(model.prompts), refused.value.fault) == (2, "rate_limited")
    await told(rationed, prompt("ben"))  # who has a day of his own
    assert len(model.prompts) == 3


async def test_a_job_beyond_them_gets_nothing_as_where_there_is_no_model() -> None:
    model = Counting(100)
    rationed = Rationed(model, Allowance(100, Hands()))
    await told(rationed, prompt(background=True))
    assert await told(rationed, prompt(background=True)) == [Finished("stop")]
    assert len(model.prompts) == 1


async def test_an_answer_that_has_begun_gets_what_its_tools_found() -> None:
    model = Counting(200, 10)
    rationed = Rationed(model, Allowance(100, Hands()))
    await told(rationed, prompt())
    going_on = Prompt(
        system="", messages=(PromptMessage(role="tool", text="Two.", call="c"),), max_tokens=10, user="ann"
    )
    assert Text("Yes.") in await told(rationed, going_on)


def test_a_day_ends_a_day_after_its_first_token_and_not_before() -> None:
    clock = Hands()
    allowance = Allowance(100, clock)
    allowance.spend("ann", 60)
    clock.at = DAY_SECONDS - 1
    allowance.spend("ann", 60)
    assert allowance.left("ann") == -20
    clock.at = DAY_SECONDS
    assert allowance.left("ann") == 100


def test_after_a_start_the_day_goes_on_where_it_was() -> None:
    clock = Hands()
    allowance = Allowance(100, clock)
    hour = 3_600_000
    allowance.restore([Spent("ann", 4 * hour, 100), Spent("ben", 4 * hour, 99)], at=24 * hour)
    assert (allowance.left("ann"), allowance.left("ben"), allowance.left("cleo")) == (0, 1, 100)
    clock.at = 4 * 3_600.0
    assert allowance.left("ann") == 100


def test_no_more_people_are_counted_than_so_many() -> None:
    allowance = Allowance(100, Hands(), most_people=3)
    for number in range(1_000):
        allowance.spend(f"p{number}", 100)
    assert len(allowance) == 3
    assert (allowance.left("p999"), allowance.left("p0")) == (0, 100)


def test_what_a_server_does_not_count_is_estimated_and_what_never_began_costs_nothing() -> None:
    short, long = cost(prompt(), [Text("Yes.")]), cost(prompt(), [Text("Yes. " * 100)])
    assert 0 < short < long
    assert cost(prompt(), []) == 0
    assert cost(prompt(), [Text("Yes."), Usage(5, 2), Usage(6, 3)]) == 16


@pytest.mark.parametrize("companion", ["serenity", "coach"])
async def test_the_person_is_answered_in_the_companions_own_words_after_a_start_too(
    tmp_path: Path, companion: str
) -> None:
    limits = Limits(tokens_per_day=1, drain_seconds=1.0, commands_per_second=1_000.0)
    async with played(tmp_path, Script(text=TEXT), limits=limits) as scene:
        async with scene.greeted(companion=companion) as talker:
            assert (await heard(talker)).source == "model"
            done = await heard(talker, "Tell me about the sea.")
            assert (done.status, done.source) == ("completed", "fallback")
            assert done.text.strip()
        async with scene.greeted(companion=companion, user="ben") as other:
            assert (await heard(other)).source == "model"
    async with played(tmp_path, Script(text=TEXT), limits=limits) as again:
        async with again.greeted(companion=companion) as talker:
            assert (await heard(talker, "Good evening.")).source == "fallback"
        async with again.greeted(companion=companion, user="cleo") as other:
            assert (await heard(other)).source == "model"


async def heard(talker: Talker, text: str = "Hello.") -> ResponseDone:
    """The whole answer; nothing told the person of a fault."""
    done = await talker.talk(text)
    codes = {event.code for event in talker.events if isinstance(event, Notice | ErrorFrame)}
    assert codes <= {"disclosure"}
    return done
