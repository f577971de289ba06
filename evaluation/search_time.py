"""How long one search takes in a store of 10,000 messages of one person, beside as many of another.

python -m evaluation.search_time [MESSAGES]
"""

import statistics
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from companions.changes import CommandId, MessageSaid, NewConversation
from evaluation.search import crowded, read
from storage.apply import apply_all
from storage.connection import inline
from storage.fulltext import index_pending, search

TALK = 200


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
        times: list[float] = []
        for question in talk.questions:
            began = time.perf_counter()
            search(store.db, user="anna", query=question.query, limit=10, speakers={"user": "Ruth"})
            times.append((time.perf_counter() - began) * 1000)
    cuts = statistics.quantiles(times, n=100)
    print(f"{len(times)} searches in {most} messages: p50 {cuts[49]:.1f} ms  p95 {cuts[94]:.1f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
