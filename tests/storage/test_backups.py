"""Copies of the store while it serves: one state, whole or not at all, in order whatever the clock says."""

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from storage.backups import MOST_COPIES, backups, clear_partial, copy_online, expire, thin_out
from storage.connection import inline
from storage.refusals import StoreRefused
from storage.sizes import sizes, sizes_by_kind
from tests.disks import fill, mounted

NOW = 1_790_000_000_000
DAY = 24 * 3_600_000


def nothing() -> None:
    """No pace."""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "fireside.db"
    filled(path, 3)
    return path


def filled(path: Path, mebibytes: int) -> None:
    with inline(path) as opened:
        for number in range(mebibytes * 16):
            opened.db.execute("INSERT INTO settings VALUES ('u', 'c', ?, ?, 0)", (str(number), "x" * 65_536))


def settings_in(file: Path) -> int:
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        row: tuple[int] = db.execute("SELECT COUNT(*) FROM settings").fetchone()
        return row[0]


def steps_while_writing(store: Path, copying: sqlite3.Connection, into: Path) -> int:
    """How many steps a copy takes when something is written between each two, up to 40."""
    steps = 0
    with (
        closing(sqlite3.connect(store, isolation_level=None)) as writer,
        closing(sqlite3.connect(into)) as copy,
    ):

        def write(_status: int, left: int, _all: int) -> None:
            nonlocal steps
            steps += 1
            writer.execute("INSERT INTO settings VALUES ('w', ?, ?, 'v', 0)", (into.name, str(steps)))
            if steps == 40 and left:
                raise InterruptedError

        try:
            copying.backup(copy, pages=256, progress=write)
        except InterruptedError:
            return steps
    return steps


def test_who_writes_goes_on_and_the_copy_holds_one_state(store: Path) -> None:
    before = settings_in(store)
    with closing(sqlite3.connect(store, isolation_level=None)) as writer:
        writer.execute("PRAGMA busy_timeout = 0")
        written = 0

        def write() -> None:
            nonlocal written
            written += 1
            writer.execute("INSERT INTO settings VALUES ('w', 'c', ?, 'v', 0)", (str(written),))

        copy = copy_online(store, NOW, write)
    assert 3 <= written <= 6, "a write between two steps did not begin the copy anew"
    assert settings_in(copy) == before
    assert settings_in(store) == before + written


def test_without_a_state_that_is_held_a_copy_would_begin_anew_at_every_write(
    store: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(store, isolation_level=None)) as source:
        assert steps_while_writing(store, source, tmp_path / "not held") == 40
    with closing(sqlite3.connect(store, isolation_level=None)) as source:
        source.execute("BEGIN")
        source.execute("SELECT * FROM store").fetchall()
        assert steps_while_writing(store, source, tmp_path / "held") < 10


def test_a_disk_that_fills_up_leaves_no_half_copy(tmp_path: Path) -> None:
    with mounted(tmp_path / "small", "60m") as small:
        filled(small / "fireside.db", 8)
        with pytest.raises(StoreRefused) as refused:
            copy_online(small / "fireside.db", NOW, lambda: fill(small / "filler"))
        assert refused.value.code == "storage.full"
        assert list((small / "backups").iterdir()) == []
        (small / "filler").unlink()
        assert settings_in(copy_online(small / "fireside.db", NOW, nothing)) == 8 * 16


def test_a_copy_that_would_fill_the_disk_is_not_begun(tmp_path: Path) -> None:
    with mounted(tmp_path / "small", "30m") as small:
        filled(small / "fireside.db", 1)
        with pytest.raises(StoreRefused) as refused:
            copy_online(small / "fireside.db", NOW, nothing)
        assert refused.value.code == "storage.full"
        assert not (small / "backups").exists()


def test_what_a_kill_left_of_a_copy_goes(store: Path) -> None:
    copy = copy_online(store, NOW, nothing)
    for end in (".partial", ".partial-journal"):
        shutil.copyfile(copy, copy.with_suffix(end))
    clear_partial(store.parent)
    assert [each.name for each in copy.parent.iterdir()] == [copy.name]


def test_copies_are_in_order_also_under_a_clock_that_goes_back(store: Path) -> None:
    made = [copy_online(store, at, nothing) for at in (NOW, NOW - 3_650 * DAY, 0, NOW + 1)]
    assert [each.path for each in backups(store.parent)] == made


def test_a_copy_from_under_a_clock_that_was_ahead_lives_a_week_from_when_that_is_known(store: Path) -> None:
    for at in (NOW - DAY, NOW + 3_650 * DAY, NOW + 3_651 * DAY):
        copy_online(store, at, nothing)
    assert expire(store.parent, NOW) == ()
    left = backups(store.parent)
    assert [NOW - each.at for each in left] == [DAY, 1, 0]
    assert len(expire(store.parent, NOW + 6 * DAY)) == 1
    assert len(expire(store.parent, NOW + 7 * DAY)) == 2


def test_the_number_of_copies_is_bounded_and_the_oldest_go(store: Path) -> None:
    first = copy_online(store, NOW, nothing)
    day = re.search(r"\d{8}T\d{9}Z", first.name)
    assert day is not None
    made = [first]
    for number in range(1, MOST_COPIES + 2):
        made.append(first.with_name(first.name.replace(day[0], f"20280101T0000000{number:02}Z")))
        shutil.copyfile(first, made[-1])
    assert thin_out(store.parent) == tuple(each.name for each in made[:2])
    assert [each.path for each in backups(store.parent)] == made[2:]


def test_sizes_add_up_to_what_is_on_the_disk(store: Path) -> None:
    copy_online(store, NOW, nothing)
    (store.parent / "spill").write_bytes(bytes(5_000))
    found = sizes(store)
    assert found.total == sum(each.stat().st_size for each in store.parent.rglob("*") if each.is_file())
    assert found.database == store.stat().st_size
    assert found.backups >= found.database
    with inline(store) as opened:
        kinds = sizes_by_kind(opened.db)
    if kinds:  # this SQLite was built with dbstat
        assert sum(kinds.values()) == found.database
        assert kinds["other"] > 3_000_000, "settings are no kind of their own"
