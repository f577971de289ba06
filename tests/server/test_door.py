"""The door counts connections: those that are there, and no others."""

from pathlib import Path
from urllib.parse import urlsplit

import anyio
from msgspec.structs import replace
from websockets.asyncio.client import connect

from server.settings import Limits
from tests.server.serving import serving, settings


async def asked_in_plain_http(url: str, path: str | None = None, host: str | None = None) -> bytes:
    """The first line of the answer to a GET (of the WebSocket's address) that asks for no WebSocket."""
    at = urlsplit(url)
    async with await anyio.connect_tcp(at.hostname or "", at.port or 0) as stream:
        await stream.send(f"GET {path or at.path} HTTP/1.1\r\nHost: {host or at.netloc}\r\n\r\n".encode())
        return (await stream.receive()).split(b"\r\n")[0]


async def test_a_request_that_becomes_no_websocket_takes_no_place(tmp_path: Path) -> None:
    limits = replace(Limits(), connections=1, drain_seconds=1.0)
    async with serving(settings(tmp_path, limits=limits)) as url:
        for _ in range(3):
            assert b" 426 " in await asked_in_plain_http(url)
        async with connect(url, proxy=None) as socket:
            assert socket.response is not None
            assert socket.response.status_code == 101
            assert b" 503 " in await asked_in_plain_http(url)


async def test_an_address_or_a_name_that_is_none_is_refused_and_no_fault_of_ours(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url:
        assert b" 400 " in await asked_in_plain_http(url, path="//[")
        assert b" 421 " in await asked_in_plain_http(url, host="[::1")
