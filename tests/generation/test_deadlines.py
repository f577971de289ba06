"""One timer bounds many waits, each by its own deadline, and never mistakes a stranger's cancel for its
own.
"""

import anyio
import pytest

from generation.deadlines import TooLateError, Watch
from tests import clock


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return clock.virtual_time()


async def after(seconds: float) -> str:
    await anyio.sleep(seconds)
    return "came"


async def test_waits_in_time_give_their_results() -> None:
    watch = Watch()
    for _ in range(100):
        assert await watch.wait(after(0.9), watch.now() + 1) == "came"
    watch.close()


async def test_a_wait_ends_at_its_deadline() -> None:
    watch = Watch()
    await watch.wait(after(0.1), watch.now() + 50)
    start = watch.now()
    with pytest.raises(TooLateError):
        await watch.wait(after(5), start + 2)
    assert watch.now() - start == pytest.approx(2)
    with pytest.raises(TooLateError):
        await watch.wait(after(5), watch.now() + 3)
    assert watch.now() - start == pytest.approx(5)
    watch.close()


async def test_time_between_waits_does_not_count() -> None:
    watch = Watch()
    for _ in range(3):
        await watch.wait(after(0.5), watch.now() + 1)
        await anyio.sleep(20)
    watch.close()


async def test_a_cancel_from_outside_stays_a_cancel() -> None:
    watch = Watch()
    with anyio.move_on_after(1) as scope:
        await watch.wait(after(5), watch.now() + 2)
    assert scope.cancelled_caught
    await anyio.sleep(10)  # the timer rings while nobody waits
    assert await watch.wait(after(0.5), watch.now() + 1) == "came"
    watch.close()


async def test_a_cancel_at_the_same_moment_stays_a_cancel() -> None:
    watch = Watch()
    with anyio.CancelScope() as scope:
        scope.deadline = watch.now() + 2
        try:
            await watch.wait(after(5), watch.now() + 2)
        except TooLateError:
            await anyio.sleep(1)  # the scope's own cancel comes at the next wait
    assert scope.cancelled_caught


async def test_the_error_of_what_is_waited_for_comes_through() -> None:
    async def fails() -> None:
        await anyio.sleep(0.1)
        raise KeyError

    watch = Watch()
    with pytest.raises(KeyError):
        await watch.wait(fails(), watch.now() + 1)
    watch.close()
