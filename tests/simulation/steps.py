"""Counts where tasks wait: every step of every task, so that something can be done at exactly the nth of them."""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from typing import Any

Hook = Callable[[str], None]
"""Called with a task's name whenever it has come to a place where it waits."""


class Counted(Coroutine[Any, Any, Any]):  # Any: what any coroutine yields, takes and returns
    """A coroutine that tells of each place where it waits."""

    def __init__(self, inner: Coroutine[Any, Any, Any], hook: Hook) -> None:
        self._inner = inner
        self._hook = hook

    def _waits(self) -> None:
        task = asyncio.current_task()
        self._hook(task.get_name() if task is not None else "")

    def send(self, value: Any) -> Any:  # Any: as above
        waited_for = self._inner.send(value)
        self._waits()
        return waited_for

    def throw(self, *error: Any) -> Any:  # Any: as above
        waited_for = self._inner.throw(*error)
        self._waits()
        return waited_for

    def close(self) -> None:
        self._inner.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._inner.__await__()

    def __getattr__(self, name: str) -> Any:  # Any: frames and states, which the loop and anyio look at
        return getattr(self._inner, name)


@contextmanager
def counting(hook: Hook) -> Generator[None]:
    """Tasks that begin inside, on the running loop, tell ``hook`` of their steps."""
    loop = asyncio.get_running_loop()

    def made(
        loop: asyncio.AbstractEventLoop, coro: Any, **given: Any
    ) -> asyncio.Task[Any]:  # Any: whatever the task is given
        return asyncio.Task(Counted(coro, hook), loop=loop, **given)

    before = loop.get_task_factory()
    loop.set_task_factory(made)
    try:
        yield
    finally:
        loop.set_task_factory(before)
