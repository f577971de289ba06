"""A store that refuses is asked again, ever more rarely, and nothing crashes meanwhile."""

import sqlite3
from collections.abc import Callable
from typing import Any, TypeVar

import anyio
import pytest
import structlog

from server.indexer import Indexer
from storage.refusals import StoreRefused
from tests.clock import virtual_time

T = TypeVar("T")


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:  # Any: anyio's own type for backend options
    return virtual_time()


class FullDisk:
    """Refuses so many times; then there is nothing to index."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.asked: list[float] = []
        self.done = anyio.Event()

    async def transact(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        self.asked.append(anyio.current_time())
        if len(self.asked) <= self.times:
            raise StoreRefused("storage.full", "SQLITE_FULL")
        self.done.set()
        return 0  # type: ignore[return-value]  # the number of rows, which the indexer asks for

    async def read(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        raise NotImplementedError

    async def tend(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        raise NotImplementedError


async def test_on_a_full_disk_it_waits_ever_longer_says_so_and_goes_on_when_there_is_room() -> None:
    store = FullDisk(times=6)
    with structlog.testing.capture_logs() as logs:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(Indexer(store))
            await store.done.wait()
            tasks.cancel_scope.cancel()
    assert [line["event"] for line in logs] == ["index.waits"] * 6
    waited = [after - before for before, after in zip(store.asked, store.asked[1:], strict=False)]
    assert waited == [5.0, 10.0, 20.0, 40.0, 60.0, 60.0]
