"""What ``fireside doctor`` says of who comes in, who is alerted, and of the certificates that devices trust."""

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

import server.authority as authority
import server.certificates as certificates
import server.cli_devices as cli_devices
import server.orders as orders
from server.cli_checks import doctor
from server.settings import Contact, Contacts, Listen, Settings
from tests.server.caring import token
from tests.server.serving import settings
from tests.server.test_entrance import at_rest


async def said(chosen: Settings, capsys: pytest.CaptureFixture[str], what: str) -> str:
    """The line on ``what``; empty without one."""
    await doctor(chosen)
    lines = capsys.readouterr().out.splitlines()
    return next((line for line in lines if line[5:].startswith(what)), "")


async def test_it_says_who_comes_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = settings(tmp_path)
    at_rest(tmp_path, orders.AddPerson(user="ann"))
    alone = await said(chosen, capsys, "who comes in")
    assert alone.startswith("ok ")
    assert "open mode" in alone
    network = replace(chosen, listen=Listen(host="0.0.0.0", plain_network=True))
    assert (await said(network, capsys, "who comes in")).startswith("NOT")
    kiosk = replace(chosen, listen=Listen(kiosk=True))
    assert "fireside pair" in await said(kiosk, capsys, "who comes in")
    at_rest(tmp_path, orders.ClaimDevice(name="Garden room"))
    paired = await said(chosen, capsys, "who comes in")
    assert paired.startswith("ok ")
    assert "open mode" not in paired
    assert "1" in paired


async def test_it_says_that_a_name_in_the_settings_is_reached_by_nothing_of_ours(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = settings(tmp_path)
    at_rest(tmp_path, orders.AddPerson(user="ann", name="Ann Miller"))
    assert "nobody holds a grant" in await said(chosen, capsys, "alerts")
    token(tmp_path)
    eva = Contacts(caregiver=(Contact(name="your daughter Eva"),))
    line = await said(replace(chosen, contacts=eva), capsys, "alerts")
    assert "who holds a grant (1)" in line
    assert "1 named in contacts.*" in line
    assert "Fireside calls and writes to nobody" in line
    cli_devices.user_list(data=tmp_path)
    assert capsys.readouterr().out.splitlines() == [
        "USER  STATUS  PIN  NAME",
        "ann   active  -    Ann Miller",
    ]


@pytest.mark.parametrize(
    ("made", "well", "named"),
    [
        (timedelta(), True, "renewed by itself"),
        (timedelta(days=400), False, "the server's has ended"),
        (timedelta(days=3_600), False, "--anew"),
    ],
)
async def test_it_says_until_when_certificates_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], made: timedelta, well: bool, named: str
) -> None:
    assert not await said(settings(tmp_path), capsys, "certificates")
    at = authority.now() - made
    authority.make_authority(tmp_path, (), at)
    authority.make_certificate(tmp_path, ("localhost",), at)
    line = await said(settings(tmp_path), capsys, "certificates")
    assert line.startswith("ok ") is well
    assert named in line


async def test_a_certificate_that_cannot_be_read_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    authority.make_authority(tmp_path, (), authority.now())
    (tmp_path / certificates.FOLDER / certificates.SERVER).write_text("none")
    assert (await said(settings(tmp_path), capsys, "certificates")).startswith("NOT")
