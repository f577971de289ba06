"""Who comes in, and as whom: open mode and its end, pairing, devices, PINs, tokens of persons and admins."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio.to_thread
import pytest
from msgspec import UNSET
from msgspec.structs import replace
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

import server.orders as orders
from actors.sessions import Sessions
from loadtest.client import Refusal, Talker, connected
from protocol.access import ACCESS, SAY_NO, WATCH, AccessRole, kind_of
from protocol.catalogue import COMMANDS
from protocol.codec import decode_command
from protocol.conversation_frames import ConversationList, ConversationOpen
from protocol.device_frames import DeviceClaim, DeviceList, DeviceLock, DevicePair, DeviceRevoke, DeviceUnlock
from protocol.errors import ErrorFrame
from protocol.frames import Command
from protocol.memory_frames import MemoryList
from protocol.session_frames import Client, Hello, Ping, Pong
from server.deeds import carry_out
from server.order_line import STORE_FILE, ordered
from server.orders import AnyOrder
from server.pins import kept
from server.settings import Limits, Listen, Settings
from storage.connection import inline, transacted
from tests.protocol.golden import golden_frames
from tests.server.caring import token
from tests.server.serving import serving, settings, with_limits

CLIENT = Client(name="t", version="1")


async def order(folder: Path, what: AnyOrder) -> tuple[str, ...]:
    return (await anyio.to_thread.run_sync(ordered, folder, what)).lines


def at_rest(folder: Path, *whats: AnyOrder) -> tuple[str, ...]:
    """Orders before the server starts; the lines of the last."""
    folder.mkdir(parents=True, exist_ok=True)
    lines: tuple[str, ...] = ()
    with inline(folder / STORE_FILE) as store:
        for what in whats:
            lines = transacted(store.db, lambda db, what=what: carry_out(db, what, 1)).lines  # type: ignore[misc] # bound here
    return lines


def with_pin(user: str, digits: str) -> orders.SetPin:
    known = kept(digits)
    return orders.SetPin(user=user, salt=known.salt, key=known.key)


def kiosk(chosen: Settings) -> Settings:
    return replace(chosen, listen=Listen(port=0, kiosk=True))


async def refused(url: str, *, shown: str | None = None, user: str | None = None, **headers: str) -> str:
    """The code with which a hello is refused."""
    async with connect(url, proxy=None, additional_headers=headers) as socket:
        talker = Talker(socket, "json")
        hello = Hello(id="1", client=CLIENT, user=user or UNSET, token=shown or UNSET)
        await talker.send(hello)
        return (await talker.next(ErrorFrame)).code


async def code_of(talker: Talker, command: Command) -> str | None:
    try:
        await talker.ask(command)
    except Refusal as refusal:
        return refusal.code
    return None


async def claimed(url: str, code: str, name: str = "Tablet") -> dict[str, str]:
    async with connected(url) as device:
        welcome = await device.hello(token=code)
        assert (welcome.role, welcome.features) == ("pairing", ("pairing",))
        result = (await device.ask(DeviceClaim(id="1", name=name))).result
        assert isinstance(result, dict)
        return result


@asynccontextmanager
async def shared(
    folder: Path, *before: AnyOrder, limits: Limits | None = None
) -> AsyncGenerator[tuple[str, str]]:
    """A server with one shared device, and the device's token."""
    _, shown = at_rest(folder, *before, orders.ClaimDevice(name="Garden room"))
    async with serving(with_limits(settings(folder), limits or Limits())) as url:
        yield url, shown


# ------------------------------------------------------------ open mode


async def test_in_open_mode_somebody_at_this_machine_says_who_they_are(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        welcome = await talker.hello(user="ann")
        assert (welcome.role, welcome.user) == ("person", "ann")
        assert "open_mode" in welcome.features
        assert await refused(url, **{"X-Forwarded-For": "203.0.113.7"}) == "auth.refused"


async def test_a_listed_page_of_another_site_comes_in_with_a_token_only(tmp_path: Path) -> None:
    site = "https://kiosk.example"
    chosen = replace(settings(tmp_path), listen=Listen(port=0, origins=(site,)))
    _, shown = at_rest(tmp_path, orders.GiveToken(name="Kiosk", role="person", user="ann"))
    async with serving(chosen) as url:
        assert await refused(url, Origin=site) == "auth.refused"
        async with connect(url, proxy=None, additional_headers={"Origin": site}) as socket:
            assert (await Talker(socket, "json").hello(token=shown)).user == "ann"


async def test_kiosk_ends_open_mode(tmp_path: Path) -> None:
    async with serving(kiosk(settings(tmp_path))) as url:
        assert await refused(url) == "auth.refused"


async def test_the_first_device_ends_open_mode_for_good_and_for_whoever_is_there(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as ann:
        await ann.hello(user="ann")
        code, address = await order(tmp_path, orders.PairDevice(name="Garden room"))
        assert address.endswith(f"/pair#{code}")
        device = await claimed(url, code)
        assert (device["role"], device["name"]) == ("device", "Garden room")
        assert (await ann.next(ErrorFrame)).code == "auth.refused"
        with pytest.raises(ConnectionClosed):
            await ann.receive()
        assert await refused(url) == "auth.refused"
        await order(tmp_path, orders.RevokeToken(token=device["device"]))
        assert await refused(url) == "auth.refused"
    async with serving(settings(tmp_path)) as url:
        assert await refused(url) == "auth.refused"
        await order(tmp_path, orders.Reopen())
        async with connected(url) as again:
            assert "open_mode" in (await again.hello()).features


# ------------------------------------------------------------ pairing


async def test_a_code_lets_one_device_in_once(tmp_path: Path) -> None:
    async with serving(kiosk(settings(tmp_path))) as url:
        code, _ = await order(tmp_path, orders.PairDevice())
        async with connected(url) as late:  # greets with the code, and is overtaken
            await late.hello(token=code.replace("-", "").lower())
            device = await claimed(url, code)
            assert await code_of(late, DeviceClaim(id="1")) == "auth.forbidden"
        assert await refused(url, shown=code) == "auth.refused"
        async with connected(url) as talker:
            assert (await talker.hello(token=device["token"])).role == "device"
            assert (await talker.talk("Good morning.")).status == "completed"


async def test_a_name_that_is_refused_costs_nobody_their_code(tmp_path: Path) -> None:
    async with serving(kiosk(settings(tmp_path))) as url, connected(url) as device:
        refused_order = await anyio.to_thread.run_sync(named, tmp_path, "T" * 61)
        assert "60 characters" in refused_order
        code, _ = await order(tmp_path, orders.PairDevice())
        await device.hello(token=code)
        assert await code_of(device, DeviceClaim(id="1", name="one\ntwo")) == "policy.refused"
        assert (await device.ask(DeviceClaim(id="2", name="Tablet"))).result


def named(folder: Path, name: str) -> str:
    """Why a device may not be called so."""
    try:
        ordered(folder, orders.PairDevice(name=name))
    except orders.NotDone as refused:
        return str(refused)
    return ""


async def test_a_claim_that_is_sent_again_gets_the_same_token(tmp_path: Path) -> None:
    async with serving(kiosk(settings(tmp_path))) as url, connected(url) as device:
        code, _ = await order(tmp_path, orders.PairDevice())
        await device.hello(token=code)
        first = await device.ask(DeviceClaim(id="1", name="Tablet"))
        assert (await device.ask(DeviceClaim(id="1", name="Tablet"))).result == first.result


async def test_guesses_at_a_code_are_slowed_down_and_then_the_right_one_waits_too(tmp_path: Path) -> None:
    async with serving(kiosk(settings(tmp_path))) as url:
        code, _ = await order(tmp_path, orders.PairDevice())
        for _ in range(5):
            assert await refused(url, shown="AAAA-2222") == "auth.refused"
        assert await refused(url, shown=code) == "auth.refused"


async def test_ones_own_device_is_served_as_the_person(tmp_path: Path) -> None:
    at_rest(tmp_path, orders.AddPerson(user="ann"))
    async with serving(kiosk(settings(tmp_path))) as url:
        code, _ = await order(tmp_path, orders.PairDevice(user="ann", own=True))
        shown = (await claimed(url, code))["token"]
        async with connected(url) as ann:
            welcome = await ann.hello(token=shown)
            assert (welcome.role, welcome.user) == ("person", "ann")
            await ann.ask(MemoryList(id=ann.new_id()))
        assert await refused(url, shown=shown, user="ben") == "auth.refused"


# ------------------------------------------------------------ a shared device


async def test_on_a_shared_device_only_people_who_are_known_talk(tmp_path: Path) -> None:
    async with shared(tmp_path, orders.AddPerson(user="ann")) as (url, shown):
        async with connected(url) as talker:
            assert (await talker.hello(user="ann", token=shown)).user == "ann"
        assert await refused(url, shown=shown, user="stranger") == "auth.forbidden"
        await order(tmp_path, orders.SetStatus(user="ann", status="archived"))
        assert await refused(url, shown=shown, user="ann") == "auth.forbidden"


async def test_who_is_archived_is_let_go_at_once(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as ann, connected(url) as ben:
        await ann.hello(user="ann")
        await ben.hello(user="ben")
        await ann.talk("Good morning.")
        await order(tmp_path, orders.SetStatus(user="ann", status="archived"))
        assert (await ann.next(ErrorFrame)).code == "auth.refused"
        await ben.talk("Good morning.")
        assert await refused(url, user="ann") == "auth.forbidden"


async def test_who_is_archived_while_they_come_in_is_let_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Sessions.join

    async def slowly(sessions: Sessions, *wanted: Any) -> Any:
        joined = await real(sessions, *wanted)
        await order(tmp_path, orders.SetStatus(user="ann", status="archived"))
        return joined

    at_rest(tmp_path, orders.AddPerson(user="ann"))
    async with serving(settings(tmp_path)) as url:
        monkeypatch.setattr(Sessions, "join", slowly)
        assert await refused(url, user="ann") == "auth.refused"


async def test_a_person_who_has_gone_is_gone_though_the_page_still_pings(tmp_path: Path) -> None:
    quick = Limits(unlocked_seconds=0.4)
    before = (orders.AddPerson(user="ann"), with_pin("ann", "271828"))
    async with shared(tmp_path, *before, limits=quick) as (url, shown), connected(url) as ann:
        await ann.hello(user="ann", token=shown)
        await ann.ask(DeviceUnlock(id="1", pin="271828"))
        for number in range(3):
            await anyio.sleep(0.2)
            await ann.send(Ping(id=f"ping{number}"))
            await ann.next(Pong)
        assert await code_of(ann, MemoryList(id="2")) == "auth.forbidden"


async def test_a_shared_device_goes_back_to_no_talk_of_who_has_a_pin_but_its_own(tmp_path: Path) -> None:
    """What they said on a device of their own is not shown where others sit, nor taken over."""
    before = (orders.AddPerson(user="ann"), with_pin("ann", "271828"))
    own = orders.GiveToken(name="Phone", role="person", user="ann")
    async with shared(tmp_path, *before) as (url, shown), connected(url) as phone:
        token = (await order(tmp_path, own))[-1]
        await phone.hello(user="ann", token=token, companion="extremis")
        said = await phone.talk("My letter is under the clock.")
        for asked in ("last", said.conversation):
            async with connected(url) as kiosk:
                welcome = await kiosk.hello(user="ann", token=shown, companion="extremis", conversation=asked)
                assert welcome.conversation is None
        async with connected(url) as kiosk:
            await kiosk.hello(user="ann", token=shown, companion="extremis")
            here = await kiosk.talk("Good morning.")
            point = kiosk.resume_point()
        async with connected(url) as kiosk:
            welcome = await kiosk.hello(user="ann", token=shown, companion="extremis", resume=point)
            assert welcome.conversation == here.conversation
        assert (await phone.talk("It is still there.")).conversation == said.conversation


async def test_a_pin_makes_a_shared_device_the_persons_until_it_is_locked(tmp_path: Path) -> None:
    before = (orders.AddPerson(user="ann"), with_pin("ann", "271828"))
    async with shared(tmp_path, *before) as (url, shown), connected(url) as ann:
        assert "pin" in (await ann.hello(user="ann", token=shown)).features
        assert await code_of(ann, MemoryList(id="1")) == "auth.forbidden"
        assert await code_of(ann, DeviceUnlock(id="2", pin="0000")) == "auth.forbidden"
        assert (await ann.ask(DeviceUnlock(id="3", pin="271828"))).result == {"role": "person"}
        assert await code_of(ann, MemoryList(id="4")) is None
        assert (await ann.ask(DeviceLock(id="5"))).result == {"role": "device"}
        assert await code_of(ann, MemoryList(id="6")) == "auth.forbidden"


async def test_with_another_pin_the_one_of_before_has_shown_nothing(tmp_path: Path) -> None:
    before = (orders.AddPerson(user="ann"), with_pin("ann", "271828"))
    async with shared(tmp_path, *before) as (url, shown), connected(url) as ann:
        await ann.hello(user="ann", token=shown)
        await ann.ask(DeviceUnlock(id="1", pin="271828"))
        await order(tmp_path, with_pin("ann", "314159"))
        assert await code_of(ann, MemoryList(id="2")) == "auth.forbidden"
        assert (await ann.ask(DeviceUnlock(id="3", pin="314159"))).result == {"role": "person"}
        assert await code_of(ann, MemoryList(id="4")) is None


async def test_after_five_wrong_pins_the_right_one_has_to_wait_also_after_a_restart(tmp_path: Path) -> None:
    before = (orders.AddPerson(user="ann"), with_pin("ann", "271828"))
    _, shown = at_rest(tmp_path, *before, orders.ClaimDevice(name="Garden room"))
    async with serving(settings(tmp_path)) as url, connected(url) as ann:
        await ann.hello(user="ann", token=shown)
        for number in range(5):
            assert await code_of(ann, DeviceUnlock(id=f"{number}", pin="0000")) == "auth.forbidden"
        assert await code_of(ann, DeviceUnlock(id="6", pin="271828")) == "rate.limited"
    async with serving(settings(tmp_path)) as url, connected(url) as ann:
        await ann.hello(user="ann", token=shown)
        assert await code_of(ann, DeviceUnlock(id="1", pin="271828")) == "rate.limited"


# ------------------------------------------------------------ tokens


async def test_a_persons_program_and_an_admin_come_in_by_their_tokens(tmp_path: Path) -> None:
    _, person = at_rest(tmp_path, orders.GiveToken(name="Editor", role="person", user="ann"))
    name, admin = at_rest(tmp_path, orders.GiveToken(name="Ms Berg", role="admin"))
    async with serving(kiosk(settings(tmp_path))) as url:
        async with connect(url, proxy=None, additional_headers={"Authorization": f"Bearer {person}"}) as own:
            talker = Talker(own, "json")
            assert (await talker.hello()).user == "ann"
            await talker.ask(ConversationList(id="1"))
        async with connected(url) as berg:
            assert (await berg.hello(token=admin)).role == "admin"
            code = (await berg.ask(DevicePair(id="1", name="Hall"))).result
            assert isinstance(code, dict)
            device = await claimed(url, str(code["code"]))
            found = (await berg.ask(DeviceList(id="2"))).result
            assert isinstance(found, dict)
            assert [each["name"] for each in found["devices"]] == ["Hall"]
            async with connected(url) as hall:
                await hall.hello(token=device["token"])
                await berg.ask(DeviceRevoke(id="3", device=device["device"]))
                assert (await hall.next(ErrorFrame)).code == "auth.refused"
            _, fresh = await order(tmp_path, orders.RotateToken(token=name))
            assert (await berg.next(ErrorFrame)).code == "auth.refused"
        assert await refused(url, shown=admin) == "auth.refused"
        async with connected(url) as berg:
            assert (await berg.hello(token=fresh)).role == "admin"


async def status_of(url: str, path: str, headers: dict[str, str]) -> int:
    """The status of a GET with ``headers``."""
    at = urlsplit(url)

    def ask() -> int:
        connection = HTTPConnection(at.hostname or "", at.port, timeout=10)
        try:
            connection.request("GET", path, headers=headers)
            return connection.getresponse().status
        finally:
            connection.close()

    return await anyio.to_thread.run_sync(ask)


async def test_figures_are_given_elsewhere_to_an_admin_only(tmp_path: Path) -> None:
    _, admin = at_rest(tmp_path, orders.GiveToken(name="Ms Berg", role="admin"))
    _, person = at_rest(tmp_path, orders.GiveToken(name="Editor", role="person", user="ann"))
    elsewhere = {"X-Forwarded-For": "203.0.113.7"}
    async with serving(settings(tmp_path)) as url:
        assert await status_of(url, "/metrics", elsewhere) == 403
        for shown, status in ((admin, 200), (person, 403), ("guess", 403)):
            headers = {**elsewhere, "Authorization": f"Bearer {shown}"}
            assert await status_of(url, "/metrics", headers) == status


async def test_every_frame_is_refused_to_every_role_that_the_table_does_not_name(tmp_path: Path) -> None:
    shown: dict[AccessRole, str] = {
        "caregiver": token(tmp_path),
        "safeguarding": token(tmp_path, "Ms Okafor", role="safeguarding"),
        "admin": at_rest(tmp_path, orders.GiveToken(name="Ms Berg", role="admin"))[1],
        "person": at_rest(tmp_path, orders.GiveToken(name="Editor", role="person", user="ann"))[1],
        "device": at_rest(tmp_path, orders.ClaimDevice(name="Hall"))[1],
    }
    commands = [decode_command(golden_frames()[name].decode(), "json") for name in COMMANDS]
    commands.append(ConversationOpen(id="o", conversation="cnv_o"))
    assert {kind_of(each) for each in commands} | {SAY_NO} >= {*COMMANDS, WATCH}
    async with serving(settings(tmp_path)) as url:
        code, _ = await order(tmp_path, orders.PairDevice())
        for role, secret in {**shown, "pairing": code}.items():
            async with connected(url) as client:
                assert (await client.hello(token=secret)).role == role
                for number, command in enumerate(commands):
                    if role not in ACCESS[kind_of(command)]:
                        asked_now = replace(command, id=f"x{number}")
                        assert await code_of(client, asked_now) == "auth.forbidden", (role, command)
                await client.send(Ping(id="still here"))
