"""``fireside init --tls``: an authority of this house's own, and a certificate for the names of this machine."""

import os
import socket
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from server import authority, certificates
from server.addresses import own_address
from server.cli_folder import ConfigFile, Data
from server.plain_words import said_plainly
from server.settings import load


def init(
    *,
    tls: Annotated[bool, Parameter(help="Make certificates for HTTPS and WSS.", negative=())] = False,
    name: Annotated[
        tuple[str, ...],
        Parameter(help="A further name or address of this machine; may come again.", negative=()),
    ] = (),
    anew: Annotated[
        bool, Parameter(help="Another authority; every device has to trust it anew.", negative=())
    ] = False,
    config: ConfigFile = None,
    data: Data = None,
) -> None:
    """Prepare this installation to be reached by other devices, with TLS.

    Makes an authority (once) and a certificate for localhost, this machine's name and address, and what is named; run
    again it renews the certificate. `fireside serve` uses it from its next start and renews it by itself.

    For example:

        fireside init --tls --name fireside.local
    """
    if not tls:
        raise SystemExit("There is nothing to prepare but certificates: fireside init --tls")
    given = {"data.folder": str(data) if data is not None else None}
    settings = load(config, os.environ, given).settings
    names = _names((*name, *settings.listen.names))
    with said_plainly(settings.folder):
        if anew or not authority.has_authority(settings.folder):
            authority.make_authority(settings.folder, names, authority.now())
        try:
            authority.make_certificate(settings.folder, names, authority.now())
        except authority.NoSuchName as strange:
            raise SystemExit(
                f"The authority there is does not vouch for {strange}. "
                "Make another with --anew; every device has to trust it anew."
            ) from None
    where = settings.folder / certificates.FOLDER / certificates.AUTHORITY
    print(f"The certificate is for: {', '.join(names)}")
    print(f"Devices have to trust the authority {where}, also served as /authority.crt.")
    print(f"Its fingerprint (SHA-256): {authority.fingerprint(settings.folder)}")


def _names(further: tuple[str, ...]) -> tuple[str, ...]:
    machine = socket.gethostname().lower()
    local = (f"{machine}.local",) if "." not in machine else ()
    return tuple(dict.fromkeys((*further, "localhost", *local, "127.0.0.1", "::1", *_addresses())))


def _addresses() -> tuple[str, ...]:
    found = own_address()
    return () if found == "localhost" else (found,)


def authority_line(folder: Path) -> str | None:
    """What to compare when a device is to trust the authority; None without one."""
    if not authority.has_authority(folder):
        return None
    return f"The authority's fingerprint (SHA-256): {authority.fingerprint(folder)}"
