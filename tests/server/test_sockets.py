"""Who takes nothing is cut soon; who takes something, over a slow line, is waited for, though not for ever."""

from typing import cast

import anyio
import pytest
from websockets.asyncio.server import ServerConnection

from protocol.errors import CloseCode
from protocol.session_frames import Pong
from server.sockets import CLOSING_SECONDS, MOST_PERIODS, SlowReader, Socket
from tests import clock

SECONDS = 2.0
EVENT = Pong(re="ping", now="2026-01-31T10:00:00.000Z")


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, object]]:
    return clock.virtual_time()


class Line:
    """The end of a line that takes ``taken`` bytes a second of what is sent, and has room again after ``room``."""

    def __init__(self, taken: int, room: float = float("inf")) -> None:
        self.taken = taken
        self.room = room
        self.closed_with: int | None = None
        self.aborted = False
        self.transport = self

    async def send(self, _: object, text: bool) -> None:
        await self.drain()

    async def drain(self) -> None:
        await anyio.sleep(self.room - anyio.current_time())

    async def close(self, code: int, _: str) -> None:
        self.closed_with = code
        await anyio.sleep_forever()

    def get_write_buffer_size(self) -> int:
        return 10_000_000 - round(self.taken * anyio.current_time())

    def get_extra_info(self, _: str) -> None:
        return None

    def abort(self) -> None:
        self.aborted = True


def socket_over(line: Line) -> Socket:
    return Socket(cast("ServerConnection", line), "json", SECONDS)  # all of it that is used


@pytest.mark.parametrize("taken", [0, 1_000])
async def test_who_takes_next_to_nothing_is_cut_after_the_time_that_is_set(taken: int) -> None:
    line = Line(taken)
    with pytest.raises(SlowReader):
        await socket_over(line).send(EVENT)
    assert anyio.current_time() == pytest.approx(SECONDS + CLOSING_SECONDS)
    assert (line.closed_with, line.aborted) == (CloseCode.SLOW_READER, True)


async def test_who_takes_something_over_a_slow_line_is_waited_for() -> None:
    line = Line(4_000, room=3.5 * SECONDS)
    await socket_over(line).send(EVENT)
    assert anyio.current_time() == pytest.approx(3.5 * SECONDS)
    assert line.closed_with is None


async def test_who_trickles_on_and_on_is_cut_in_the_end() -> None:
    line = Line(4_000)
    with pytest.raises(SlowReader):
        await socket_over(line).send(EVENT)
    assert anyio.current_time() == pytest.approx(MOST_PERIODS * SECONDS + CLOSING_SECONDS)


@pytest.mark.parametrize("behind", [True, False])
async def test_what_is_on_its_way_to_who_is_behind_does_not_arrive_and_nobody_else_is_cut(
    behind: bool,
) -> None:
    line = Line(0 if behind else 10_000_000)
    await anyio.sleep(1.0)
    socket_over(line).take_back()
    assert line.aborted is behind
