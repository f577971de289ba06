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
from ipaddress import IPv6Address, ip_address
from typing import cast

import aiohttp
import anyio
import httpx
from httpx_aiohttp import AiohttpTransport

from companions.ports import ModelError

CONNECT_SECONDS = 5.0
CLOSE_SECONDS = 1.0  # to say goodbye to a server that does not listen
KEEP_SECONDS = 60.0  # an idle connection stays open for the next turn
MOST_ERROR_BYTES = 16 * 1024
NOTHING = httpx.ByteStream(b"")
FOREIGN = (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, aiohttp.ClientError, OSError)


class BrokenConnectionError(ModelError):
    """The connection ended before the answer did."""

    def __init__(self) -> None:
        super().__init__("broken", "the connection to the model server broke")


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


class Upstream:
    """A model server: requests go to it and nowhere else."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client

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


@asynccontextmanager
async def upstream(url: str, *, most_connections: int) -> AsyncGenerator[Upstream]:
    """Connections to the server at ``url``, closed at the end."""
    tls = tls_of(url)
    session = partial(_session, most_connections, tls)
    transport = AiohttpTransport(client=session, verify=tls, trust_env=False)
    async with httpx.AsyncClient(
        transport=transport,
        base_url=url,
        headers={"accept-encoding": "identity", "user-agent": "fireside"},
        timeout=httpx.Timeout(None, connect=CONNECT_SECONDS),
        follow_redirects=False,
        trust_env=False,
    ) as client:
        yield Upstream(client)


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


def address_fault(url: str) -> str | None:
    """What is wrong with a server's address, in words for whoever wrote it; None when it can be used."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        return "is not a URL"
    if parsed.scheme not in ("http", "https"):
        return "must begin with http:// or https://"
    if not parsed.host:
        return "names no host"
    if parsed.userinfo:
        return "carries a password; give the key as a setting instead"
    if parsed.query or parsed.fragment:
        return "must end with its path"
    return None


def is_local(url: str) -> bool:
    """Whether the server at ``url`` is this machine: ``localhost`` or a loopback address, nothing else (D29).

    The host is read by the parser that also connects, so no spelling means one host here and another there.
    """
    try:
        host = httpx.URL(url).host
    except httpx.InvalidURL:
        return False
    if host == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback
