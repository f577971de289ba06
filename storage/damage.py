"""Whether a store is damaged, as far as one can see: its header, its schema, its log, and SQLite's own check."""

from contextlib import closing
from pathlib import Path
from typing import Final

from storage.engine import connect, errors
from storage.migrating import backups_of, refuse_newer
from storage.refusals import StoreRefused, translated

CHECKED_AT_START: Final = 64 * 1024 * 1024  # bytes; a larger store is checked while it serves (decision D7)
_FINDINGS: Final = 5


def damage(path: Path) -> str | None:
    """What is wrong with the file at ``path``, in SQLite's words; None when nothing is seen.

    A file that is not there is none, and one that a newer version wrote raises ``StoreRefused``: it is left as it is.
    """
    try:
        if not path.exists():
            return None
        if path.stat().st_size == 0 and backups_of(path):
            return "the file is empty"
        refuse_newer(path)
        _rolled_back(path)
        return checked(path, whole=path.stat().st_size < CHECKED_AT_START)
    except StoreRefused as refused:
        if refused.code == "storage.damaged":
            return refused.detail
        raise
    except errors() as error:  # what is asked here is right: it is the file that cannot be read
        return getattr(error, "sqlite_errorname", type(error).__name__)


def _rolled_back(path: Path) -> None:
    """A power cut in a store's very first moments, before it has a log, leaves a journal that SQLite takes back."""
    if Path(f"{path}-journal").exists():
        with translated(), closing(connect(path)) as db:
            db.execute("SELECT name FROM sqlite_master").fetchall()


def checked(path: Path, *, whole: bool = True) -> str | None:
    """Read the schema of the file with its log; with ``whole`` every page is checked too. Nothing is written.

    Raises ``StoreRefused``, with ``storage.damaged`` where SQLite cannot even begin.
    """
    if path.stat().st_size == 0:
        return None
    with translated(), closing(connect(path, options="mode=ro")) as db:
        found: list[tuple[str]] = db.execute("SELECT name FROM sqlite_master").fetchall()
        if whole:
            rows: list[tuple[str]] = db.execute(f"PRAGMA quick_check({_FINDINGS})").fetchall()
            if rows != [("ok",)]:
                return "; ".join(row[0].splitlines()[0] for row in rows)
    return None if ("store",) in found or not found else "it holds no table named store"
