"""Handshakes of an address, commands of a person and of a device: each at its limit, one below, and one beyond."""

from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from loadtest.client import Refusal, Talker, connected
from protocol.session_frames import Ping, Pong
from server.entrance import OPEN, PAIRING, person_here
from server.pace import Pace, network_of
from server.settings import Limits
from tests.server.serving import serving, settings, with_limits
from tests.server.test_door import asked_in_plain_http


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.at = 0.0

    def __call__(self) -> float:
        return self.at


def test_an_address_opens_as_many_as_in_a_minute_and_not_one_more() -> None:
    clock = Hands()
    pace = Pace(Limits(handshakes_per_minute=60), clock)
    assert [pace.opens("192.0.2.1") for _ in range(61)] == [True] * 60 + [False]
    assert pace.opens("192.0.2.2")
    clock.at = 1.0
    assert [pace.opens("192.0.2.1") for _ in range(2)] == [True, False]


def test_two_thousand_behind_one_address_come_back_three_times_within_a_moment() -> None:
    """The defaults: a house behind one address, or a load test on this machine, is served at once after a kill."""
    pace = Pace(Limits(), Hands())
    assert all(pace.opens("127.0.0.1") for _ in range(3 * Limits().connections))


def test_nobody_fills_the_log_by_being_refused() -> None:
    clock = Hands()
    pace = Pace(Limits(), clock)
    assert [pace.lines_before("192.0.2.1") for _ in range(102)] == [0] * 100 + [None] * 2
    assert pace.lines_before("192.0.2.2") == 2
    clock.at = 1.0
    assert [pace.lines_before("192.0.2.1") for _ in range(2)] == [0, None]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("::1", "127.0.0.1", False),
        ("", "192.0.2.1", False),
    ],
)
def test_who_has_a_whole_network_of_the_sixth_version_is_one(one: str, other: str, *, same: bool) -> None:
    assert (network_of(one) == network_of(other)) is same


def test_a_persons_connections_share_their_commands() -> None:
    pace = Pace(Limits(commands_per_second=1.0, person_commands_per_second=3.0), Hands())
    kitchen, hall = ("tok_1", person_here("ann")), ("tok_2", person_here("ann"))
    assert [pace.admits(each) for each in (kitchen, hall) * 3] == [True] * 6
    assert (pace.admits(kitchen), pace.admits(hall)) == (False, False)
    assert pace.admits(("tok_3", person_here("ben")))


def test_a_devices_connections_share_its_commands_whoever_is_at_it() -> None:
    pace = Pace(Limits(commands_per_second=1.0, device_commands_per_second=3.0), Hands())
    people = [person_here(f"p{number}") for number in range(7)]
    assert [pace.admits(("tok_1", each)) for each in people] == [True] * 6 + [False]
    assert pace.admits(("tok_2", people[0]))


def test_one_who_is_too_fast_takes_nothing_from_others_at_the_same_device() -> None:
    limits = Limits(commands_per_second=1.0, person_commands_per_second=2.0, device_commands_per_second=3.0)
    pace = Pace(limits, Hands())
    assert sum(pace.admits(("tok_1", person_here("ann"))) for _ in range(100)) == 4
    assert [pace.admits(("tok_1", person_here("ben"))) for _ in range(3)] == [True, True, False]


def test_without_a_token_everybody_is_a_device_of_their_own() -> None:
    pace = Pace(Limits(commands_per_second=1.0, person_commands_per_second=1.0), Hands())
    assert all(pace.admits((OPEN, person_here(f"p{number}"))) for number in range(1_000))
    assert all(pace.admits((PAIRING,)) for _ in range(1_000))


def test_one_connection_alone_meets_its_own_limit_and_no_other() -> None:
    limits = Limits(commands_per_second=50.0, person_commands_per_second=1.0, device_commands_per_second=1.0)
    pace = Pace(limits, Hands())
    assert [pace.admits(("tok_1", person_here("ann"))) for _ in range(101)] == [True] * 100 + [False]


async def test_beyond_its_handshakes_an_address_is_told_to_come_later_and_who_is_in_stays(
    tmp_path: Path,
) -> None:
    limits = Limits(handshakes_per_minute=3, drain_seconds=1.0)
    async with serving(with_limits(settings(tmp_path), limits)) as url, connected(url) as talker:
        await talker.hello()
        for _ in range(5):  # what is no WebSocket counts for nobody
            assert b" 426 " in await asked_in_plain_http(url)
        for _ in range(5):  # neither does what another site makes a browser do
            assert await refused(url, origin="https://evil.example") == 403
        for _ in range(2):
            async with connect(url, proxy=None):
                pass
        assert await refused(url) == 503
        assert (await talker.talk("Hello.")).status == "completed"


async def test_a_person_on_two_connections_is_answered_that_it_is_too_much_and_another_is_not(
    tmp_path: Path,
) -> None:
    slow = 0.001  # nothing comes in while the test runs: two commands, and no more
    limits = Limits(commands_per_second=slow, person_commands_per_second=slow, drain_seconds=1.0)
    async with (
        serving(with_limits(settings(tmp_path), limits)) as url,
        connected(url) as one,
        connected(url) as two,
        connected(url) as other,
    ):
        await one.hello(user="ann")
        await two.hello(user="ann")
        await other.hello(user="ben")
        assert [await code_of(one) for _ in range(2)] == ["message.empty"] * 2
        assert await code_of(two) == "rate.limited"  # its first: its own limit is not what answers
        assert await code_of(other) == "message.empty"
        await two.send(Ping(id=two.new_id()))  # a line is kept up all the same
        await two.next(Pong)


async def refused(url: str, origin: str | None = None) -> int:
    """The status with which a WebSocket is refused."""
    headers = {"Origin": origin} if origin else {}
    with pytest.raises(InvalidStatus) as found:
        async with connect(url, additional_headers=headers, proxy=None):
            pass
    return found.value.response.status_code


async def code_of(talker: Talker) -> str:
    """The error that answers a message without text."""
    with pytest.raises(Refusal) as found:
        await talker.say("")
    assert found.value.error.retryable is (found.value.code == "rate.limited")
    return found.value.code
