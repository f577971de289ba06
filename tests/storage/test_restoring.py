"""A store that was damaged in any way opens again, with all of its backup and what can be read beyond it."""

import contextlib
import itertools
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companions.changes import AnyChange
from storage.apply import apply_all
from storage.connection import inline
from storage.damage import damage
from storage.migrating import back_up
from storage.order import epoch
from storage.refusals import StoreRefused
from storage.restoring import SET_ASIDE, Restored, finished, last_restored, restore
from tests.storage.making import answered, said

BEFORE = [f"Said before the backup, number {number}." for number in range(20)]
AFTER = [f"Said after the backup, number {number}. " + "It was a long day. " * 40 for number in range(60)]
FILE = "fireside.db"


def fresh_ids() -> Callable[[], str]:
    numbers = itertools.count()
    return lambda: f"msg_lost_{next(numbers)}"


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store, and a backup of it from before its later part."""
    file = tmp_path_factory.mktemp("good") / FILE
    with inline(file, "acked") as store:
        for position, text in enumerate(BEFORE + AFTER):
            if position == len(BEFORE):
                back_up(store.db, file, 5_000)
            talk, place = f"cnv_{position // 10}", 2 * (position % 10) + 1
            exchange: list[AnyChange] = [
                said(talk, place, text),
                answered(talk, place + 1, f"Answer to {position}."),
            ]
            store.db.execute("BEGIN")
            apply_all(store.db, exchange)
            store.db.execute("COMMIT")
    return file.parent


def spoiled(good: Path, place: Path, spoil: Callable[[bytes], bytes]) -> Path:
    file = place / FILE
    file.write_bytes(spoil((good / FILE).read_bytes()))
    (place / "backups").mkdir()
    for backup in (good / "backups").iterdir():
        (place / "backups" / backup.name).write_bytes(backup.read_bytes())
    return file


def mended(file: Path) -> Restored | None:
    """What a start does."""
    finished(file)
    seen = damage(file)
    return None if seen is None else restore(file, seen, 9_000, fresh_ids())


def look(file: Path) -> set[str]:
    """Everything the person said in it; the store is sound, and positions have no gaps."""
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        for talk, last in db.execute("SELECT id, last_position FROM conversations").fetchall():
            rows = db.execute(
                "SELECT position FROM messages WHERE conversation = ? ORDER BY position", (talk,)
            ).fetchall()
            assert [position for (position,) in rows] == list(range(1, last + 1))
        return {
            text for (text,) in db.execute("SELECT text FROM messages WHERE role = 'user' AND removed = 0")
        }


SPOILS: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda _: b"",
    "another file": lambda _: b"this was a store once" * 500,
    "no header": lambda content: bytes(100) + content[100:],
    "no schema": lambda content: content[:100] + bytes(3_900) + content[4_000:],
    "another form": lambda content: content[:47] + b"\x09" + content[48:],
    "a name that is no text": lambda content: content.replace(b"indexalerts_user", b"index\xff\xfeerts_user"),
    "cut in half": lambda content: content[: len(content) // 2],
    "cut within a page": lambda content: content[: len(content) - 1_000],
    "a torn page": lambda content: content[:40_960] + b"\xa5" * 2_048 + content[43_008:],
}


@pytest.mark.parametrize("spoil", SPOILS)
def test_whatever_happened_to_it_all_of_the_backup_comes_back(good: Path, tmp_path: Path, spoil: str) -> None:
    file = spoiled(good, tmp_path, SPOILS[spoil])
    found = file.read_bytes()
    restored = mended(file)
    assert restored is not None
    assert restored.backup is not None
    there = look(file)
    assert there >= set(BEFORE)
    assert there <= set(BEFORE + AFTER)
    assert (tmp_path / restored.set_aside / FILE).read_bytes() == found
    assert last_restored(tmp_path) == restored


def test_what_can_be_read_beyond_the_backup_is_saved(good: Path, tmp_path: Path) -> None:
    file = spoiled(good, tmp_path, SPOILS["a torn page"])
    restored = mended(file)
    assert restored is not None
    there = look(file)
    assert len(there & set(AFTER)) >= len(AFTER) - 10
    assert restored.rows["messages"] > 2 * len(BEFORE)


def test_without_any_backup_what_can_be_read_is_all_there_is(good: Path, tmp_path: Path) -> None:
    file = spoiled(good, tmp_path, SPOILS["a torn page"])
    for backup in (tmp_path / "backups").iterdir():
        backup.write_bytes(b"as bad as the store")
    restored = mended(file)
    assert restored is not None
    assert restored.backup is None
    assert look(file)


def test_a_restored_store_has_another_epoch_and_is_searched_anew(good: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(good / FILE)) as db:
        before = epoch(db)
    file = spoiled(good, tmp_path, SPOILS["cut in half"])
    mended(file)
    with closing(sqlite3.connect(file)) as db:
        assert epoch(db) != before
        assert db.execute("SELECT COUNT(*) FROM search").fetchone() == (0,)
        assert db.execute("SELECT COUNT(*) FROM conversations WHERE indexed > 0").fetchone() == (0,)


def test_a_sound_store_and_a_newer_one_are_left_as_they_are(good: Path, tmp_path: Path) -> None:
    file = spoiled(good, tmp_path, lambda content: content)
    assert mended(file) is None
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA user_version = 99")
    before = file.read_bytes()
    with pytest.raises(StoreRefused) as refused:
        mended(file)
    assert refused.value.code == "storage.newer"
    assert file.read_bytes() == before
    assert not (tmp_path / SET_ASIDE).exists()


def test_killed_between_the_files_the_next_start_goes_on(good: Path, tmp_path: Path) -> None:
    file = spoiled(good, tmp_path, SPOILS["a torn page"])
    damaged = file.read_bytes()
    restored = mended(file)
    assert restored is not None
    there = look(file)
    file.rename(file.with_suffix(".restored"))  # as it stood before the exchange
    file.write_bytes(damaged)
    (tmp_path / restored.set_aside / FILE).unlink()
    assert mended(file) is None
    assert look(file) == there
    assert (tmp_path / restored.set_aside / FILE).read_bytes() == damaged


@settings(max_examples=25)
@given(data=st.data())
def test_flipped_bits_are_never_served_silently_or_end_the_start(
    good: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = bytearray((good / FILE).read_bytes())
    for _ in range(data.draw(st.integers(1, 12))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] ^= 1 << data.draw(st.integers(0, 7))
    file = spoiled(good, tmp_path_factory.mktemp("flipped"), lambda _: bytes(content))
    with contextlib.suppress(StoreRefused):  # a newer version in its header: it is left as it is
        if mended(file) is not None:
            assert len(look(file)) >= len(BEFORE)
        assert mended(file) is None
