"""Addresses, inboxes and the scope that starts and stops an actor, on a clock that jumps."""

import anyio
import pytest

from actors.runtime import Address, Closed, Inbox, backoff, running
from tests import clock


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return clock.virtual_time()


async def test_mail_comes_in_order_and_the_actor_finishes_what_it_has() -> None:
    read: list[int] = []

    async def actor(inbox: Inbox[int]) -> None:
        async for item in inbox:
            await anyio.sleep(0.001)
            read.append(item)

    async with running(actor, name="reader", capacity=10, grace=5) as address:
        for item in range(8):
            await address.send(item)
    assert read == list(range(8))


async def test_a_full_mailbox_makes_its_sender_wait_and_refuses_an_offer() -> None:
    address: Address[int] = Address(2)
    inbox = Inbox(address)
    assert address.offer(1)
    assert address.offer(2)
    assert not address.offer(3)
    sent = anyio.Event()

    async def send() -> None:
        await address.send(3)
        sent.set()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(send)
        await anyio.lowlevel.checkpoint()
        assert not sent.is_set()
        assert await anext(inbox) == 1
        await sent.wait()
    assert inbox.waiting(10) == [2, 3]


async def test_a_sender_cancelled_while_it_waits_leaves_its_place_to_the_next() -> None:
    address: Address[int] = Address(1)
    address.offer(0)
    inbox = Inbox(address)
    async with anyio.create_task_group() as tasks:
        with anyio.move_on_after(0.01):
            await address.send(1)
        tasks.start_soon(address.send, 2)
        await anyio.lowlevel.checkpoint()
        assert [await anext(inbox), await anext(inbox)] == [0, 2]


async def test_replies_are_taken_beyond_the_bound() -> None:
    address: Address[int] = Address(1)
    assert address.offer(1)
    assert address.post(2)
    assert Inbox(address).waiting(5) == [1, 2]


async def test_a_closed_address_refuses_and_its_inbox_ends() -> None:
    address: Address[int] = Address(3)
    address.offer(1)
    address.close()
    assert not address.offer(2)
    assert not address.post(2)
    with pytest.raises(Closed):
        await address.send(2)
    assert [item async for item in Inbox(address)] == [1]


async def test_a_crash_restarts_the_actor_with_its_mail() -> None:
    read: list[int] = []

    async def actor(inbox: Inbox[int]) -> None:
        async for item in inbox:
            if item == 2 and 2 not in read:
                read.append(item)
                raise ValueError("once")
            read.append(item)

    async with running(actor, name="stumbler", capacity=10, grace=5) as address:
        for item in (1, 2, 3):
            await address.send(item)
    assert read == [1, 2, 3]


async def test_restarts_are_bounded_where_asked() -> None:
    async def actor(inbox: Inbox[int]) -> None:
        async for _ in inbox:
            raise ValueError("always")

    async def host() -> None:
        async with running(actor, name="failer", capacity=10, grace=1, most_restarts=0) as address:
            await address.send(1)
            await anyio.sleep_forever()

    with pytest.raises(ExceptionGroup) as group:
        await host()
    assert group.group_contains(ValueError)


async def test_a_cancelled_host_still_lets_the_last_writes_land() -> None:
    landed: list[int] = []

    async def actor(inbox: Inbox[int]) -> None:
        async for item in inbox:
            await anyio.sleep(0.01)
            landed.append(item)

    with anyio.CancelScope() as host:
        async with running(actor, name="writer", capacity=10, grace=5) as address:
            for item in range(3):
                await address.send(item)
            host.cancel()
            await anyio.lowlevel.checkpoint()
    assert landed == [0, 1, 2]


async def test_an_actor_that_does_not_end_is_cut_after_its_grace() -> None:
    async def actor(_: Inbox[int]) -> None:
        await anyio.sleep_forever()

    with anyio.fail_after(5):
        async with running(actor, name="sleeper", capacity=1, grace=0.05):
            pass


def test_the_pause_before_a_restart_grows_to_five_seconds() -> None:
    assert [backoff(failures) for failures in (1, 2, 3, 10)] == [0.1, 0.2, 0.4, 5.0]
