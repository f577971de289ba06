"""Who looks on and does not read: nothing that they have not read comes any more, once it may not."""

import anyio

from protocol.alert_frames import CareChanged
from protocol.care_frames import WatchingEnded
from protocol.errors import CloseCode
from protocol.frames import Event
from server.attending import Seat
from storage.grants import Grant


class Line:
    """A line on which nothing goes on until it is let."""

    def __init__(self) -> None:
        self.sent: list[Event] = []
        self.taken_back = 0
        self.goes_on = anyio.Event()

    async def send(self, event: Event) -> None:
        self.sent.append(event)
        await self.goes_on.wait()

    def known(self) -> bool:
        return False

    def take_back(self) -> None:
        self.taken_back += 1

    async def close(self, code: CloseCode, reason: str) -> None:
        """Nobody leaves here."""


async def test_what_was_said_and_waits_for_who_does_not_read_is_not_told_any_more_and_all_else_is() -> None:
    grant = Grant(id="g", name="Maria", role="caregiver", user="ann", companion="", basis=None)
    line, seat = Line(), Seat("t", grant, "clara")
    seat.hush()
    for seq in (1, 2):
        seat.tell(WatchingEnded(seq=seq), of_talk=True)  # for any frame of a talk
    seat.tell(CareChanged(seq=3, reason="consent"))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(seat.serve, line)
        await anyio.wait_all_tasks_blocked()
        assert line.taken_back == 0
        seat.hush()
        seat.hush()
        line.goes_on.set()
        await anyio.wait_all_tasks_blocked()
        tasks.cancel_scope.cancel()
    assert [type(each) for each in line.sent] == [WatchingEnded, CareChanged]
    assert line.taken_back == 1, "what is on its way, once"
