"""A job never stands in a person's way: it leaves the model when a person comes, and has not failed by it."""

import anyio
import pytest
from anyio.abc import TaskStatus
from msgspec.structs import replace

from companions.ports import GaveWay, ModelError, Text
from generation.choose import ModelSettings
from generation.deadlines import Deadlines
from loadtest.model_script import Script
from tests import clock
from tests.generation.stage import PROMPT, Stage, stage

JOB = replace(PROMPT, background=True, user="somebody else")
HUNG = Script(fault="stall_first")  # the extractor's request hangs: headers, then nothing
QUICK = Script(tokens=3, first_token=0.2, tokens_per_second=50)
ONE_SLOT = ModelSettings(most_at_once=1)


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return clock.virtual_time()


async def first_token(scene: Stage) -> float:
    """Seconds from asking to the first word a person sees."""
    began = anyio.current_time()
    async with scene.model.stream(PROMPT) as stream:
        async for piece in stream:
            if isinstance(piece, Text):
                return anyio.current_time() - began
    pytest.fail("no word came")


async def job(scene: Stage, ends: list[str], task_status: TaskStatus[None]) -> None:
    try:
        task_status.started()
        async with scene.model.stream(JOB) as stream:
            async for _ in stream:
                pass
        ends.append("done")
    except GaveWay:
        ends.append("gave way")
    except ModelError as error:
        ends.append(error.fault)


@pytest.mark.parametrize("kind", ["openai", "ollama"])
async def test_with_a_job_hung_on_the_only_slot_the_first_token_is_as_fast_as_without(kind: str) -> None:
    async with stage(kind, QUICK, settings=ONE_SLOT) as scene:
        alone = await first_token(scene)
        scene.server.play(HUNG, QUICK)
        ends: list[str] = []
        beside = 0.0
        async with anyio.create_task_group() as tasks:
            await tasks.start(job, scene, ends)
            await anyio.sleep(60)
            assert ends == []
            beside = await first_token(scene)
        assert beside == pytest.approx(alone, abs=0.01)
        assert ends == ["gave way"]
        assert scene.server.requests[1].closed_early, "the hung request was closed"


async def test_a_job_waits_while_a_person_is_answered_and_then_has_the_model() -> None:
    slow = Script(tokens=50, tokens_per_second=5)
    async with stage("ollama", slow, QUICK, settings=replace(ONE_SLOT, most_at_once=4)) as scene:
        ends: list[str] = []
        async with anyio.create_task_group() as tasks, scene.model.stream(PROMPT) as stream:
            await anext(stream)
            await tasks.start(job, scene, ends)
            await anyio.sleep(5)
            assert len(scene.server.requests) == 1
            async for _ in stream:
                pass
        assert ends == ["done"]


async def test_a_job_that_gets_no_slot_in_a_minute_comes_back_later() -> None:
    async with stage("openai", Script(fault="stall"), settings=ONE_SLOT) as scene:
        ends: list[str] = []
        async with anyio.create_task_group() as tasks:
            await tasks.start(job, scene, ends)
            await anyio.sleep(0.5)
            async with scene.model.stream(replace(PROMPT, user="b")):
                await tasks.start(job, scene, ends)
                await anyio.sleep(Deadlines().job_slot + 1)
                assert ends == ["gave way", "gave way"]


async def test_jobs_that_fail_do_not_keep_people_from_the_model() -> None:
    settings = ModelSettings(deadlines=Deadlines(job_first_token=1.0), breaker_failures=2)
    async with stage("openai", HUNG, HUNG, HUNG, HUNG, QUICK, settings=settings) as scene:
        ends: list[str] = []
        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                await tasks.start(job, scene, ends)
        assert ends == ["first_token"] * 4
        assert await first_token(scene) < 1
