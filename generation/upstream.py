"""A model server, as those see it who ask it.

The HTTP library behind it (``generation.http``) costs a quarter of a second to load, in which a server that was killed
would let nobody in again. So it is loaded by the first request, or beside the first talks, by whoever calls
``adapter`` on another thread.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Protocol

import anyio.to_thread

from companions.ports import ModelError

if TYPE_CHECKING:
    from generation.http import Line

MOST_ERROR_BYTES = 16 * 1024


class BrokenConnectionError(ModelError):
    """The connection ended before the answer did."""

    def __init__(self) -> None:
        super().__init__("broken", "the connection to the model server broke")


class Response(Protocol):
    """An open answer: its status, and its bytes as they come."""

    status: int
    headers: Mapping[str, str]

    def chunks(self) -> AsyncGenerator[bytes]:
        """The bytes as they come. Raises ``ModelError`` when the connection breaks."""
        ...

    async def start_of_body(self, most_bytes: int = MOST_ERROR_BYTES) -> bytes:
        """The first bytes of the body; by default enough of an error's to see what it is about."""
        ...


class Upstream:
    """A model server: requests go to it and nowhere else."""

    def __init__(self, url: str, *, most_connections: int) -> None:
        self._url = url
        self._most_connections = most_connections
        self._line: Line | None = None

    @asynccontextmanager
    async def get(self, path: str, headers: Mapping[str, str]) -> AsyncGenerator[Response]:
        """A question without a body; leaving closes the connection when the answer is not read to its end."""
        async with (await self._opened()).get(path, headers) as response:
            yield response

    @asynccontextmanager
    async def post(self, path: str, headers: Mapping[str, str], body: bytes) -> AsyncGenerator[Response]:
        """A request; leaving closes the connection when the answer is not read to its end."""
        async with (await self._opened()).post(path, headers, body) as response:
            yield response

    async def close(self) -> None:
        """Close what is open."""
        if self._line is not None:
            await self._line.close()

    async def _opened(self) -> "Line":
        if not adapter.cache_info().currsize:
            await anyio.to_thread.run_sync(adapter)
        if self._line is None:
            self._line = adapter()(self._url, most_connections=self._most_connections)
        return self._line


@asynccontextmanager
async def upstream(url: str, *, most_connections: int) -> AsyncGenerator[Upstream]:
    """Connections to the server at ``url``, made when they are needed and closed at the end."""
    server = Upstream(url, most_connections=most_connections)
    try:
        yield server
    finally:
        await server.close()


@cache
def adapter() -> "type[Line]":
    """What asks a server over HTTP, with its library; the first call takes a quarter of a second."""
    from generation.http import Line  # see above

    return Line
