"""A model that refuses: how long people wait for the companion's own words once their message is acknowledged."""

import time
from pathlib import Path

import anyio

from loadtest.bounds_cases import Seen, at_most, exactly, limited, percentile
from loadtest.client import connected
from loadtest.model_script import Script
from loadtest.model_server import model_server
from loadtest.process import Launch, server_process
from protocol.talk_frames import ResponseDelta

REFUSALS = {
    "no connection": Script(fault="refuse"),
    "401": Script(status=401),
    "429": Script(status=429),
    "500": Script(status=500),
}
TURNS = 5
FALL_BACK_SECONDS = 2.0


async def refusing_models(
    folder: Path, clients: int, limits: str = "", launch: Launch = server_process
) -> list[Seen]:
    """Each way to refuse, and ``clients`` people who say some things each, one after the other."""
    waits: list[float] = []
    silent = 0
    for name, script in REFUSALS.items():
        home = folder / name.replace(" ", "_")
        async with model_server(script) as model:
            arguments = ["--model", f"openai:m@{model.url}/v1", *limited(home, limits)]
            async with launch(home, arguments) as server:

                async def talk(number: int, url: str = server.url) -> None:
                    nonlocal silent
                    async with connected(url) as talker:
                        await talker.hello(user=f"u{number}", companion="serenity")
                        for turn in range(TURNS):
                            ack = await talker.say(f"The sea was calm on day {turn}.")
                            began = time.perf_counter()
                            await talker.next(ResponseDelta)
                            waits.append(time.perf_counter() - began)
                            done = await talker.answer()
                            silent += not (ack.durable and done.text)

                for number in range(clients):
                    await talk(number)
                async with anyio.create_task_group() as tasks:
                    for number in range(clients):
                        tasks.start_soon(talk, clients + number)
    return [
        exactly("answers that are missing, or whose message was not durable", silent, 0),
        at_most(f"own words, p99 of {len(waits)}", percentile(waits, 0.99), FALL_BACK_SECONDS, "s"),
    ]
