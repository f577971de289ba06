"""How long one search takes in a store of 10,000 messages of one person, beside as many of another.

Then the same by meaning too, with vectors of 384 numbers drawn at random: they take as long to compare as any. Beside
each search a piece of Python is timed, so that figures of machines, and of busy hours, can be compared.

    python -m evaluation.search_time [MESSAGES]
"""

import math
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from random import Random

from companions.changes import CommandId, MessageSaid, NewConversation
from evaluation.search import crowded, read
from memory.vectors import Meaning, pressed
from storage.apply import apply_all
from storage.connection import InlineStore, inline
from storage.fulltext import index_pending, search
from storage.nearest import numpy_here
from storage.vectors import due, keep, open_space

TALK = 200
MODEL, DIMENSION = "drawn", 384


def said(user: str, number: int, text: str) -> MessageSaid:
    """The message ``number`` of a user's many conversations of 200."""
    talk, position = divmod(number, TALK)
    return MessageSaid(
        user=user,
        companion="serenity",
        at=number,
        session=user,
        command=CommandId(space=user, id=str(number), digest=""),
        conversation=f"{user}:{talk}",
        message=f"{user}:{number}",
        position=position + 1,
        text=text,
        begins=NewConversation(title="", preview="") if position == 0 else None,
    )


def main(most: int) -> None:
    """Fill a store, index it, ask every question of the development set, and print the times."""
    sets = Path(__file__).parent / "sets"
    (talk,) = crowded(read(sets / "search.jsonl"))
    texts = [message.text for message in talk.messages]
    with tempfile.TemporaryDirectory() as folder, inline(Path(folder) / "store.sqlite3") as store:
        for user in ("anna", "bert"):
            store.db.execute("BEGIN")
            apply_all(store.db, [said(user, *pair) for pair in enumerate(islice(cycle(texts), most))])
            store.db.execute("COMMIT")
        began = time.perf_counter()
        store.db.execute("BEGIN")
        rows = index_pending(store.db, 3 * most)
        store.db.execute("COMMIT")
        each = (time.perf_counter() - began) / rows * 1e6
        print(f"{rows} rows indexed, {each:.0f} µs each")
        queries = [question.query for question in talk.questions]
        _timed(store, queries, f"{most} messages")
        chance = Random(7)  # noqa: S311  # figures, no secret
        _vectors(store, chance)
        how = "without numpy" if numpy_here() is None else "with numpy"
        _timed(store, queries, f"{most} messages and their vectors, {how}", chance)


def _vectors(store: InlineStore, chance: Random) -> None:
    store.db.execute("BEGIN")
    space = open_space(store.db, model=MODEL, dimension=DIMENSION)
    after: int | None = 0
    while after is not None:
        stretch = due(store.db, space, {"serenity"}, after)
        keep(store.db, space, [(each, pressed(_drawn(chance))) for each in stretch.due])
        after = stretch.upto
    store.db.execute("COMMIT")


def _drawn(chance: Random) -> tuple[float, ...]:
    """A vector that is somewhat like all others, so that every search has as many to weigh as it can have."""
    numbers = [chance.gauss(0.9, 1.0) for _ in range(DIMENSION)]
    length = math.hypot(*numbers)
    return tuple(number / length for number in numbers)


def _timed(store: InlineStore, queries: Sequence[str], of: str, chance: Random | None = None) -> None:
    times: list[tuple[float, float]] = []
    pieces: list[float] = []
    for query in queries:
        meaning = None if chance is None else Meaning(model=MODEL, vector=_drawn(chance))
        began, worked = time.perf_counter(), time.thread_time()
        search(
            store.db,
            user="anna",
            companion="serenity",
            query=query,
            limit=10,
            speakers={"user": "Ruth"},
            meaning=meaning,
        )
        times.append(((time.perf_counter() - began) * 1000, (time.thread_time() - worked) * 1000))
        pieces.append(_piece())
    waited, busy = (statistics.quantiles(column, n=100) for column in zip(*times, strict=True))
    print(
        f"{len(times)} searches in {of}: p50 {waited[49]:.1f} ms  p95 {waited[94]:.1f} ms"
        f"  (of the processor: {busy[49]:.1f} and {busy[94]:.1f};"
        f" {busy[49] / statistics.median(pieces):.1f} and {busy[94] / statistics.median(pieces):.1f} pieces of"
        f" {statistics.median(pieces):.2f} ms)"
    )


def _piece() -> float:
    """The milliseconds of processor time of ten thousand additions."""
    began = time.thread_time()
    total = 0
    for number in range(10_000):
        total += number
    return (time.thread_time() - began) * 1000


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
