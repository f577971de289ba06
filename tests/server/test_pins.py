"""A PIN has few digits: what protects it is the waiting, however many try at once."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

import anyio
import anyio.lowlevel
import pytest

from actors.ports import CommandRefused
from server.pins import FREE_TRIES, LONGEST_WAIT_SECONDS, Pins, kept
from storage.connection import Store, inline
from storage.persons import add_person, set_pin

T = TypeVar("T")


class Hurried:
    """A store that has done the next thing before anybody hears of the last one."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    async def transact(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        done = fn(self._db)
        await anyio.lowlevel.checkpoint()
        return done


async def test_of_many_wrong_pins_at_once_one_is_tried_when_the_free_ones_are_spent(tmp_path: Path) -> None:
    now = 0.0
    with inline(tmp_path / "fireside.db") as store:
        add_person(store.db, "ann", "Ann", at=1)
        set_pin(store.db, "ann", kept("4711"))
        pins = Pins(cast("Store", Hurried(store.db)), lambda: now)  # all of it that is used
        told: list[str] = []

        async def guess() -> None:
            with pytest.raises(CommandRefused) as refused:
                await pins.check("ann", "0000")
            told.append(refused.value.code)

        for _ in range(FREE_TRIES):
            await guess()
        now = 2 * LONGEST_WAIT_SECONDS
        told.clear()
        async with anyio.create_task_group() as tasks:
            for _ in range(6):
                tasks.start_soon(guess)
    assert sorted(told) == ["auth.forbidden", *["rate.limited"] * 5]
