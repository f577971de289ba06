"""A damaged store is set aside, the newest good backup takes its place, and what can be read beyond it is saved.

Decision D7. The damaged files are kept as they are, in a dated folder of ``set-aside``. The restored store has a new
epoch, so that no client goes on as if nothing had happened, and its search index is made again.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from storage.connection import checkpointed, inline
from storage.damage import checked
from storage.migrating import backups_of, reach_disk, refuse_newer
from storage.private_files import private, private_copy
from storage.refusals import StoreRefused, translated
from storage.salvaging import salvaged, settled

SET_ASIDE: Final = "set-aside"
REPORT: Final = "report.json"
_BESIDE: Final = ("", "-wal", "-shm", "-journal")


class Restored(msgspec.Struct, frozen=True, kw_only=True):
    """What was done about a damaged store; ``rows`` counts by table what was read out of the damaged file."""

    damage: str
    at: int  # milliseconds since 1970
    set_aside: str  # the folder, beside the store
    backup: str | None  # the file it was restored from; None: there was no good one
    rows: dict[str, int]
    unreadable: tuple[str, ...]  # tables that could not be read to their end
    gaps: int  # messages whose place is known and whose words are lost


def restore(path: Path, damage: str, at: int, new_id: Callable[[], str]) -> Restored:
    """Put the newest good backup in the place of the store at ``path``, with what the damaged one still gives.

    ``at`` (milliseconds since 1970) dates the folder, ``new_id`` names the tombstones of what was lost. Raises
    ``StoreRefused`` where the disk refuses. What is made here is complete before the damaged files move, and a
    start after a kill goes on from there (``finished``).
    """
    with translated():
        aside = _place(path.parent / SET_ASIDE, at)
        fresh = path.with_suffix(".restoring")
        _removed(fresh)
        backup = _newest_good(path)
        if backup is not None:
            private_copy(backup, fresh)
        with _copy(path, aside) as damaged, inline(fresh, "acked", at=at) as store:
            rows, unreadable = salvaged(store.db, damaged)
            gaps = settled(store.db, new_id)
            checkpointed(store.db)
        restored = Restored(
            damage=damage,
            at=at,
            set_aside=str(aside.relative_to(path.parent)),
            backup=None if backup is None else backup.name,
            rows=rows,
            unreadable=unreadable,
            gaps=gaps,
        )
        private(aside / REPORT, msgspec.json.format(msgspec.json.encode(restored), indent=2))
        reach_disk(aside)
        fresh.replace(_ready(path))
        finished(path)
    return restored


def finished(path: Path) -> None:
    """Where a restored store is ready beside the damaged one, exchange them; else do nothing."""
    ready, report = _ready(path), _last_report(path.parent)
    if not ready.exists() or report is None:
        return
    with translated():
        for end in reversed(_BESIDE):
            with suppress(FileNotFoundError):
                Path(f"{path}{end}").replace(report.parent / f"{path.name}{end}")
        ready.replace(path)
        reach_disk(report.parent)
        reach_disk(path.parent)


def _ready(path: Path) -> Path:
    return path.with_suffix(".restored")


def _place(folder: Path, at: int) -> Path:
    folder.mkdir(mode=0o700, exist_ok=True)
    day = datetime.fromtimestamp(max(at, 0) / 1000, UTC).strftime("%Y%m%dT%H%M%SZ")
    for number in range(1, 1_000):
        place = folder / (day if number == 1 else f"{day}-{number}")
        if not place.exists():
            place.mkdir(mode=0o700)
            return place
    raise StoreRefused("storage.failed", "set-aside is full of folders of this second")


def _newest_good(path: Path) -> Path | None:
    for backup in reversed(backups_of(path)):
        with suppress(StoreRefused):
            refuse_newer(backup)
            if checked(backup) is None:
                return backup
    return None


@contextmanager
def _copy(path: Path, aside: Path) -> Generator[Path]:
    """A copy to read from: reading brings the log into a file, and the damaged one is to stay as it is."""
    copy = aside / "copy.db"
    for end in _BESIDE[:2]:  # the index of the log is made anew
        with suppress(FileNotFoundError):
            private_copy(Path(f"{path}{end}"), Path(f"{copy}{end}"))
    try:
        yield copy
    finally:
        _removed(copy)


def _removed(path: Path) -> None:
    for end in _BESIDE:
        Path(f"{path}{end}").unlink(missing_ok=True)


def last_restored(folder: Path) -> Restored | None:
    """The newest report of a restore in the data folder, for staff; None where there is none."""
    report = _last_report(folder)
    return None if report is None else msgspec.json.decode(report.read_bytes(), type=Restored)


def _last_report(folder: Path) -> Path | None:
    return max((folder / SET_ASIDE).glob(f"*/{REPORT}"), default=None)
