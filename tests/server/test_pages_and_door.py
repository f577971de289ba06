"""The one port: pages, health and metrics by GET, and who may open the WebSocket."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import anyio.to_thread
import pytest
from msgspec.structs import replace
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from loadtest.client import connected
from server.settings import Limits, Listen
from server.static import CONTENT_SECURITY_POLICY, pages
from tests.server.serving import serving, settings, with_limits

HOME = "http://127.0.0.1:{port}"


class Answered:
    """A response, read whole."""

    def __init__(self, response: HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()


async def asked(port: int, path: str, *, method: str = "GET", host: str | None = None) -> Answered:
    """One request over a connection of its own."""

    def ask() -> Answered:
        connection = HTTPConnection("127.0.0.1", port, timeout=10)
        try:
            connection.putrequest(method, path, skip_host=host is not None)
            if host is not None:
                connection.putheader("Host", host)
            connection.endheaders()
            return Answered(connection.getresponse())
        finally:
            connection.close()

    return await anyio.to_thread.run_sync(ask)


@asynccontextmanager
async def house(
    folder: Path, *, listen: Listen | None = None, limits: Limits | None = None
) -> AsyncGenerator[int]:
    """A server; its port."""
    chosen = settings(folder)
    if listen is not None:
        chosen = replace(chosen, listen=listen)
    if limits is not None:
        chosen = with_limits(chosen, limits)
    async with serving(chosen) as url:
        yield int(url.rsplit(":", 1)[1].removesuffix("/ws"))


async def test_every_page_comes_with_its_kind_and_a_strict_policy(tmp_path: Path) -> None:
    async with house(tmp_path) as port:
        for path, page in pages().items():
            got = await asked(port, path)
            assert (got.status, got.headers["content-type"], got.body) == (200, page.kind, page.content)
            assert got.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
            assert got.headers["x-content-type-options"] == "nosniff"
            assert got.headers["referrer-policy"] == "no-referrer"
            assert got.headers["cache-control"] == "no-store"
            assert "server" not in got.headers
            assert "microphone=()" in got.headers["permissions-policy"].split(", ")
    assert "'unsafe" not in CONTENT_SECURITY_POLICY
    assert "http" not in CONTENT_SECURITY_POLICY


def test_no_page_listens_or_speaks() -> None:
    """A browser may recognise and make speech on somebody else's computer (D29)."""
    speech = re.compile(
        rb"getUserMedia|SpeechRecognition|speechSynthesis|SpeechSynthesis|<audio|new Audio", re.IGNORECASE
    )
    assert [path for path, page in pages().items() if speech.search(page.content)] == []


async def test_the_policy_is_on_every_answer(tmp_path: Path) -> None:
    async with house(tmp_path) as port:
        for path in (
            "/nothing",
            "/companion.json",
            "/companion.json?companion=nobody",
            "/healthz",
            "/metrics",
        ):
            assert (await asked(port, path)).headers["content-security-policy"] == CONTENT_SECURITY_POLICY


async def test_health_says_that_it_serves(tmp_path: Path) -> None:
    async with house(tmp_path) as port:
        got = await asked(port, "/healthz")
        assert (got.status, got.headers["content-type"]) == (200, "application/json")
        assert b'"ok"' in got.body


@pytest.mark.parametrize(
    "path",
    ["/nothing", "/../pyproject.toml", "/%2e%2e/x", "/pages/index.html", "/companion.json?companion=nobody"],
)
async def test_what_is_not_there_is_not_found(tmp_path: Path, path: str) -> None:
    async with house(tmp_path) as port:
        assert (await asked(port, path)).status == 404


async def test_head_is_answered_and_what_would_change_something_is_not_taken(tmp_path: Path) -> None:
    async with house(tmp_path) as port:
        head = await asked(port, "/", method="HEAD")
        assert (head.status, head.body) == (200, b"")
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            assert (await asked(port, "/", method=method)).status == 405


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:{port}", 200),
        ("localhost:{port}", 200),
        ("kiosk.localhost", 200),
        ("[::1]:{port}", 200),
        ("192.168.1.20:{port}", 200),
        ("evil.example", 421),
        ("localhost.evil.example", 421),
        ("127.0.0.1.evil.example:{port}", 421),
        ("evil.example:{port}", 421),
        ("", 421),
    ],
)
async def test_a_request_names_this_house(tmp_path: Path, host: str, status: int) -> None:
    async with house(tmp_path) as port:
        for path in ("/", "/healthz", "/metrics"):
            assert (await asked(port, path, host=host.format(port=port))).status == status


@pytest.mark.parametrize(
    ("origin", "opens"),
    [
        (None, True),
        (HOME, True),
        ("https://allowed.example", True),
        ("https://allowed.example:8443", False),
        ("http://allowed.example", False),
        ("https://allowed.example.evil.example", False),
        ("https://evil-allowed.example", False),
        ("https://evil.example", False),
        ("null", False),
        ("file://", False),
        ("http://127.0.0.1", False),
        ("http://127.0.0.1:1{port}", False),
        ("http://127.0.0.1:{port}.evil.example", False),
        ("http://evil.example@127.0.0.1:{port}", False),
        ("ftp://127.0.0.1:{port}", False),
        ("http://127.0.0.1:{port}/", False),
        ("", False),
    ],
)
async def test_a_websocket_opens_from_this_site_and_those_listed_alone(
    tmp_path: Path, origin: str | None, opens: bool
) -> None:
    async with house(tmp_path, listen=Listen(port=0, origins=("https://allowed.example",))) as port:
        named = {} if origin is None else {"Origin": origin.format(port=port)}
        url = f"ws://127.0.0.1:{port}/ws"
        if opens:
            async with connect(url, additional_headers=named, proxy=None) as socket:
                assert socket.response is not None
                assert socket.response.status_code == 101
            return
        with pytest.raises(InvalidStatus) as refused:
            async with connect(url, additional_headers=named, proxy=None):
                pass
        assert refused.value.response.status_code == 403


@pytest.mark.parametrize("name", ["Host", "Origin", "Authorization"])
async def test_who_asks_is_said_once(tmp_path: Path, name: str) -> None:
    async with house(tmp_path) as port:
        twice = {"Host": f"127.0.0.1:{port}"} if name == "Host" else {name: "http://evil.example"}
        lines = [f"Host: 127.0.0.1:{port}", *(f"{each}: {value}" for each, value in twice.items())]
        lines += [] if name == "Host" else lines[1:]
        async with await anyio.connect_tcp("127.0.0.1", port) as line:
            await line.send("\r\n".join(["GET /metrics HTTP/1.1", *lines, "", ""]).encode())
            assert (await line.receive()).startswith(b"HTTP/1.1 400 ")


async def test_a_websocket_names_this_house_too(tmp_path: Path) -> None:
    async with house(tmp_path) as port:
        with pytest.raises(InvalidStatus) as refused:
            async with connect(f"ws://evil.example:{port}/ws", host="127.0.0.1", port=port, proxy=None):
                pass
        assert refused.value.response.status_code == 421


async def test_the_websocket_has_one_place(tmp_path: Path) -> None:
    async with house(tmp_path) as port:
        with pytest.raises(InvalidStatus) as refused:
            async with connect(f"ws://127.0.0.1:{port}/", proxy=None):
                pass
        assert refused.value.response.status_code == 200  # it is a page, and no door
        assert (await asked(port, "/ws")).status in (400, 426)


async def test_beyond_the_cap_a_connection_is_told_to_come_later_and_pages_go_on(tmp_path: Path) -> None:
    limits = Limits(connections=2, drain_seconds=1.0, commands_per_second=1_000.0)
    async with house(tmp_path, limits=limits) as port:
        url = f"ws://127.0.0.1:{port}/ws"
        async with connected(url) as one, connected(url) as two:
            await one.hello()
            await two.hello()
            with pytest.raises(InvalidStatus) as refused:
                async with connected(url):
                    pass
            assert refused.value.response.status_code == 503
            assert (await asked(port, "/healthz")).status == 200
            assert (await one.talk("Hello.")).status == "completed"
        with anyio.fail_after(60):
            while True:
                try:
                    async with connected(url) as three:
                        await three.hello()
                        break
                except InvalidStatus:  # the server has not seen the others leave yet
                    await anyio.sleep(0.01)
