"""Many talks end at once: what it does to the first word of those who go on talking.

    python -m loadtest.bench_closing --closing 200 --talkers 10 --slots 4

A server process of its own; the model server answers people at once and every job after five seconds. The same
people talk before the ends and while their jobs are worked on, in the same run; compare the two rows.
"""

import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

import anyio
import cyclopts

from loadtest.client import Talker, connected
from loadtest.figures import Spread, spread, table
from loadtest.model_script import Script
from loadtest.model_server import Request, model_server
from loadtest.process import server_process
from protocol.conversation_frames import ConversationClose
from protocol.talk_frames import ResponseDelta, ResponseDone

PERSON = Script(tokens=10, first_token=0.05, tokens_per_second=100)
JOB = Script(text='{"summary": "They spoke of a walk.", "facts": []}', first_token=5.0)
AT_A_TIME = 20  # first messages at once
SETTLED_SECONDS = 2.0  # then the ends themselves are told and stored


def script_for(request: Request) -> Script:
    """People are answered at once, jobs after five seconds."""
    return JOB if request.is_job else PERSON


async def first_word(talker: Talker, text: str) -> float:
    """Seconds from sending a message to the first word of its answer; returns when the answer is over."""
    sent = time.perf_counter()
    first = None
    await talker.say(text)
    held, talker.events = talker.events, []
    for event in held:
        if isinstance(event, ResponseDelta) and first is None:
            first = time.perf_counter() - sent
    while True:
        event = await talker.receive()
        if isinstance(event, ResponseDelta) and first is None:
            first = time.perf_counter() - sent
        if isinstance(event, ResponseDone):
            return first if first is not None else time.perf_counter() - sent


async def talk_on(talkers: list[Talker], messages: int, think: float) -> list[tuple[float, float]]:
    """Everybody says so many things, one after the other; when each was said, and the time to its first word."""
    times: list[tuple[float, float]] = []
    began = time.perf_counter()

    async def one(number: int, talker: Talker) -> None:
        await anyio.sleep(think * number / len(talkers))
        for turn in range(messages):
            at = time.perf_counter() - began
            times.append((at, await first_word(talker, f"I went for a walk, part {turn}.")))
            await anyio.sleep(think)

    async with anyio.create_task_group() as tasks:
        for number, talker in enumerate(talkers):
            tasks.start_soon(one, number, talker)
    return times


def after(times: list[tuple[float, float]], seconds: float) -> Spread:
    """Of what was said at ``seconds`` or later."""
    return spread([taken for at, taken in times if at >= seconds])


async def greeted(stack: AsyncExitStack, url: str, count: int, name: str, companion: str) -> list[Talker]:
    """So many people who have said hello."""
    found: list[Talker] = []
    for number in range(count):
        talker = await stack.enter_async_context(connected(url))
        await talker.hello(companion=companion, user=f"{name}-{number}")
        found.append(talker)
    return found


async def said_once(talkers: list[Talker]) -> None:
    """Everybody has a talk with a few words in it."""
    limit = anyio.CapacityLimiter(AT_A_TIME)

    async def one(talker: Talker) -> None:
        async with limit:
            await first_word(talker, "I live in Lisbon and work as a nurse; I slept badly.")

    async with anyio.create_task_group() as tasks:
        for talker in talkers:
            tasks.start_soon(one, talker)


async def close_all(talkers: list[Talker]) -> None:
    """Every one of these talks ends now. What the server says to that is not read: reading would delay the others."""
    for talker in talkers:
        await talker.send(ConversationClose(id=talker.new_id()))


async def measure(closing: int, talkers: int, messages: int, think: float, slots: int, companion: str) -> int:
    """One run; 0 when the jobs delayed nobody by more than a tenth and 5 ms at the 95th percentile."""
    with tempfile.TemporaryDirectory() as folder:
        async with model_server() as upstream, AsyncExitStack() as stack:
            upstream.choose = script_for
            server = await stack.enter_async_context(
                server_process(
                    Path(folder),
                    ["--model", f"openai:m@{upstream.url}/v1"],
                    environment={
                        "FIRESIDE_MODEL_MOST_AT_ONCE": str(slots),
                        "FIRESIDE_LOG_LEVEL": "warning",
                        "FIRESIDE_LIMITS_COMMANDS_PER_SECOND": "1000",
                    },
                )
            )
            people = await greeted(stack, server.url, talkers, "talker", companion)
            leaving = await greeted(stack, server.url, closing, "leaving", companion)
            await said_once([*people, *leaving])
            before = await talk_on(people, messages, think)
            await close_all(leaving)
            during = await talk_on(people, messages, think)
            asked = sum(request.is_job for request in upstream.requests)
            given_up = sum(request.is_job and request.closed_early for request in upstream.requests)
    rows = [
        ("before the ends", after(before, 0)),
        (f"from the moment in which {closing} talks end", after(during, 0)),
        ("… of these, while only their jobs are worked on", after(during, SETTLED_SECONDS)),
    ]
    print(table(rows))
    print(
        f"jobs begun {asked}, of which {given_up} gave way to a person or were cut at the end; slots {slots}"
    )
    return 0 if rows[2][1].p95 <= rows[0][1].p95 * 1.1 + 5 else 1


def main(
    *,
    closing: int = 200,
    talkers: int = 10,
    messages: int = 15,
    think: float = 1.0,
    slots: int = 4,
    companion: str = "serenity",
) -> None:
    """Compare the first words before and while many talks end."""
    sys.exit(anyio.run(measure, closing, talkers, messages, think, slots, companion))


if __name__ == "__main__":
    cyclopts.run(main)
