"""What holds itself alone is let go soon, and a look at everything is the rarer the longer it takes."""

import gc
import weakref

import anyio
import pytest

from server.collector import collecting, until_full_look


class Ring:
    """Holds itself."""

    def __init__(self) -> None:
        self.itself = self


async def test_what_holds_itself_alone_is_let_go() -> None:
    gone = anyio.Event()
    gc.disable()
    try:
        ring = Ring()
        weakref.finalize(ring, gone.set)
        del ring
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(collecting, 0.001)
            with anyio.fail_after(60):
                await gone.wait()
            tasks.cancel_scope.cancel()
    finally:
        gc.enable()


@pytest.mark.parametrize(("took", "seconds"), [(0.0, 60.0), (0.006, 60.0), (0.02, 100.0), (0.5, 2_500.0)])
def test_a_longer_look_at_everything_waits_longer_for_the_next(took: float, seconds: float) -> None:
    assert until_full_look(took) == seconds
