"""Vectors follow what was said: made by jobs a little after it, beside the talk, for whatever is searched by meaning.

Debounced as the full-text index is. Each start looks at every message once and makes what is missing, so that what a
crash, an import, a restored store or a change of embedder left without a vector has one in the end. An embedder that
fails is left alone for a while, longer each time; what waits for it is in the store, and is found by its words.
"""

import time
from collections.abc import Callable, Collection, Mapping
from typing import Literal, TypeAlias

import anyio
import structlog

from companions.companion import Companion
from companions.ports import Embedder, ModelError
from generation.timely import head_and_tail
from memory.vectors import pressed
from server.indexer import LONGEST_SECONDS, QUIET_SECONDS
from storage.connection import Store
from storage.refusals import StoreRefused
from storage.vectors import Due, due, keep, open_space

BATCH = 8  # texts asked for at once: what people wait for goes between
PAUSE = 1.0  # as long as a batch took, the machine is left to others; at most so many seconds
REST_SECONDS = (5.0, 600.0)  # after a failure: doubled from the first up to the second
PROBE = "Good morning."

Outcome: TypeAlias = Literal["kept", "passed_over", "failed"]

log: structlog.stdlib.BoundLogger = structlog.get_logger("vectorizer")


def searched(found: Mapping[str, Companion]) -> frozenset[str]:
    """The companions whose talk can be searched: by the person, or by the model. Others' messages get no vector."""
    return frozenset(
        name
        for name, companion in found.items()
        if companion.policy.session.transcript != "current" or "search_memory" in companion.policy.model.tools
    )


class Vectorizer:
    """Keeps the vectors up with the store."""

    def __init__(
        self,
        store: Store,
        embedder: Embedder,
        companions: Collection[str],
        count: Callable[[Outcome, int], None],
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._companions = companions
        self._count = count
        self._changed = anyio.Event()
        self._last = 0.0
        self._space: int | None = None
        self._after = 0

    def committed(self) -> None:
        """Something was written."""
        self._last = time.monotonic()
        self._changed.set()

    async def __call__(self) -> None:
        """Make what is missing, wait for changes, wait for quiet, again."""
        rest = REST_SECONDS[0]
        while True:
            self._changed = anyio.Event()
            try:
                await self.catch_up()
            except (ModelError, StoreRefused) as error:
                fault = error.fault if isinstance(error, ModelError) else error.code
                log.warning("vectors.wait", fault=fault, seconds=rest)
                self._count("failed", 1)
                await anyio.sleep(rest)
                rest = min(2 * rest, REST_SECONDS[1])
            else:
                rest = REST_SECONDS[0]
                await self._changed.wait()
                await self._quiet()

    async def catch_up(self) -> None:
        """Make every vector that is missing; raises ``ModelError`` and ``StoreRefused``."""
        if self._space is None:
            await self._embedder.embed([PROBE])  # its dimension shows in its first answer
            model, dimension = self._embedder.name, self._embedder.dimension
            self._space = await self._store.transact(
                lambda db: open_space(db, model=model, dimension=dimension)
            )
        while True:
            space, after = self._space, self._after
            stretch = await self._store.read(lambda db: due(db, space, self._companions, after))  # noqa: B023  # read at once
            if stretch.upto is None:
                return
            for first in range(0, len(stretch.due), BATCH):
                await self._make(space, stretch.due[first : first + BATCH])
            self._after = stretch.upto

    async def _make(self, space: int, messages: tuple[Due, ...]) -> None:
        began = time.monotonic()
        made = await self._embedded(messages)
        kept = await self._store.transact(lambda db: keep(db, space, made))
        self._count("kept", kept)
        await anyio.sleep(min(PAUSE, time.monotonic() - began))

    async def _embedded(self, messages: tuple[Due, ...]) -> list[tuple[Due, bytes]]:
        """The vectors of ``messages``; one that the embedder cannot read, though it is there, is passed over."""
        try:
            vectors = await self._embedder.embed([head_and_tail(each.text) for each in messages])
        except ModelError as error:
            if error.fault not in {"refused", "broken"}:
                raise
            if len(messages) == 1:
                await self._embedder.embed([PROBE])  # raises when it is not the text
                self._count("passed_over", 1)
                return []
            return [each for message in messages for each in await self._embedded((message,))]
        return [(message, pressed(vector)) for message, vector in zip(messages, vectors, strict=True)]

    async def _quiet(self) -> None:
        first = time.monotonic()
        while True:
            now = time.monotonic()
            until = min(self._last + QUIET_SECONDS, first + LONGEST_SECONDS)
            if now >= until:
                return
            await anyio.sleep(until - now)
