"""The clock that jumps keeps the promises the other tests stand on."""

import time
from collections.abc import Callable, Coroutine

import anyio
import anyio.abc
import pytest

from tests import clock


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return clock.virtual_time()


async def an_hour() -> float:
    """The real seconds it took."""
    real, start = time.monotonic(), anyio.current_time()
    await anyio.sleep(3600)
    assert anyio.current_time() - start == pytest.approx(3600)
    return time.monotonic() - real


async def test_an_hour_takes_no_time() -> None:
    assert min([await an_hour() for _ in range(7)]) < 1  # a machine that stood still meanwhile says nothing


async def test_sleepers_wake_in_the_order_of_their_timers() -> None:
    woken: list[tuple[str, float]] = []

    async def sleeper(name: str, seconds: float) -> None:
        await anyio.sleep(seconds)
        woken.append((name, anyio.current_time() - start))

    start = anyio.current_time()
    async with anyio.create_task_group() as tasks:
        for name, seconds in (("late", 30.0), ("early", 0.25), ("middle", 7.5)):
            tasks.start_soon(sleeper, name, seconds)
    assert [name for name, _ in woken] == ["early", "middle", "late"]
    assert [at for _, at in woken] == pytest.approx([0.25, 7.5, 30.0])


async def test_a_deadline_ends_what_waits_for_ever() -> None:
    with anyio.move_on_after(120) as scope:
        await anyio.sleep_forever()
    assert scope.cancelled_caught


async def test_bytes_over_loopback_come_before_time_jumps() -> None:
    async def echo(stream: anyio.abc.SocketStream) -> None:
        async with stream:
            async for data in stream:
                await anyio.sleep(1)
                await stream.send(data)

    async with (
        await anyio.create_tcp_listener(local_host="127.0.0.1") as listener,
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(listener.serve, echo)
        port = listener.extra(anyio.abc.SocketAttribute.local_port)
        start = anyio.current_time()
        async with await anyio.connect_tcp("127.0.0.1", port) as client:
            for n in range(100):
                await client.send(b"%d" % n)
                with anyio.fail_after(2):
                    assert await client.receive() == b"%d" % n
        assert anyio.current_time() - start == pytest.approx(100)
        tasks.cancel_scope.cancel()


async def test_time_stands_still_while_a_thread_works() -> None:
    loop = clock.current()
    with anyio.fail_after(1), loop.holding():
        await anyio.to_thread.run_sync(time.sleep, 0.05)
    assert anyio.current_time() < 1


def test_a_plain_test_runs_on_it_too() -> None:
    async def main() -> float:
        await anyio.sleep(10)
        return anyio.current_time()

    assert clock.run(main) == pytest.approx(10)


async def hang_on_an_event() -> None:
    await anyio.Event().wait()


@pytest.mark.parametrize("hang", [anyio.sleep_forever, hang_on_an_event])
def test_a_hang_is_an_error_not_a_hang(hang: Callable[[], Coroutine[None, None, None]]) -> None:
    with pytest.raises(clock.NothingLeftError):
        clock.run(hang, patience=0.05)
