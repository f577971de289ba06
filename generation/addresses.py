"""What a server's address says: whether it can be used, and whether it is this machine.

It is read by the parser that also connects, so no spelling means one host here and another there. That parser comes
with the HTTP library, which is loaded when an address is read, and not before: a server whose companions use their own
words is ready a tenth of a second sooner.
"""

from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx


def address_fault(url: str) -> str | None:
    """What is wrong with a server's address, in words for whoever wrote it; None when it can be used."""
    parsed = _parsed(url)
    if parsed is None:
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
    """Whether the server at ``url`` is this machine: ``localhost`` or a loopback address, nothing else (D29)."""
    parsed = _parsed(url)
    if parsed is None:
        return False
    if parsed.host == "localhost":
        return True
    try:
        address = ip_address(parsed.host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return (mapped or address).is_loopback


def _parsed(url: str) -> "httpx.URL | None":
    import httpx  # see above

    try:
        return httpx.URL(url)
    except httpx.InvalidURL:
        return None
