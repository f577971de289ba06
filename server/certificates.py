"""The certificates in the data folder, as the server shows them; how they are made: ``server.authority``."""

import ssl
from pathlib import Path

FOLDER = "tls"
AUTHORITY, AUTHORITY_KEY = "authority.crt", "authority.key"
SERVER, SERVER_KEY = "server.crt", "server.key"


def server_context(folder: Path) -> ssl.SSLContext | None:
    """What the server listens with; None where no certificate was made."""
    if not (folder / FOLDER / SERVER).exists():
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    load_certificate(context, folder)
    return context


def load_certificate(context: ssl.SSLContext, folder: Path) -> None:
    """Have ``context`` show the certificate there is now to whoever connects from here on."""
    context.load_cert_chain(folder / FOLDER / SERVER, folder / FOLDER / SERVER_KEY)
