"""How long a checked sentence waits: from the model's last token of the first sentence to its words on the wire.

A companion with rules for its answers holds a sentence until it is whole and checked (decision on the guard: within
300 ms for 95 of 100). The model server streams at a set pace and writes the time of each token; the client
notes when the first words came. Pacing begins only after the first sentence.

    python -m evaluation.bench_guard
"""

import tempfile
import time
from pathlib import Path

import anyio

from loadtest.client import Talker, connected
from loadtest.figures import percentile
from loadtest.model_script import Script
from loadtest.model_server import ModelServer, model_server
from protocol.talk_frames import ResponseDelta
from server.app import server
from server.settings import Companions, Data, Limits, Listen, Log, Model, Settings

SENTENCE = "It is quiet here and the light is soft."
TEXT = f"{SENTENCE} A cat sleeps on the warm sill, and nothing needs doing at all."
TOKENS_A_SECOND = 50.0
FIRST_TOKEN = 0.05
ROUNDS = 40


async def main() -> None:
    """Measure and print."""
    script = Script(text=TEXT, tokens_per_second=TOKENS_A_SECOND, first_token=FIRST_TOKEN)
    waits: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        async with model_server(script) as model:
            settings = Settings(
                listen=Listen(port=0),
                data=Data(folder=str(Path(folder))),
                model=Model(name=f"openai:m@{model.url}/v1"),
                companions=Companions(default="clara"),
                limits=Limits(commands_per_second=1_000.0),
                log=Log(level="warning"),
            )
            async with server(settings) as running:
                for number in range(ROUNDS):
                    async with connected(f"ws://127.0.0.1:{running.port}/ws") as talker:
                        await talker.hello(user=f"p{number}")
                        waits.append(await _wait(talker, model, number + 1))
    share = sum(wait <= 0.3 for wait in waits) / len(waits)
    print(f"{len(waits)} first sentences; shown after their last token within")
    print(
        f"p50 {1_000 * percentile(waits, 0.5):.0f} ms, p95 {1_000 * percentile(waits, 0.95):.0f} ms, ", end=""
    )
    print(f"most {1_000 * max(waits):.0f} ms; within 300 ms: {100 * share:.0f} %")


async def _wait(talker: Talker, model: ModelServer, count: int) -> float:
    await talker.say("Good morning, how is it there?")
    await model.asked(count)
    asked = time.perf_counter()
    await talker.next(ResponseDelta)
    shown = time.perf_counter() - asked
    whole = FIRST_TOKEN + (len(SENTENCE.split()) - 1) / TOKENS_A_SECOND
    await talker.cancel()
    return max(0.0, shown - whole)


if __name__ == "__main__":
    anyio.run(main)
