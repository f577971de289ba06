"""Crowds and silent lines against a real server, in small: what must hold on any machine, so no times."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loadtest.bounds_cases import Seen, drain, few_descriptors, silent_lines, storm
from loadtest.half_open import NoNetwork, half_open_lines
from loadtest.nursery import Nursery
from server.descriptors import KEPT


def missed(seen: list[Seen]) -> list[Seen]:
    """What was not kept, but for times."""
    counted = [each for each in seen if not each.timed]
    assert counted
    return [each for each in counted if not each.well]


async def test_lines_that_went_silent_are_let_go(tmp_path: Path, born: Nursery) -> None:
    quick = "heartbeat_seconds = 0.3\nheartbeat_timeout_seconds = 0.3"
    assert missed(await silent_lines(tmp_path, 3, quick, born.server_process)) == []


async def test_lines_whose_link_went_down_are_let_go(tmp_path: Path, born: Nursery) -> None:
    quick = "heartbeat_seconds = 0.3\nheartbeat_timeout_seconds = 0.3"
    try:
        seen = await half_open_lines(tmp_path, 2, quick, born.server_process)
    except NoNetwork as cannot:
        pytest.skip(f"no network of our own can be made here: {cannot}")
    assert missed(seen) == []


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="needs prlimit, of util-linux")
async def test_with_few_descriptors_some_are_served_and_the_others_told_to_come_later(tmp_path: Path) -> None:
    seen = await few_descriptors(tmp_path, 40, KEPT + 20)
    assert missed(seen) == []
    assert [each.seen for each in seen if each.what == "served"] == ["20"]


async def test_a_stop_in_the_middle_of_many_answers_loses_none(tmp_path: Path, born: Nursery) -> None:
    assert missed(await drain(tmp_path, 8, "drain_seconds = 1", born.server_process)) == []


async def test_everybody_comes_back_after_a_kill(tmp_path: Path, born: Nursery) -> None:
    assert missed(await storm(tmp_path, 20, born.server_process)) == []


@pytest.mark.parametrize(("soft", "hard", "room"), [(KEPT + 5, KEPT + 5, 5), (KEPT + 5, KEPT + 40, 30)])
def test_there_are_no_more_connections_than_files_may_be_open(soft: int, hard: int, room: int) -> None:
    """A process of its own, because the limit of this one could not be raised again."""
    asked = f"""
import resource
from server.descriptors import most_connections
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
print(most_connections(30))
"""
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert int(done.stdout) == room
