"""TLS of the server that runs: what it listens with, and its renewal while it does."""

import ssl
from pathlib import Path

import anyio
import anyio.to_thread
import structlog

from server import certificates
from server.settings import BadSetting
from server.static import Page
from storage.lock import FolderUnusable

LOOK_SECONDS = 12 * 3_600.0

log: structlog.stdlib.BoundLogger = structlog.get_logger("tls")


def tls_of(folder: Path) -> ssl.SSLContext | None:
    """What to listen with; None where no certificate was made. Renews one that ends soon.

    Raises ``BadSetting``, and ``FolderUnusable`` where nobody can look into the folder.
    """
    try:
        made = (folder / certificates.FOLDER / certificates.SERVER).exists()
    except OSError as error:
        raise FolderUnusable(f"the data folder {folder} cannot be used: {error.strerror}") from None
    if not made:
        return None
    try:
        _renewed(folder)
        return certificates.server_context(folder)
    except (OSError, ValueError) as error:
        why = f"cannot be used ({type(error).__name__}); make it anew with `fireside init --tls`"
        raise BadSetting("tls", str(folder / certificates.FOLDER), why, "data folder") from None


def _renewed(folder: Path) -> None:
    """Renew what ends soon; on a disk that cannot be written what there is goes on, as long as it lasts."""
    try:
        if _renewed_now(folder):
            log.info("tls.renewed")
    except OSError as error:
        log.warning("tls.not_renewed", error=type(error).__name__)


def _renewed_now(folder: Path) -> bool:
    from server import (
        authority,  # late: most servers have no certificate, and start sooner without cryptography
    )

    return authority.renewed(folder, authority.now())


async def renewing(context: ssl.SSLContext, folder: Path) -> None:
    """Renew the certificate when it ends soon, for ever; connections that are open keep theirs."""
    while True:
        await anyio.sleep(LOOK_SECONDS)
        try:
            if await anyio.to_thread.run_sync(_renewed_now, folder):
                certificates.load_certificate(context, folder)
                log.info("tls.renewed")
        except (OSError, ValueError) as error:
            log.warning("tls.not_renewed", error=type(error).__name__)


def authority_page(folder: Path) -> dict[str, Page]:
    """The authority's certificate, for devices that are to trust it; it is no secret."""
    file = folder / certificates.FOLDER / certificates.AUTHORITY
    if not file.exists():
        return {}
    return {f"/{certificates.AUTHORITY}": Page(file.read_bytes(), "application/x-x509-ca-cert")}
