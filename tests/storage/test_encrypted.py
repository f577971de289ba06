"""An encrypted store behind the same functions: no plain text in any file, and a wrong key is told from damage."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from companions.changes import AnyChange, MessagesRemoved
from server.copying import Copier
from server.ids import new_id
from server.order_line import STORE_FILE
from storage.apply import apply_all
from storage.connection import InlineStore, inline, opened, transacted
from storage.damage import damage
from storage.encrypting import encrypt
from storage.engine import (
    CHECK_FILE,
    PLAIN,
    WrongKey,
    connect,
    forget,
    is_encrypted,
    key_of,
    unlock,
    write_check,
)
from storage.fulltext import index_pending, search
from storage.messages import history
from storage.migrating import back_up
from storage.refusals import StoreRefused
from storage.restoring import restore
from storage.scrubbing import scrub
from storage.spill import spill
from tests.storage.making import ANNA, answered, closed, said

pytest.importorskip("sqlcipher3", reason="SQLCipher is an extra")

KEY, OTHER = bytes(range(32)), bytes(32)
CANARY = b"zanzibarquince"
TEXT = f"I love {CANARY.decode()} in the morning."


@pytest.fixture(autouse=True)
def no_key_stays(tmp_path: Path) -> Iterator[None]:
    yield
    forget(tmp_path)


def live(folder: Path) -> None:
    """A talk, its search, a copy, and something that waits beside the store."""
    path = folder / STORE_FILE
    with inline(path, "acked") as store:
        talk: list[AnyChange] = [said("c", 1, TEXT), answered("c", 2, f"Yes, {TEXT}"), closed("c")]
        transacted(store.db, lambda db: apply_all(db, talk))
        transacted(store.db, index_pending)
        back_up(store.db, path, 1_000)
        with spill(folder / "spill", 16_384) as file:
            file.keep([(said("d", 1, TEXT),)])
        assert CANARY in files_of(folder) or key_of(path) is not None
        assert found_by_word(store)


def found_by_word(store: InlineStore) -> bool:
    return bool(search(store.db, user=ANNA, query=CANARY.decode(), limit=5))


def files_of(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in folder.rglob("*") if each.is_file())


def texts(path: Path) -> list[str | None]:
    with inline(path) as store:
        return [each.text for each in history(store.db, user=ANNA, conversation="c")]


def test_no_plain_text_is_in_any_file_and_without_the_key_the_same_life_leaves_it_everywhere(
    tmp_path: Path,
) -> None:
    unlock(tmp_path, KEY)
    live(tmp_path)
    whole = files_of(tmp_path)
    assert CANARY not in whole
    assert PLAIN not in whole, "no copy is a database in the clear"
    assert KEY not in whole
    assert KEY.hex().encode() not in whole
    with spill(tmp_path / "spill", 16_384) as file:
        assert file.waiting() == [(said("d", 1, TEXT),)]
    assert texts(tmp_path / STORE_FILE) == [TEXT, f"Yes, {TEXT}"]
    control = tmp_path.with_name(f"{tmp_path.name}-plain")
    control.mkdir()
    live(control)
    for name in (STORE_FILE, "spill", "backups"):
        part = control / name
        assert CANARY in (files_of(part) if part.is_dir() else part.read_bytes()), name


async def test_over_the_databases_thread_too_and_copied_while_it_serves(tmp_path: Path) -> None:
    unlock(tmp_path, KEY)
    async with opened(tmp_path / STORE_FILE) as store:
        await store.transact(lambda db: apply_all(db, [said("c", 1, TEXT)]))
        found = await store.read(lambda db: history(db, user=ANNA, conversation="c"))
        assert [each.text for each in found] == [TEXT]
        copy = await Copier(tmp_path).copy(1_000)
        with pytest.raises(StoreRefused) as refused:
            await store.read(lambda db: db.execute("INSERT INTO settings VALUES ('u', 'c', 'k', 'v', 0)"))
        assert refused.value.code == "storage.read_only"
    assert CANARY not in files_of(tmp_path)
    with closing(connect(copy)) as db:
        assert db.execute("SELECT text FROM messages").fetchall() == [(TEXT,)]


def test_a_change_that_contradicts_is_refused_alone_here_too(tmp_path: Path) -> None:
    unlock(tmp_path, KEY)
    with inline(tmp_path / STORE_FILE) as store:
        again = said("c", 1, TEXT, message="msg_c_9", command=said("c", 9).command)
        landed, refused = apply_all(store.db, [said("c", 1, TEXT), again])
    assert type(landed).__name__ == "Landed"
    assert type(refused).__name__ == "Refused"


def test_a_wrong_key_none_and_one_for_a_store_in_the_clear_are_told_and_nothing_is_touched(
    tmp_path: Path,
) -> None:
    unlock(tmp_path, KEY)
    live(tmp_path)
    forget(tmp_path)
    before = files_of(tmp_path)
    with pytest.raises(WrongKey, match="is not the key of this store"):
        unlock(tmp_path, OTHER)
    assert is_encrypted(tmp_path)
    assert files_of(tmp_path) == before
    plain = tmp_path.with_name(f"{tmp_path.name}-plain")
    with inline(plain / STORE_FILE):
        pass
    with pytest.raises(WrongKey, match="not encrypted"):
        unlock(plain, KEY)


def test_a_damaged_one_is_restored_from_its_copy_with_what_can_be_read(tmp_path: Path) -> None:
    unlock(tmp_path, KEY)
    live(tmp_path)
    path = tmp_path / STORE_FILE
    content = bytearray(path.read_bytes())
    content[-4_096:] = b"\xa5" * 4_096
    path.write_bytes(content)
    seen = damage(path)
    assert seen is not None
    restored = restore(path, seen, 2_000, lambda: new_id("msg"))
    assert restored.backup is not None
    assert damage(path) is None
    assert texts(path) == [TEXT, f"Yes, {TEXT}"]
    assert CANARY not in files_of(tmp_path)


def test_a_store_in_the_clear_is_encrypted_with_its_copies_and_what_waited(tmp_path: Path) -> None:
    live(tmp_path)
    (tmp_path / "set-aside" / "20260102T030405Z").mkdir(parents=True)
    (tmp_path / "set-aside" / "20260102T030405Z" / STORE_FILE).write_bytes(CANARY)
    assert CANARY in files_of(tmp_path)
    assert encrypt(tmp_path / STORE_FILE, KEY, 5_000) == 2
    assert CANARY not in files_of(tmp_path)
    assert PLAIN not in files_of(tmp_path)
    assert texts(tmp_path / STORE_FILE) == [TEXT, f"Yes, {TEXT}"]
    with inline(tmp_path / STORE_FILE) as store:
        assert found_by_word(store)
        assert [each.text for each in history(store.db, user=ANNA, conversation="d")] == [TEXT], (
            "it had waited"
        )
    assert encrypt(tmp_path / STORE_FILE, KEY, 6_000) == 0
    with pytest.raises(WrongKey):
        encrypt(tmp_path / STORE_FILE, OTHER, 7_000)


def test_an_encryption_that_was_cut_short_is_finished_by_doing_it_again(tmp_path: Path) -> None:
    live(tmp_path)
    write_check(tmp_path, KEY)  # the first thing that is done
    with pytest.raises(WrongKey, match="not encrypted"):
        unlock(tmp_path, KEY)
    (tmp_path / "fireside.encrypting").write_bytes(b"half")
    assert encrypt(tmp_path / STORE_FILE, KEY, 5_000) == 2
    assert texts(tmp_path / STORE_FILE) == [TEXT, f"Yes, {TEXT}"]
    assert (tmp_path / CHECK_FILE).stat().st_mode & 0o777 == 0o600


def test_what_is_removed_is_written_away_since_it_cannot_be_looked_for(tmp_path: Path) -> None:
    unlock(tmp_path, KEY)
    live(tmp_path)
    with inline(tmp_path / STORE_FILE) as store:
        gone = MessagesRemoved(user=ANNA, companion="clara", at=1, conversation="c", messages=("msg_c_1",))
        transacted(store.db, lambda db: apply_all(db, [gone]))
        done = scrub(store.db, [TEXT])
        assert done.clean
        assert done.rewritten
        pages: tuple[int] = store.db.execute("PRAGMA freelist_count").fetchone()
        assert pages == (0,)


def test_without_sqlcipher_nothing_else_changes(tmp_path: Path) -> None:
    with inline(tmp_path / STORE_FILE) as store:
        assert isinstance(store.db, sqlite3.Connection)
    assert not (tmp_path / CHECK_FILE).exists()
