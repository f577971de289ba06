"""Where a request comes from: which names this server answers under, which pages may open a WebSocket, who is near."""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from websockets.datastructures import Headers

from server.settings import Listen

PROXIED = frozenset(
    {
        "cdn-loop",
        "client-ip",
        "fastly-client-ip",
        "fly-client-ip",
        "forwarded",
        "forwarded-for",
        "proxy-authorization",
        "proxy-connection",
        "true-client-ip",
        "via",
        "x-client-ip",
        "x-cluster-client-ip",
        "x-forwarded",
        "x-original-host",
        "x-original-url",
        "x-proxyuser-ip",
        "x-real-ip",
        "x-remote-addr",
        "x-remote-ip",
        "x-rewrite-url",
    }
)
"""What a proxy writes: then the neighbour is the proxy, and who asks is elsewhere."""

PROXIES_OWN = (
    "cf-",
    "tailscale-",
    "x-amzn-",
    "x-envoy-",
    "x-forwarded-",
    "x-original-forwarded-",
    "x-tunnel-",
)
"""How what a proxy, a tunnel or a gateway calls its own begins."""


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who asks, as far as a request tells it. ``near``: on this machine. ``own``: from no page, or one of ours."""

    address: str
    near: bool
    own: bool
    bearer: str | None = None


def caller_of(headers: Headers, address: str) -> Caller:
    """The caller of a request with ``headers`` from ``address``."""
    kind, _, shown = headers.get("Authorization", "").partition(" ")
    return Caller(
        address=address,
        near=is_loopback(address) and not came_through_proxy(headers),
        own=is_own(headers.get("Origin"), headers.get("Host", "")),
        bearer=shown.strip() if kind.lower() == "bearer" and shown.strip() else None,
    )


def came_through_proxy(headers: Headers) -> bool:
    """Whether somebody between says so. A proxy that adds nothing is not seen: docs/operating.md says what to do."""
    return any(name in PROXIED or name.startswith(PROXIES_OWN) for name in map(str.lower, headers))


def is_loopback(host: str) -> bool:
    """Whether an address is of this machine alone; a name is not an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_allowed(host: str, settings: Listen) -> bool:
    """Whether ``Host`` is an address, this machine, a name the server is known by, or that of an allowed origin.

    A name of somebody else's that leads here is refused: that is how a page elsewhere would reach a server at home.
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:  # a bracket that is not closed
        return False
    if name in ("localhost", settings.host.lower()) or name.endswith(".localhost"):
        return True
    if name in {urlsplit(origin).hostname for origin in settings.origins}:
        return True
    if name in {each.lower() for each in settings.names}:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def origin_allowed(origin: str | None, host: str, settings: Listen) -> bool:
    """Whether a WebSocket from ``origin`` may open: none (a program), this very site, or an exact one of the list."""
    return is_own(origin, host) or origin in settings.origins


def is_own(origin: str | None, host: str) -> bool:
    """Whether a request comes from a program, which names no origin, or from a page of the site it asks."""
    if origin is None:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:  # as above
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower() and parts.path == ""
