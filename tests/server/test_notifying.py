"""Whoever starts the server learns when it is ready, that it lives, and that it stops; the unit file asks for it."""

import configparser
import re
import signal
import socket
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from shutil import which

import anyio
import pytest

from loadtest.nursery import Nursery
from server.notifying import Listening
from tests.outcomes import ROOT

UNIT = ROOT / "packaging" / "fireside.service"
SCREEN = ROOT / "packaging" / "fireside-kiosk.service"


@contextmanager
def listening(place: Path) -> Generator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard:
        heard.bind(str(place))
        heard.setblocking(False)
        yield heard


async def word(heard: socket.socket) -> str:
    with anyio.fail_after(60):
        await anyio.wait_readable(heard)
    return heard.recv(100).decode()


async def test_a_server_tells_that_it_is_ready_that_it_lives_and_that_it_stops(
    tmp_path: Path, born: Nursery
) -> None:
    with listening(tmp_path / "n") as heard:
        environment = {"NOTIFY_SOCKET": str(tmp_path / "n"), "WATCHDOG_USEC": "100000"}
        async with born.server_process(tmp_path / "run", environment=environment) as server:
            assert await word(heard) == "READY=1"
            assert [await word(heard) for _ in range(3)] == ["WATCHDOG=1"] * 3
            server.process.send_signal(signal.SIGTERM)
            said = await word(heard)
            while said == "WATCHDOG=1":  # read on: the line holds few words, and what does not fit in is lost
                said = await word(heard)
            assert said == "STOPPING=1"
            assert await server.process.wait() == 0


@pytest.mark.parametrize(
    ("asked", "every"),
    [({}, None), ({"WATCHDOG_USEC": "60000000"}, 30.0), ({"WATCHDOG_USEC": "1", "WATCHDOG_PID": "1"}, None)],
)
def test_it_says_that_it_lives_twice_as_often_as_asked_and_only_where_it_is_asked(
    asked: dict[str, str], every: float | None
) -> None:
    listener = Listening(asked)
    assert listener.alive_every == every
    listener.tell("READY=1")  # nobody listens, and nothing breaks


def test_the_unit_starts_it_with_the_machine_again_when_it_ends_or_hangs_and_lets_it_do_nothing_else() -> (
    None
):
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # names as they are written
    unit.read_string(UNIT.read_text())
    service = unit["Service"]
    assert unit["Install"]["WantedBy"] == "multi-user.target"
    assert (service["Type"], service["Restart"]) == ("notify", "always")
    assert int(service["WatchdogSec"]) > 0
    assert unit["Unit"]["StartLimitIntervalSec"] == "0", "it is started again however often"
    assert service["UMask"] == "0077"
    assert service["CapabilityBoundingSet"] == ""
    closed = (service["ProtectSystem"], service["NoNewPrivileges"], service["User"])
    assert closed == ("strict", "yes", "fireside")
    assert "network-online" not in UNIT.read_text(), "it needs no network"


@pytest.mark.skipif(which("systemd-analyze") is None, reason="needs systemd-analyze")
@pytest.mark.parametrize("unit", [UNIT, SCREEN], ids=lambda each: str(each.stem))
def test_systemd_understands_every_line_of_a_unit(tmp_path: Path, unit: Path) -> None:
    copy = tmp_path / unit.name
    copy.write_text(re.sub(r"ExecStart=\S+", "ExecStart=/bin/true", unit.read_text()))
    done = subprocess.run(["systemd-analyze", "verify", str(copy)], capture_output=True, text=True)
    assert unit.name not in done.stderr
