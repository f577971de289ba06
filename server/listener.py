"""The one port: pages, health and metrics by GET, and the WebSocket at ``/ws``.

``Host`` and ``Origin`` are checked on every request, so that no page of another site can reach the server of this
house (DNS rebinding, cross-site WebSocket). Everything that changes anything is a frame on the WebSocket.
"""

import errno
import http
import json
import socket
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import anyio
import structlog
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from protocol.frames import SUBPROTOCOLS
from server.connection import Connection, Door
from server.metered import metered
from server.origins import caller_of, host_allowed, is_loopback, origin_allowed
from server.settings import BadSetting, Listen
from server.static import CONTENT_SECURITY_POLICY, PERMISSIONS_POLICY, Page
from server.tickets import PATH, Download
from storage.refusals import StoreRefused

SEND_BUFFER = 64 * 1024
"""Bytes of the kernel's send buffer (Linux takes twice that): what a client that does not read may cost."""

ONCE = ("Host", "Origin", "Authorization")
"""What decides who asks: said twice, it could be read one way here and another way by somebody between."""

log: structlog.stdlib.BoundLogger = structlog.get_logger("listener")


@dataclass(frozen=True, kw_only=True)
class Site:
    """What is served by GET."""

    pages: Mapping[str, Page]
    companion: Callable[[str | None], dict[str, object] | None]  # the page's words and theme
    health: Callable[[], tuple[bool, dict[str, object]]]
    metrics: Callable[[], bytes]
    download: Callable[[str], Awaitable[Download | None]]  # what a ticket's path gives, once


class CannotListen(Exception):
    """The address or the port cannot be had. The message says which and why."""

    def __init__(self, settings: Listen, error: OSError) -> None:
        if error.errno == errno.EADDRINUSE:
            said = f"port {settings.port} of {settings.host} is in use by another program; choose another with --port"
        elif error.errno in (errno.EACCES, errno.EPERM):
            said = f"port {settings.port} needs more rights than this user has; choose one above 1023 with --port"
        else:
            why = error.strerror or error
            said = f"{settings.host} is no address of this machine ({why}); choose another with --host"
        super().__init__(said)


@asynccontextmanager
async def listening(
    settings: Listen, door: Door, site: Site, tls: ssl.SSLContext | None = None
) -> AsyncGenerator[Server]:
    """Serve until left; ``CannotListen`` where the port cannot be had.

    Connections that are still open at the end are closed by the sessions' drain; here only what has no session.
    """
    open_sockets: set[ServerConnection] = set()

    async def handle(connection: ServerConnection) -> None:
        open_sockets.add(connection)  # not before: a request that is no WebSocket after all never comes here
        door.metrics.connections.inc()
        try:
            await Connection(connection, door).serve()
        except Exception as error:
            log.exception("connection.failed", error=type(error).__name__)
            await connection.close(1011, "The server failed at this connection.")
        finally:
            door.metrics.connections.dec()
            open_sockets.discard(connection)

    async def request(connection: ServerConnection, asked: Request) -> Response | None:
        peer = str(connection.remote_address[0]) if connection.remote_address else ""
        if any(len(asked.headers.get_all(name)) > 1 for name in ONCE):
            return _text(
                http.HTTPStatus.BAD_REQUEST, "A request says once where it comes from and goes to.\n"
            )
        full = len(open_sockets) >= door.limits.connections
        try:
            path = urlsplit(asked.path).path
        except ValueError:  # a bracket that is not closed
            return _text(http.HTTPStatus.BAD_REQUEST, "This is no address.\n")
        caller = caller_of(asked.headers, peer)
        near = caller.near
        if path == "/metrics" and not near and caller.bearer is not None:
            near = await door.entrance.is_admin(caller.bearer)
        response = answer(settings, site, asked, full=full, near=near)
        if response is None and _upgrades(asked) and not door.pace.opens(peer):
            return _text(http.HTTPStatus.SERVICE_UNAVAILABLE, "Too many at once; come back a little later.\n")
        if (
            path.startswith(PATH)
            and response is not None
            and response.status_code == http.HTTPStatus.NOT_FOUND
        ):
            return await _downloaded(site, path, asked.method)
        return response

    starting = serve(
        handle,
        settings.host,
        settings.port,
        ssl=tls,
        process_request=request,
        select_subprotocol=choose_subprotocol,
        compression=None,
        max_size=door.limits.frame_bytes,
        max_queue=4,
        write_limit=16_384,
        open_timeout=door.limits.open_seconds,
        ping_interval=door.limits.heartbeat_seconds,
        ping_timeout=door.limits.heartbeat_timeout_seconds,
        close_timeout=1,
        server_header=None,
        create_connection=metered(door.limits.commands_per_second),
    )
    try:
        server = await starting
    except OSError as error:
        raise CannotListen(settings, error) from None
    for listener in server.sockets:  # connections take it over
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    try:
        yield server
    finally:
        server.close(close_connections=False)
        async with anyio.create_task_group() as closing:  # together: each may take a second
            for connection in list(open_sockets):
                closing.start_soon(connection.close, 1001, "The server stops.")
        server.close()
        await server.wait_closed()


def check_network(settings: Listen, *, secure: bool = False) -> None:
    """Refuse to serve a network by accident: what is said would cross it in the clear, and nobody is asked who
    they are."""
    if (
        not secure
        and not settings.plain_network
        and settings.host != "localhost"
        and not is_loopback(settings.host)
    ):
        reason = (
            "is more than this machine; make certificates with `fireside init --tls`, "
            "or set listen.plain_network = true if the network itself is trusted"
        )
        raise BadSetting("listen.host", settings.host, reason, "settings")


def choose_subprotocol(_socket: ServerConnection, offered: Sequence[Subprotocol]) -> Subprotocol | None:
    """The first offered one that is spoken here; none for none; of unknown ones the first, to be refused by a code."""
    for each in offered:
        if each in SUBPROTOCOLS:
            return each
    return offered[0] if offered else None


def answer(settings: Listen, site: Site, asked: Request, *, full: bool, near: bool = True) -> Response | None:
    """The response to a request; None when it is a WebSocket that may be opened."""
    host = asked.headers.get("Host", "")
    if not host_allowed(host, settings):
        return _text(http.HTTPStatus.MISDIRECTED_REQUEST, "This server does not answer under that name.\n")
    if asked.method not in ("GET", "HEAD"):
        return _text(
            http.HTTPStatus.METHOD_NOT_ALLOWED, "This is read only; a change is a frame on the WebSocket.\n"
        )
    target = urlsplit(asked.path)
    if target.path == "/ws":
        return _door(settings, asked, host, full=full)
    if target.path == "/metrics" and not near:
        return _text(
            http.HTTPStatus.FORBIDDEN, "Figures are given on this machine, or with an admin's token.\n"
        )
    return _get(site, target.path, target.query)


def _door(settings: Listen, asked: Request, host: str, *, full: bool) -> Response | None:
    if not origin_allowed(asked.headers.get("Origin"), host, settings):
        return _text(http.HTTPStatus.FORBIDDEN, "This origin may not connect.\n")
    if full:
        return _text(http.HTTPStatus.SERVICE_UNAVAILABLE, "Too many connections; come back a little later.\n")
    return None


def _upgrades(asked: Request) -> bool:
    """Whether a WebSocket is asked for: what else comes to its address is answered with 426, and counts for nobody.

    A page of another site can make a browser ask for the address, but not for a WebSocket without naming its origin.
    """
    return any("websocket" in named.lower() for named in asked.headers.get_all("Upgrade"))


def _get(site: Site, path: str, query: str) -> Response:
    if path == "/healthz":
        well, state = site.health()
        status = http.HTTPStatus.OK if well else http.HTTPStatus.SERVICE_UNAVAILABLE
        return _bytes(status, json.dumps(state).encode(), "application/json")
    if path == "/metrics":
        return _bytes(http.HTTPStatus.OK, site.metrics(), "text/plain; version=0.0.4; charset=utf-8")
    if path == "/companion.json":
        named = parse_qs(query).get("companion", [])
        found = site.companion(named[0] if named else None)
        if found is None:
            return _text(http.HTTPStatus.NOT_FOUND, "There is no companion of that name.\n")
        return _bytes(http.HTTPStatus.OK, json.dumps(found).encode(), "application/json")
    named = parse_qs(query).get("companion", [])
    if path == "/" and named and site.companion(named[0]) is None:
        return _home()
    page = site.pages.get(path)
    if page is None:
        return _text(http.HTTPStatus.NOT_FOUND, "There is nothing here.\n")
    return _bytes(http.HTTPStatus.OK, page.content, page.kind)


async def _downloaded(site: Site, path: str, method: str) -> Response:
    """The file of a ticket; looking whether it is there does not use it up."""
    try:
        found = await site.download(path) if method == "GET" else None
    except StoreRefused as refused:
        log.warning("download.refused", code=refused.code)
        return _text(http.HTTPStatus.SERVICE_UNAVAILABLE, "The store cannot be read now; ask for it again.\n")
    if found is None:
        return _text(http.HTTPStatus.GONE, "This download was used or has lapsed; ask for it again.\n")
    response = _bytes(http.HTTPStatus.OK, found.content, found.kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{found.name}"'
    return response


def _home() -> Response:
    """An address that names nobody who is here leads to the companion that is at home."""
    found = _text(http.HTTPStatus.FOUND, "There is no companion of that name.\n")
    found.headers["Location"] = "/"
    return found


def _text(status: http.HTTPStatus, text: str) -> Response:
    return _bytes(status, text.encode(), "text/plain; charset=utf-8")


def _bytes(status: http.HTTPStatus, content: bytes, kind: str) -> Response:
    headers = Headers()
    headers["Content-Type"] = kind
    headers["Content-Length"] = str(len(content))
    headers["Cache-Control"] = "no-store"
    headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    headers["Permissions-Policy"] = PERMISSIONS_POLICY
    headers["X-Content-Type-Options"] = "nosniff"
    headers["Referrer-Policy"] = "no-referrer"
    headers["Cross-Origin-Resource-Policy"] = "same-origin"
    headers["Connection"] = "close"
    return Response(status.value, status.phrase, headers, content)
