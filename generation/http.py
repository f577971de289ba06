"""The one place that knows the HTTP library.

httpx's own transport costs two to three times as much for each streamed token as aiohttp's does under the
same interface, so that one is used; callers see neither. A server is asked directly: no proxy and no
password file of the environment, no cookies, no redirects, no compression. Foreign errors become
``ModelError`` here.
"""

import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from functools import partial
from typing import cast

import aiohttp
import anyio
import httpx
from httpx_aiohttp import AiohttpTransport

from companions.ports import ModelError
from generation.upstream import MOST_ERROR_BYTES, BrokenConnectionError

CONNECT_SECONDS = 5.0
CLOSE_SECONDS = 1.0  # to say goodbye to a server that does not listen
KEEP_SECONDS = 60.0  # an idle connection stays open for the next turn
NOTHING = httpx.ByteStream(b"")
FOREIGN = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, aiohttp.ClientError, OSError)


class Response:
    """An open answer: its status, and its bytes as they come."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self.status = response.status_code
        self.headers: Mapping[str, str] = response.headers

    async def chunks(self) -> AsyncGenerator[bytes]:
        """The bytes as they come. Raises ``ModelError`` when the connection breaks."""
        # Not aiter_raw: its chunker and its bookkeeping cost as much as the rest of the way together.
        stream = cast("AsyncIterator[bytes]", self._response.stream)  # httpx types it for both its clients
        try:
            async for chunk in stream:
                yield chunk
        except FOREIGN:
            raise BrokenConnectionError from None

    async def start_of_body(self, most_bytes: int = MOST_ERROR_BYTES) -> bytes:
        """The first bytes of the body; by default enough of an error's to see what it is about."""
        body = b""
        async with aclosing(self.chunks()) as chunks:
            async for chunk in chunks:
                body += chunk
                if len(body) >= most_bytes:
                    break
        return body[:most_bytes]


class Line:
    """A model server: requests go to it and nowhere else. The first one connects; ``close`` ends what is open."""

    def __init__(self, url: str, *, most_connections: int) -> None:
        tls = tls_of(url)
        self._client = httpx.AsyncClient(
            transport=AiohttpTransport(
                client=partial(_session, most_connections, tls), verify=tls, trust_env=False
            ),
            base_url=url,
            headers={"accept-encoding": "identity", "user-agent": "fireside"},
            timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
            follow_redirects=False,
            trust_env=False,
        )

    async def close(self) -> None:
        """Close what is open."""
        await self._client.aclose()

    @asynccontextmanager
    async def get(self, path: str, headers: Mapping[str, str]) -> AsyncGenerator[Response]:
        """A question without a body; leaving closes the connection when the answer is not read to its end."""
        async with self._sent("GET", path, headers, None) as response:
            yield response

    @asynccontextmanager
    async def post(self, path: str, headers: Mapping[str, str], body: bytes) -> AsyncGenerator[Response]:
        """A request; leaving closes the connection when the answer is not read to its end."""
        async with self._sent(
            "POST", path, {**headers, "content-type": "application/json"}, body
        ) as response:
            yield response

    @asynccontextmanager
    async def _sent(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None
    ) -> AsyncGenerator[Response]:
        request = self._client.build_request(method, path.lstrip("/"), headers=dict(headers), content=body)
        try:
            response = await self._client.send(request, stream=True)
        except FOREIGN:
            raise ModelError("unreachable", "the model server can not be reached") from None
        try:
            yield Response(response)
        finally:
            with anyio.move_on_after(CLOSE_SECONDS, shield=True):
                await response.aclose()
            response.stream = NOTHING  # it holds the response, which only the collector would find then


def tls_of(url: str) -> ssl.SSLContext:
    """How a server proves who it is: by the system's certificates, to which an operator can add an own one.

    Reading them takes a tenth of a second on a small machine, so it is left out where there is no TLS; the
    empty context trusts nobody.
    """
    if url.lower().startswith("https:"):
        return ssl.create_default_context()
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _session(most_connections: int, tls: ssl.SSLContext) -> aiohttp.ClientSession:
    connector = aiohttp.TCPConnector(limit=most_connections, keepalive_timeout=KEEP_SECONDS, ssl=tls)
    return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar(), trust_env=False)
