"""TLS: an authority of the house's own, a certificate for its names, and no network in the clear by accident."""

import ssl
import stat
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from websockets.asyncio.client import connect

import server.authority as authority
import server.certificates as certificates
from loadtest.client import Talker
from server.app import server
from server.listener import check_network
from server.settings import BadSetting, Listen
from tests.server.serving import settings

NAMES = ("localhost", "fireside.local", "127.0.0.1", "192.168.1.9")


def made(folder: Path, *, days_ago: int = 0) -> None:
    at = authority.now() - timedelta(days=days_ago)
    authority.make_authority(folder, NAMES, at)
    authority.make_certificate(folder, NAMES, at)


def trusting(folder: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(folder / certificates.FOLDER / certificates.AUTHORITY))
    context.verify_flags |= ssl.VERIFY_X509_STRICT
    return context


async def test_who_trusts_the_authority_talks_over_tls_and_others_do_not(tmp_path: Path) -> None:
    made(tmp_path)
    async with server(settings(tmp_path)) as running:
        assert running.secure
        url = f"wss://localhost:{running.port}/ws"
        async with connect(url, proxy=None, ssl=trusting(tmp_path)) as socket:
            talker = Talker(socket, "json")
            await talker.hello(user="ann")
            assert (await talker.talk("Good morning.")).status == "completed"
        with pytest.raises(ssl.SSLCertVerificationError):
            async with connect(url, proxy=None, ssl=ssl.create_default_context()):
                pass


def test_keys_are_their_owners_alone(tmp_path: Path) -> None:
    made(tmp_path)
    for name in (certificates.AUTHORITY_KEY, certificates.SERVER_KEY):
        assert stat.S_IMODE((tmp_path / certificates.FOLDER / name).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / certificates.FOLDER).stat().st_mode) == 0o700


@pytest.mark.parametrize("name", ["bank.example", "203.0.113.7", "evil-local"])
def test_the_authority_vouches_for_nothing_beyond_the_house(tmp_path: Path, name: str) -> None:
    made(tmp_path)
    with pytest.raises(authority.NoSuchName):
        authority.make_certificate(tmp_path, (name,), authority.now())


def test_a_certificate_that_ends_soon_is_renewed_for_the_same_names_by_the_same_authority(
    tmp_path: Path,
) -> None:
    made(tmp_path, days_ago=authority.SERVER_DAYS - 31)
    before = authority.fingerprint(tmp_path)
    assert not authority.renewed(tmp_path, authority.now())
    assert authority.renewed(tmp_path, authority.now() + timedelta(days=2))
    assert authority.fingerprint(tmp_path) == before
    assert certificates.server_context(tmp_path) is not None


def test_a_network_is_served_with_tls(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match=r"fireside init --tls"):
        check_network(Listen(host="0.0.0.0"))
    check_network(Listen(host="0.0.0.0"), secure=True)


async def test_a_broken_certificate_is_said_in_a_sentence(tmp_path: Path) -> None:
    made(tmp_path)
    (tmp_path / certificates.FOLDER / certificates.SERVER).write_text("no certificate")
    with pytest.raises(BadSetting, match=r"make it anew"):
        async with server(replace(settings(tmp_path), listen=Listen(port=0))):
            pass
