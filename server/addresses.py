"""Under which address another device finds this server."""

import socket

from server.origins import is_loopback
from server.settings import Listen

EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104  # compared, not bound


def address_for_devices(settings: Listen, port: int, *, secure: bool) -> str:
    """The address of the pages as a device in the same network reaches them: by a name that was set, else by number."""
    host = settings.names[0] if settings.names else settings.host
    if host in EVERYWHERE:
        host = own_address()
    if host == "localhost" or is_loopback(host):
        host = "localhost"
    return f"{'https' if secure else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"


def own_address() -> str:
    """This machine's address in its network; nothing is sent to find it out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address for documentation: only the route is looked up
            found: str = probe.getsockname()[0]
        except OSError:
            return "localhost"
        return found
