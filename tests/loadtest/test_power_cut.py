"""The power goes at any moment: everything acknowledged is there. Without the protection the same test fails."""

import random
from pathlib import Path

import pytest

from loadtest.power_cut import NoCompiler, judge, record
from loadtest.recorded import Disk, Event, acknowledged, events

SEED = 20_261
STATES = 50


async def recorded(folder: Path, messages: int, durability: str = "acked") -> Path:
    try:
        return await record(folder, messages, durability)  # type: ignore[arg-type] # one of the literals
    except NoCompiler:
        pytest.skip("a C compiler is needed to record what a server writes")


@pytest.mark.compiler
async def test_a_cut_loses_nothing_acknowledged_and_breaks_nothing_and_without_fsync_it_does(
    tmp_path: Path,
) -> None:
    print(f"seed {SEED}")
    written = await recorded(tmp_path, 48)
    seen = judge(written, STATES, SEED)
    assert seen.states == STATES
    assert seen.promises > STATES
    assert seen.broken == 0, seen
    control = judge(written, STATES, SEED, syncs=False)
    assert control.lost > 0
    assert control.corrupt + control.unopened > 0


@pytest.mark.compiler
async def test_with_synchronous_normal_the_last_commits_are_lost_and_nothing_is_broken(
    tmp_path: Path,
) -> None:
    """The control of the setting: ``process`` promises a kill, and no more."""
    written = await recorded(tmp_path, 24, "process")
    control = judge(written, STATES, SEED)
    assert control.lost > 0
    assert control.corrupt == control.unopened == 0


def written_to(path: str, place: int, content: bytes) -> Event:
    return Event("W", path, place, content)


def cuts_of(disk: Disk, path: str) -> set[bytes]:
    chance = random.Random(SEED)
    return {bytes(files[path]) for _, files in (disk.cut(chance) for _ in range(200)) if path in files}


def test_what_was_synced_stays_and_of_the_rest_any_sectors_may_be_there() -> None:
    disk = Disk()
    for event in (Event("C", "/a", 0, b""), written_to("/a", 0, b"x" * 1_024), Event("S", "/a", 0, b"")):
        disk.take(event)
    disk.take(Event("S", "/", 0, b""))  # the folder
    disk.take(written_to("/a", 0, b"y" * 1_024))
    x, y = b"x" * 512, b"y" * 512
    assert cuts_of(disk, "/a") == {x + x, y + y, x + y, y + x}


def test_a_name_is_sure_only_once_its_folder_was_synced() -> None:
    disk = Disk()
    for event in (Event("C", "/a", 0, b""), written_to("/a", 0, b"a"), Event("S", "/a", 0, b"")):
        disk.take(event)
    chance = random.Random(SEED)
    assert {"/a" in files for _, files in (disk.cut(chance) for _ in range(50))} == {True, False}
    disk.take(Event("S", "/", 0, b""))
    disk.take(Event("R", "/a", 0, b"/b"))
    assert {tuple(files) for _, files in (disk.cut(chance) for _ in range(50))} == {("/a",), ("/b",)}


def test_a_record_that_was_cut_off_is_read_up_to_there(tmp_path: Path) -> None:
    file = tmp_path / "record"
    file.write_bytes(acknowledged(b"one") + acknowledged(b"two")[:-1])
    assert [event.content for event in events(file)] == [b"one"]
