"""A store that is in the clear becomes an encrypted one, and its copies too; nothing is left beside it in the clear.

Each file is written anew in full, checked, brought to the disk, and only then takes the old one's place; so a kill
anywhere leaves files that can be used, and doing it again goes on from there.
"""

import shutil
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

from storage import engine
from storage.apply import apply_groups
from storage.backups import SET_ASIDE
from storage.connection import checkpointed, inline, transacted
from storage.engine import PLAIN, WrongKey
from storage.migrating import backups_of, reach_disk, version_of
from storage.refusals import StoreRefused, translated
from storage.spill import spill

SPILL_FILE = "spill"
_NEW = ".encrypting"


def encrypt(path: Path, key: bytes, at: int) -> int:
    """Encrypt the store at ``path`` and its copies; how many files. The caller holds the folder's lock.

    What lay damaged in ``set-aside`` goes: it cannot be encrypted. ``at`` dates a migration's copy. Raises
    ``WrongKey`` where another key was begun with, and ``StoreRefused``.
    """
    folder = path.parent
    with translated():
        if path.exists() and _is_plain(path):
            engine.forget(folder)
            _bring_in_what_waits(path, at)
        done = 0
        begun = engine.is_encrypted(folder)
        if begun:
            _same(folder, key)
        else:
            engine.write_check(folder, key)
        for file in (*backups_of(path), path):
            if file.exists() and _is_plain(file):
                _encrypted(file, key)
                done += 1
        shutil.rmtree(folder / SET_ASIDE, ignore_errors=True)
        reach_disk(folder)
    engine.unlock(folder, key)
    return done


def _same(folder: Path, key: bytes) -> None:
    expected = (folder / engine.CHECK_FILE).read_bytes()
    if expected != engine.derived(key, "key check").hex().encode():
        raise WrongKey("is not the key that the encryption was begun with")


def _is_plain(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(PLAIN)) == PLAIN


def _bring_in_what_waits(path: Path, at: int) -> None:
    """What was kept aside lands, the log is brought in, and the file of what was kept aside goes."""
    with inline(path, "acked", at=at) as store:
        with spill(path.parent / SPILL_FILE) as file:
            if groups := file.waiting():
                transacted(store.db, lambda db: apply_groups(db, groups))
                file.clear()
        checkpointed(store.db)
    (path.parent / SPILL_FILE).unlink(missing_ok=True)


def _encrypted(file: Path, key: bytes) -> None:
    fresh = file.with_suffix(_NEW)
    for left in _beside(fresh):
        left.unlink(missing_ok=True)
    fresh.touch(0o600)
    with closing(engine.cipher(file)) as plain:
        version = version_of(plain)
        plain.execute("ATTACH DATABASE ? AS fresh KEY ?", (str(fresh), f"x'{key.hex()}'"))
        plain.execute("SELECT sqlcipher_export('fresh')").fetchall()
        plain.execute(f"PRAGMA fresh.user_version = {version}")
        plain.execute("DETACH DATABASE fresh")
    _checked(fresh, key)
    fresh.chmod(0o600)
    reach_disk(fresh)
    fresh.replace(file)
    for left in _beside(file):
        if left != file:
            with suppress(FileNotFoundError):
                left.unlink()
    reach_disk(file.parent)


def _checked(file: Path, key: bytes) -> None:
    with closing(engine.connect_with(key, file)) as db:
        found: list[tuple[str]] = db.execute("PRAGMA integrity_check").fetchall()
    if found != [("ok",)]:
        raise StoreRefused("storage.damaged", "integrity_check of what was encrypted")


def _beside(file: Path) -> Iterator[Path]:
    yield from (Path(f"{file}{end}") for end in ("", "-wal", "-shm", "-journal"))
