"""How fast the store is: durable messages a second; listing conversations; loading, saving and coding 1,000 messages.

Durable means on stable storage (``acked``: write-ahead log, synchronous FULL). The base is one transaction a
message; beside it stand batches, as the writer makes them of what queued while the last one was written.

    python -m evaluation.storage_time
"""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from companions.changes import AnswerGiven, AnyChange, CommandId, MessageSaid, NewConversation
from memory.messages import Message
from storage.apply import apply_all
from storage.connection import Store, opened
from storage.conversations import list_conversations
from storage.talk import load_talk

TEXT = "I slept badly, and the neighbour's dog barked until three. " * 3


def said(talk: str, position: int) -> MessageSaid:
    """A message of 170 characters."""
    return MessageSaid(
        user="anna",
        companion="clara",
        at=position,
        session="s",
        command=CommandId(space="s", id=f"{talk}:{position}", digest=""),
        conversation=talk,
        message=f"{talk}:{position}",
        position=position,
        text=TEXT,
        begins=NewConversation(title="A title", preview="A preview") if position == 1 else None,
    )


def answered(talk: str, position: int) -> AnswerGiven:
    """The answer to the message before."""
    return AnswerGiven(
        user="anna",
        companion="clara",
        at=position,
        conversation=talk,
        message=f"{talk}:{position - 1}",
        response=f"r:{talk}:{position}",
        answer=f"{talk}:{position}",
        position=position,
        text=TEXT,
        status="completed",
        source="model",
    )


async def rate(store: Store, batch: int, count: int) -> float:
    """Durable messages a second in batches of ``batch``, each to a conversation of its own."""
    began = time.perf_counter()
    for start in range(0, count, batch):
        changes: list[AnyChange] = [said(f"{batch}:{start + number}", 1) for number in range(batch)]
        await store.transact(lambda db, changes=changes: apply_all(db, changes))  # type: ignore[misc] # bound here
    return count / (time.perf_counter() - began)


async def median_ms(ask: Callable[[], object]) -> float:
    """The median of 21 rounds."""
    times: list[float] = []
    for _ in range(21):
        began = time.perf_counter()
        await ask()  # type: ignore[misc] # every question here is a coroutine
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


async def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        async with opened(Path(folder) / "store.sqlite3") as store:
            for position in range(1, 1001, 2):
                pair: list[AnyChange] = [said("long", position), answered("long", position + 1)]
                await store.transact(lambda db, pair=pair: apply_all(db, pair))  # type: ignore[misc] # as above
            base = await rate(store, 1, 500)
            print(f"one transaction a message: {base:,.0f} messages/s")
            for batch in (10, 100, 500):
                found = await rate(store, batch, 5_000)
                print(f"{batch} a batch: {found:,.0f} messages/s, {found / base:.1f} times")
            listing = await median_ms(
                lambda: store.read(lambda db: list_conversations(db, user="anna", limit=200))
            )
            print(f"list a page of 200 out of 15,501 conversations: {listing:.1f} ms")
            loading = await median_ms(
                lambda: store.read(
                    lambda db: load_talk(db, user="anna", conversation_id="long", messages=1_000)
                )
            )
            print(f"load a conversation of 1,000 messages: {loading:.1f} ms")
            positions = iter(range(1_001, 1_100, 2))

            async def save() -> None:
                position = next(positions)
                pair: list[AnyChange] = [said("long", position), answered("long", position + 1)]
                await store.transact(lambda db: apply_all(db, pair))

            print(f"save a message and its answer, durably, in it: {await median_ms(save):.1f} ms")
            opening = await store.read(
                lambda db: load_talk(db, user="anna", conversation_id="long", messages=1_000)
            )
            assert opening is not None
            messages = opening.messages
            assert len(messages) == 1_000
            decoder = msgspec.json.Decoder(tuple[Message, ...])

            began = time.process_time()
            for _ in range(21):
                decoder.decode(msgspec.json.encode(messages))
            print(
                f"code 1,000 messages to JSON and back: {(time.process_time() - began) / 21 * 1000:.1f} ms (processor)"
            )


if __name__ == "__main__":
    asyncio.run(main())
