"""How late everybody else's work is while one person's messages are read: on the loop, and beside it.

    python -m evaluation.bench_beside [--texts 60]

The messages are those of `evaluation.bench_reading`, read as for a companion that keeps facts and recalls; nothing is
read twice. Beside them a task wakes up every 2 ms, as an answer that is being told does, and notes how late it was.
*On the loop* a message is read where it came in, *beside it* on the server's thread for that (`actors.reading`);
both in turns, so that they meet the same machine. The second figure is how long a message took.
"""

import argparse
import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import anyio

from actors.reading import on_a_thread
from evaluation.bench_reading import readers, work
from memory import reading
from server.collector import seldom_collector

WAKES = 0.002  # seconds
PAUSE = 0.005  # seconds between two messages
READER = "all, to be kept"


async def on_the_loop(think: Callable[[], object]) -> object:
    """Think here, where everybody waits."""
    return think()


async def measured(
    where: Callable[[Callable[[], object]], Awaitable[object]],
    read: Callable[[str], object],
    texts: Sequence[str],
) -> tuple[list[float], list[float]]:
    """How late the other task was each time, and how long each message took, in seconds, in order of size."""
    late: list[float] = []

    async def waking() -> None:
        while True:
            due = time.perf_counter() + WAKES
            await asyncio.sleep(WAKES)
            late.append(time.perf_counter() - due)

    other = asyncio.create_task(waking())
    took: list[float] = []
    for text in texts:
        began = time.perf_counter()
        await where(partial(read, text))
        took.append(time.perf_counter() - began)
        await asyncio.sleep(PAUSE)
    other.cancel()
    return sorted(late), sorted(took)


def told(spans: Sequence[float]) -> str:
    """The middle, 99 of 100, and the most, in milliseconds."""
    return "  ".join(
        f"{name} {spans[min(len(spans) - 1, int(len(spans) * share))] * 1_000:6.2f}"
        for name, share in (("p50", 0.5), ("p99", 0.99), ("most", 1.0))
    )


def main() -> None:
    """Measure both ways for every length."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=60)
    each = 2 * parser.parse_args().texts
    asked = work(each)
    seldom_collector()
    reading.prepare()
    reading.warm()
    gc.freeze()
    read = readers(asked.before)[READER]
    for text in asked.before:
        read(text)
    limiter = anyio.CapacityLimiter(1)
    ways = {"on the loop": on_the_loop, "beside it": partial(on_a_thread, limiter=limiter)}
    for group in ("chat", "500", "2,000"):
        texts = asked.texts[group]
        for number, (name, where) in enumerate(ways.items()):
            late, took = asyncio.run(measured(where, read, texts[number::2]))
            print(f"{group:6} {name:12} others late {told(late)}   a message {told(took)}", flush=True)


if __name__ == "__main__":
    main()
