"""Listing, loading, saving and coding keep to the desktop document's times, in processor time of the best of some."""

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from companions.changes import AnyChange
from evaluation.storage_time import answered, said
from memory.messages import Message
from storage.apply import apply_all
from storage.connection import inline, transacted
from storage.conversations import list_conversations
from storage.talk import load_talk


def best_ms(do: Callable[[], object]) -> float:
    """Processor time of the quickest of seven: what other programs do meanwhile counts least in it."""

    def once() -> float:
        began = time.process_time()
        do()
        return (time.process_time() - began) * 1_000

    return min(once() for _ in range(7))


def test_a_thousand_conversations_are_listed_and_a_thousand_messages_loaded_saved_and_coded_in_time(
    tmp_path: Path,
) -> None:
    with inline(tmp_path / "store.db") as store:
        changes: list[AnyChange] = [said(f"other {number}", 1) for number in range(1_000)]
        for position in range(1, 1_001, 2):
            changes += [said("long", position), answered("long", position + 1)]
        transacted(store.db, lambda db: apply_all(db, changes))
        assert best_ms(lambda: list_conversations(store.db, user="anna", limit=200)) < 10
        assert best_ms(lambda: load(store.db)) < 50
        positions = iter(range(1_001, 1_100, 2))

        def save() -> None:
            position = next(positions)
            pair: list[AnyChange] = [said("long", position), answered("long", position + 1)]
            transacted(store.db, lambda db: apply_all(db, pair))

        assert best_ms(save) < 50
        messages = load(store.db)
    decoder = msgspec.json.Decoder(tuple[Message, ...])
    assert decoder.decode(msgspec.json.encode(messages)) == messages
    assert len(messages) == 1_000
    assert best_ms(lambda: decoder.decode(msgspec.json.encode(messages))) < 5


def load(db: sqlite3.Connection) -> tuple[Message, ...]:
    found = load_talk(db, user="anna", conversation_id="long", messages=1_000)
    assert found is not None
    return found.messages
