"""What one streamed token costs a client in CPU: ours against httpx as it comes.

    python -m loadtest.bench_stream --streams 50 --tokens 100 --tokens-per-second 50 --rounds 3

The model server runs in a process of its own; both clients run in this one, in turns, over the same number of
streams at the same pace. Trust the ratio: the figures are those of the machine.
"""

import asyncio
import json
import sys
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from statistics import median
from typing import TypeAlias

import cyclopts
import httpx

from companions.ports import Prompt, PromptMessage, Text
from generation.choose import ModelSettings, language_model

PROMPT = Prompt(system="", messages=(PromptMessage(role="user", text="Good morning!"),), max_tokens=100_000)


@asynccontextmanager
async def model_process(tokens: int, tokens_per_second: float) -> AsyncGenerator[str]:
    """A model server of its own process; the address to name to a client."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "loadtest.model_server", "--port", "0", "--first-token", "0.2"),
        *("--tokens", str(tokens), "--tokens-per-second", str(tokens_per_second)),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        line = (await process.stdout.readline()).decode().strip()
        yield line.partition("@")[2]
    finally:
        process.terminate()
        await process.wait()


Read: TypeAlias = Callable[[], Awaitable[int]]


@asynccontextmanager
async def ours(url: str) -> AsyncGenerator[Read]:
    """Reads one answer through the port; the tokens in it."""
    async with language_model(ModelSettings(model=f"openai:m@{url}")) as model:

        async def one() -> int:
            count = 0
            async with model.stream(PROMPT) as pieces:
                async for piece in pieces:
                    count += isinstance(piece, Text)
            return count

        yield one


@asynccontextmanager
async def stock(url: str) -> AsyncGenerator[Read]:
    """Reads one answer by httpx's own transport and lines, each line parsed by the standard library."""
    body = {"model": "m", "messages": [{"role": "user", "content": "Good morning!"}], "stream": True}
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(trust_env=False, timeout=120, limits=limits) as client:

        async def one() -> int:
            count = 0
            async with client.stream("POST", f"{url}/chat/completions", json=body) as response:
                async for line in response.aiter_lines():
                    if line.startswith("data: ") and line != "data: [DONE]":
                        choices = json.loads(line[6:])["choices"]
                        count += bool(choices and choices[0]["delta"].get("content"))
            return count

        yield one


async def cost(read: Read, streams: int, tokens: int) -> float:
    """Microseconds of this process's CPU for each token."""
    before = time.process_time()
    count = sum(await asyncio.gather(*(read() for _ in range(streams))))
    assert count == streams * tokens, f"{count} tokens of {streams * tokens}"
    return (time.process_time() - before) / count * 1e6


def main(*, streams: int = 50, tokens: int = 100, tokens_per_second: float = 50.0, rounds: int = 3) -> None:
    """Prints the CPU for each token of both clients, round by round, and the ratio of the medians."""

    async def run() -> None:
        results: dict[str, list[float]] = {"ours": [], "stock": []}
        async with (
            model_process(tokens, tokens_per_second) as url,
            ours(url) as read_ours,
            stock(url) as read_stock,
        ):
            for number in range(rounds):
                results["ours"].append(await cost(read_ours, streams, tokens))
                results["stock"].append(await cost(read_stock, streams, tokens))
                show(
                    f"round {number + 1}: ours {results['ours'][-1]:.1f} µs, stock {results['stock'][-1]:.1f} µs"
                )
        mine, theirs = median(results["ours"]), median(results["stock"])
        show(f"a token: ours {mine:.1f} µs, stock httpx {theirs:.1f} µs, ratio {mine / theirs:.2f}")

    asyncio.run(run())


def show(line: str) -> None:
    """A line for whoever runs it."""
    print(line, flush=True)  # it is a command


if __name__ == "__main__":
    cyclopts.run(main)
