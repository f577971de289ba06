"""Orders of staff: by the running server or at rest, and in force for open connections at once."""

import stat
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from websockets.exceptions import ConnectionClosed

from loadtest.client import connected
from protocol.care_frames import CareContextGet
from protocol.errors import ErrorFrame
from protocol.session_frames import Client, Hello
from server.order_line import SOCKET_FILE, ServerSilent, ordered
from server.orders import Answer, AnyOrder, EndGrant, GiveGrant, NotDone
from storage.lock import held
from tests.server.caring import caring, token
from tests.server.serving import serving, settings

GIVE = GiveGrant(name="Maria", role="caregiver", user="ann", companion="clara")


async def order(folder: Path, what: AnyOrder) -> Answer:
    return await anyio.to_thread.run_sync(ordered, folder, what)


async def test_a_grant_given_while_the_server_runs_opens_at_once_and_ends_at_once(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url:
        name, shown = (await order(tmp_path, GIVE)).lines
        async with caring(url, shown) as carer, caring(url, shown) as again:
            await carer.ask(CareContextGet(id="1"))
            await order(tmp_path, EndGrant(grant=name))
            for each in (carer, again):
                assert (await each.next(ErrorFrame)).code == "auth.refused"
                with pytest.raises(ConnectionClosed) as closed:
                    await each.receive()
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == 4502
        async with connected(url) as late:
            await late.send(Hello(id="1", client=Client(name="t", version="1"), token=shown))
            assert (await late.next(ErrorFrame)).code == "auth.refused"


async def test_the_end_of_one_grant_leaves_the_connections_of_another(tmp_path: Path) -> None:
    maria = token(tmp_path)
    async with serving(settings(tmp_path)) as url, caring(url, maria) as carer:
        name, _ = (await order(tmp_path, GiveGrant(name="Otto", role="caregiver", user="ann"))).lines
        await order(tmp_path, EndGrant(grant=name))
        await carer.ask(CareContextGet(id="1"))


async def test_the_same_order_is_carried_out_without_a_server(tmp_path: Path) -> None:
    name, shown = ordered(tmp_path, GIVE).lines
    async with serving(settings(tmp_path)) as url, caring(url, shown) as carer:
        await carer.ask(CareContextGet(id="1"))
    ordered(tmp_path, EndGrant(grant=name))
    with pytest.raises(NotDone, match="no such grant"):
        ordered(tmp_path, EndGrant(grant=name))


async def test_what_is_refused_is_refused_in_the_same_words_by_the_server(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)):
        with pytest.raises(NotDone, match="no such grant"):
            await order(tmp_path, EndGrant(grant="grt_none"))
        with pytest.raises(NotDone, match="one line"):
            await order(tmp_path, GiveGrant(name="two\nlines", role="caregiver", user="ann"))


async def test_the_socket_is_its_owners_alone_and_goes_with_the_server(tmp_path: Path) -> None:
    deep = tmp_path / ("a" * 60) / ("b" * 60)  # a path too long for a socket's address
    async with serving(settings(deep)):
        mode = (deep / SOCKET_FILE).stat().st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o600
        assert stat.S_IMODE(deep.stat().st_mode) == 0o700
        assert len((await order(deep, GIVE)).lines) == 2
    assert not (deep / SOCKET_FILE).exists()


async def test_garbage_on_the_line_is_answered_and_harms_nobody(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)):
        for line in (b"\n", b"{}\n", b'{"order":"grants.end","grant":7}\n', b"\xff" * 70_000):
            stream = await anyio.connect_unix(str(tmp_path / SOCKET_FILE))
            async with stream:
                await stream.send(line)
                assert b"another version" in await stream.receive()
        await order(tmp_path, GIVE)


def test_a_process_that_takes_no_orders_is_told_of(tmp_path: Path) -> None:
    with held(tmp_path), pytest.raises(ServerSilent):
        ordered(tmp_path, GIVE)
