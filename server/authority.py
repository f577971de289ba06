"""A certificate authority of this house's own, and the server's certificate from it (``fireside init --tls``).

The authority may vouch for names and addresses of a local network only, so that a device that trusts it trusts it for
nothing else. Its key and the server's stay in the data folder, readable by their owner alone.
"""

import ipaddress
import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from server.certificates import AUTHORITY, AUTHORITY_KEY, FOLDER, SERVER, SERVER_KEY

AUTHORITY_DAYS, SERVER_DAYS = 3_650, 397  # longer ones are refused by some browsers
RENEWED_BEFORE = timedelta(days=30)
SOON = timedelta(days=90)  # left to have every device trust another authority
BACKDATED = timedelta(days=2)  # a tablet's clock may be behind
LOCAL_NAMES = ("localhost", "local", "lan", "home.arpa", "internal")
LOCAL_NETWORKS = (
    "127.0.0.0/8",
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "169.254.0.0/16",
    "::1/128",
    "fc00::/7",
    "fe80::/10",
)


class NoSuchName(Exception):
    """A name for which the authority of before does not vouch; it has to be made anew, and trusted anew."""


def has_authority(folder: Path) -> bool:
    """Whether there is one in the data folder ``folder``."""
    return (folder / FOLDER / AUTHORITY_KEY).exists()


def make_authority(folder: Path, names: Sequence[str], at: datetime) -> None:
    """An authority for local names and for those of ``names`` that are none."""
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Fireside, this house's own authority")])
    own = [x509.DNSName(name) for name in (*LOCAL_NAMES, *(each for each in names if not _address(each)))]
    elsewhere = [each for each in names if _address(each)]
    near = [x509.IPAddress(ipaddress.ip_network(each)) for each in (*LOCAL_NETWORKS, *elsewhere)]
    certificate = (
        _begun(who, who, key.public_key(), at, AUTHORITY_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.NameConstraints([*own, *near], None), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    _kept(folder, AUTHORITY, AUTHORITY_KEY, certificate, key)


def make_certificate(folder: Path, names: Sequence[str], at: datetime) -> None:
    """The server's certificate for ``names`` (names and addresses). Raises ``NoSuchName``."""
    authority = x509.load_pem_x509_certificate((folder / FOLDER / AUTHORITY).read_bytes())
    signer = serialization.load_pem_private_key((folder / FOLDER / AUTHORITY_KEY).read_bytes(), None)
    if not isinstance(signer, ec.EllipticCurvePrivateKey):
        raise NoSuchName("the authority's key")
    allowed = authority.extensions.get_extension_for_class(x509.NameConstraints).value.permitted_subtrees
    for name in names:
        if not _vouched(name, allowed or ()):
            raise NoSuchName(name)
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Fireside")])
    certificate = (
        _begun(who, authority.subject, key.public_key(), at, SERVER_DAYS)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([_general(each) for each in names]), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
        )
        .sign(signer, hashes.SHA256())
    )
    _kept(folder, SERVER, SERVER_KEY, certificate, key)


def renewed(folder: Path, at: datetime) -> bool:
    """Renew the server's certificate, for the same names, when it ends soon; whether it was."""
    certificate = x509.load_pem_x509_certificate((folder / FOLDER / SERVER).read_bytes())
    if at < certificate.not_valid_after_utc - RENEWED_BEFORE:
        return False
    make_certificate(folder, names_of(certificate), at)
    return True


class Ends(msgspec.Struct, frozen=True, kw_only=True):
    """When the two certificates end."""

    server: datetime
    authority: datetime


def ends_of(folder: Path) -> Ends | None:
    """When they end; None where none were made. Raises ``OSError`` and ``ValueError``."""
    if not (folder / FOLDER / SERVER).exists():
        return None
    server, authority = (
        x509.load_pem_x509_certificate((folder / FOLDER / file).read_bytes()).not_valid_after_utc
        for file in (SERVER, AUTHORITY)
    )
    return Ends(server=server, authority=authority)


def names_of(certificate: x509.Certificate) -> tuple[str, ...]:
    """The names and addresses that a certificate is for."""
    found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return tuple(str(each.value) for each in found)


def fingerprint(folder: Path) -> str:
    """The authority's, as devices show it when it is installed (SHA-256)."""
    certificate = x509.load_pem_x509_certificate((folder / FOLDER / AUTHORITY).read_bytes())
    return certificate.fingerprint(hashes.SHA256()).hex(":").upper()


def now() -> datetime:
    """The time, for certificates."""
    return datetime.now(UTC)


def _begun(
    who: x509.Name, by: x509.Name, key: ec.EllipticCurvePublicKey, at: datetime, days: int
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(by)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(at - BACKDATED)
        .not_valid_after(at + timedelta(days=days))
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None


def _general(name: str) -> x509.GeneralName:
    address = _address(name)
    return x509.DNSName(name) if address is None else x509.IPAddress(address)


def _vouched(name: str, allowed: Sequence[x509.GeneralName]) -> bool:
    address = _address(name)
    for each in allowed:
        if address is None and isinstance(each, x509.DNSName):
            if name == each.value or name.endswith(f".{each.value}"):
                return True
        elif (
            address is not None
            and isinstance(each, x509.IPAddress)
            and address in ipaddress.ip_network(each.value)
        ):
            return True
    return False


def _kept(
    folder: Path, name: str, key_name: str, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey
) -> None:
    """The key first, and each whole: a stop in between leaves a pair of before, or is mended by the next ``init``."""
    at = folder / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    at.mkdir(mode=0o700, exist_ok=True)
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    for file, content in ((key_name, secret), (name, certificate.public_bytes(serialization.Encoding.PEM))):
        fresh = at / f"{file}.{os.getpid()}"
        descriptor = os.open(fresh, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(descriptor)
        fresh.replace(at / file)
