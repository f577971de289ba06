"""A store of any older form becomes the present one, whole or not at all; a newer one is not touched."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from storage.connection import inline
from storage.migrating import back_up, migrate, steps, version_of
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
