"""The connections that are open, by what opened them: when that ends, they end at once."""

from collections.abc import Callable, Coroutine, Generator, Iterable
from contextlib import contextmanager
from typing import Any, TypeAlias

from anyio.abc import TaskGroup

Leave: TypeAlias = Callable[[], Coroutine[Any, Any, None]]  # Any: what a coroutine yields to its loop


class Presence:
    """Who is here, by the id of a grant or a token, or by whatever else lets somebody in."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self._here: dict[str, dict[object, Leave]] = {}

    @contextmanager
    def here(self, by: Iterable[str], leave: Leave) -> Generator[None]:
        """A connection that was let in by all of ``by``, while the block runs; ``leave`` closes it."""
        mark, names = object(), tuple(by)
        for name in names:
            self._here.setdefault(name, {})[mark] = leave
        try:
            yield
        finally:
            for name in names:
                del self._here[name][mark]
                if not self._here[name]:
                    del self._here[name]

    def count(self, by: str) -> int:
        """How many connections were let in by it."""
        return len(self._here.get(by, ()))

    def end(self, by: Iterable[str]) -> None:
        """It opens nothing any more: close what it opened. Does not wait."""
        leaving = {mark: leave for name in by for mark, leave in self._here.get(name, {}).items()}
        for leave in leaving.values():
            self._tasks.start_soon(leave, name="leave")
