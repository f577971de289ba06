"""A store of any older form becomes the present one, whole or not at all; a newer one is not touched."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from storage.connection import inline
from storage.migrating import _take, back_up, migrate, steps, version_of
from storage.refusals import StoreRefused

KILL = """
import os, signal, sqlite3, sys
from pathlib import Path
from storage.migrating import migrate

path, statements = Path(sys.argv[1]), int(sys.argv[2])
for most in range(statements):
    target = path.with_name(f"{most}.sqlite3")
    child = os.fork()
    if child == 0:
        db = sqlite3.connect(target, isolation_level=None)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = OFF")  # a kill takes nothing from the system's memory
        seen = 0
        def count(_):
            global seen
            seen += 1
            if seen > most:
                os.kill(os.getpid(), signal.SIGKILL)
        db.set_trace_callback(count)
        migrate(db, target, 0)
        os._exit(0)
    os.waitpid(child, 0)
"""


def statements_of_a_migration() -> int:
    seen: list[str] = []
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        db.set_trace_callback(seen.append)
        migrate(db, Path("unused"), 0)
    return len(seen)


def test_killed_at_any_statement_it_leaves_one_form_or_the_other(tmp_path: Path) -> None:
    most = statements_of_a_migration()
    subprocess.run([sys.executable, "-c", KILL, str(tmp_path / "x"), str(most)], check=True, cwd=Path.cwd())
    versions: set[int] = set()
    for number in range(most):
        with closing(sqlite3.connect(tmp_path / f"{number}.sqlite3", isolation_level=None)) as db:
            versions.add(version_of(db))
            tables = db.execute("SELECT COUNT(*) FROM sqlite_schema WHERE name = 'messages'").fetchone()
            assert tables == (min(version_of(db), 1),), "a step is there whole or not at all"
            db.execute("PRAGMA synchronous = OFF")
            migrate(db, tmp_path / f"{number}.sqlite3", number)
            assert version_of(db) == len(steps())
            assert db.execute("SELECT LENGTH(epoch) FROM store").fetchone() == (16,)
    assert versions == set(range(len(steps())))


def test_a_newer_store_is_refused_and_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "fireside.sqlite3"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute(f"PRAGMA user_version = {len(steps()) + 1}")
    before = path.read_bytes()
    with pytest.raises(StoreRefused) as refused, inline(path):
        pass
    assert refused.value.code == "storage.newer"
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_an_older_store_is_copied_before_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "fireside.sqlite3"
    with inline(path) as store:
        store.db.execute("INSERT INTO settings VALUES ('u', 'c', 'k', 'v', 0)")
        backup = back_up(store.db, path, 1_700_000_000_123)
    assert backup.name == f"fireside-20231114T221320123Z-v{len(steps())}.sqlite3"
    assert backup.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in backup.parent.iterdir()] == [backup.name]
    with closing(sqlite3.connect(backup)) as copy:
        assert copy.execute("SELECT value FROM settings").fetchall() == [("v",)]


def test_a_new_store_needs_no_copy(tmp_path: Path) -> None:
    with inline(tmp_path / "fireside.sqlite3"):
        assert not (tmp_path / "backups").exists()


def test_opening_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "fireside.sqlite3"
    with inline(path) as store:
        epoch = store.db.execute("SELECT epoch FROM store").fetchone()
    with inline(path) as store:
        assert store.db.execute("SELECT epoch FROM store").fetchone() == epoch
        assert not (tmp_path / "backups").exists()


def old_store(path: Path, version: int) -> None:
    """A store as the migrations up to ``version`` left it, with a conversation of two messages in it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = OFF")
        for number, step in enumerate(steps()[:version], start=1):
            db.executescript(f"BEGIN; {step}; PRAGMA user_version = {number}; COMMIT")
            if number == 1:
                db.executescript(OLD_ROWS)


OLD_ROWS = """
INSERT INTO store VALUES (1, '0123456789abcdef', 2, 2000, NULL);
INSERT INTO users VALUES ('ann', 'serenity', 'active', 1000, 2000, 'cnv_1');
INSERT INTO conversations (id, user_id, companion, session_type, parent_mode, message_limit, title, title_given,
    title_folded, preview, created_at, updated_at, activity, last_position, message_count)
VALUES ('cnv_1', 'ann', 'serenity', 'freeform', 0, 20, 'Roses', 0, 'roses', 'Roses', 1000, 2000, 2, 2, 2);
INSERT INTO messages (stored, id, user_id, companion, conversation, position, role, text, at, status, settled)
VALUES (1, 'msg_1', 'ann', 'serenity', 'cnv_1', 1, 'user', 'The roses bloom.', 1000, 'completed', 1),
    (2, 'msg_2', 'ann', 'serenity', 'cnv_1', 2, 'assistant', 'They do.', 2000, 'completed', 1);
"""
TEXTS = [("The roses bloom.",), ("They do.",)]


def texts(path: Path) -> list[tuple[str]]:
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        return db.execute("SELECT text FROM messages ORDER BY position").fetchall()


@pytest.mark.parametrize("version", range(1, len(steps())))
def test_a_store_of_every_older_form_opens_with_all_that_was_in_it_and_a_copy_of_before(
    tmp_path: Path, version: int
) -> None:
    path = tmp_path / "fireside.sqlite3"
    old_store(path, version)
    with inline(path, at=1_000) as store:
        assert version_of(store.db) == len(steps())
    assert texts(path) == TEXTS
    (backup,) = (tmp_path / "backups").iterdir()
    assert texts(backup) == TEXTS
    with closing(sqlite3.connect(backup)) as copy:
        assert version_of(copy) == version


def statements_from(version: int) -> int:
    seen: list[str] = []
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        for step in steps()[:version]:
            db.executescript(step)
        db.execute(f"PRAGMA user_version = {version}")
        db.set_trace_callback(seen.append)
        for number, step in enumerate(steps()[version:], start=version + 1):
            _take(db, step, number)
    return len(seen)


def test_an_upgrade_killed_at_any_statement_always_opens_with_all_that_was_in_it(tmp_path: Path) -> None:
    first = len(steps()) - 2
    most = statements_from(first) + 8  # and those of the copy before
    for number in range(most):
        old_store(tmp_path / f"{number}.sqlite3", first)
    subprocess.run([sys.executable, "-c", KILL, str(tmp_path / "x"), str(most)], check=True, cwd=Path.cwd())
    versions: set[int] = set()
    for number in range(most):
        path = tmp_path / f"{number}.sqlite3"
        with closing(sqlite3.connect(path)) as db:
            versions.add(version_of(db))
        copies = sorted((tmp_path / "backups").glob(f"{number}-*.sqlite3"))
        assert copies or version_of_file(path) == first, "nothing changes before there is a copy"
        with inline(path, at=number + 1):
            assert texts(path) == TEXTS
    assert versions == set(range(first, len(steps()) + 1))


def version_of_file(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return version_of(db)
