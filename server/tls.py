"""TLS of the server that runs: what it listens with, and its renewal while it does."""

import ssl
from pathlib import Path

import anyio
import anyio.to_thread
import structlog

from server import authority
from server.settings import BadSetting
from server.static import Page

LOOK_SECONDS = 12 * 3_600.0

log: structlog.stdlib.BoundLogger = structlog.get_logger("tls")


def tls_of(folder: Path) -> ssl.SSLContext | None:
    """What to listen with; None where no certificate was made. Renews one that ends soon; raises ``BadSetting``."""
    try:
        if (folder / authority.FOLDER / authority.SERVER).exists():
            _renewed(folder)
        return authority.server_context(folder)
    except (OSError, ValueError) as error:
        why = f"cannot be used ({type(error).__name__}); make it anew with `fireside init --tls`"
        raise BadSetting("tls", str(folder / authority.FOLDER), why, "data folder") from None


def _renewed(folder: Path) -> None:
    """Renew what ends soon; on a disk that cannot be written what there is goes on, as long as it lasts."""
    try:
        if authority.renewed(folder, authority.now()):
            log.info("tls.renewed")
    except OSError as error:
        log.warning("tls.not_renewed", error=type(error).__name__)


async def renewing(context: ssl.SSLContext, folder: Path) -> None:
    """Renew the certificate when it ends soon, for ever; connections that are open keep theirs."""
    while True:
        await anyio.sleep(LOOK_SECONDS)
        try:
            if await anyio.to_thread.run_sync(authority.renewed, folder, authority.now()):
                authority.load_certificate(context, folder)
                log.info("tls.renewed")
        except (OSError, ValueError) as error:
            log.warning("tls.not_renewed", error=type(error).__name__)


def authority_page(folder: Path) -> dict[str, Page]:
    """The authority's certificate, for devices that are to trust it; it is no secret."""
    file = folder / authority.FOLDER / authority.AUTHORITY
    if not file.exists():
        return {}
    return {f"/{authority.AUTHORITY}": Page(file.read_bytes(), "application/x-x509-ca-cert")}
