"""How far the store has come is noted beside it: an older copy in its place is known by it and gets a new epoch."""

import sqlite3
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest

from storage.connection import inline, transacted
from storage.mark import MARK, Mark
from storage.order import epoch, next_number


@pytest.fixture
def db(tmp_path: Path) -> Generator[sqlite3.Connection]:
    with inline(tmp_path / "fireside.db") as store:
        yield store.db


def looked(db: sqlite3.Connection, folder: Path) -> tuple[tuple[str, int] | None, bool]:
    """What a start sees, and whether the epoch is another one afterwards."""
    before = epoch(db)
    with closing(Mark(folder)) as mark:
        seen = transacted(db, mark.held_against)
        mark.note(db)
    return seen, epoch(db) != before


def counted(db: sqlite3.Connection, folder: Path, times: int) -> None:
    with closing(Mark(folder)) as mark:
        for _ in range(times):
            transacted(db, next_number)
            mark.note(db)


def test_a_new_store_and_one_that_only_went_on_keep_their_epoch(
    db: sqlite3.Connection, tmp_path: Path
) -> None:
    assert looked(db, tmp_path) == (None, False)
    counted(db, tmp_path, 3)
    assert looked(db, tmp_path) == (None, False)
    transacted(db, next_number)  # committed, and killed before it was noted
    assert looked(db, tmp_path) == (None, False)


def test_an_older_copy_gets_a_new_epoch_once(db: sqlite3.Connection, tmp_path: Path) -> None:
    counted(db, tmp_path, 3)
    first = epoch(db)
    (tmp_path / MARK).write_text(f"{first} {4:020d}\n")
    assert looked(db, tmp_path) == ((first, 4), True)
    assert looked(db, tmp_path) == (None, False)


@pytest.mark.parametrize(
    "noted", [None, "", "torn", "one two", "another 00000000000000000001", f"{'x' * 80}\n"]
)
def test_where_it_cannot_be_told_the_epoch_is_a_new_one(
    db: sqlite3.Connection, tmp_path: Path, noted: str | None
) -> None:
    counted(db, tmp_path, 3)
    (tmp_path / MARK).unlink()
    if noted is not None:
        (tmp_path / MARK).write_text(noted)
    assert looked(db, tmp_path)[1]
    assert looked(db, tmp_path) == (None, False)


def test_a_note_that_cannot_be_written_stops_nothing(db: sqlite3.Connection, tmp_path: Path) -> None:
    (tmp_path / MARK).mkdir()
    counted(db, tmp_path, 1)
    assert looked(db, tmp_path)[1]
