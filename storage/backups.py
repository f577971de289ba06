"""Dated copies of the store: how they are made while it serves, how long they live, and which there are."""

import shutil
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from storage.engine import connect
from storage.migrating import BACKUPS, PARTIAL, back_up
from storage.order import newest_time
from storage.refusals import StoreRefused, translated

BACKUP_LIFE_MS = 7 * 24 * 3_600_000  # decision D30
SET_ASIDE_LIFE_MS = 30 * 24 * 3_600_000  # as above
LEFT_FREE_BYTES = 32 * 1024 * 1024  # what a copy leaves of the disk to the store itself
MOST_COPIES = 14  # whatever the clock says: a week of daily ones, and as many before migrations and erasures
SET_ASIDE = "set-aside"
_DATE = "%Y%m%dT%H%M%S%f"


def copy_online(path: Path, at: int, pace: Callable[[], object]) -> Path:
    """A checked copy of the store at ``path`` as it stands now, over a connection of its own; who writes goes on.

    ``at`` (milliseconds since 1970) dates it, never before the newest stored time or the last copy: copies are in
    order by their names whatever the clock does. Raises ``StoreRefused``, also where the disk would be full after it.
    """
    with translated():
        needed = path.stat().st_size + LEFT_FREE_BYTES
        if shutil.disk_usage(path.parent).free < needed:
            raise StoreRefused("storage.full", "no room for a copy")
        with closing(connect(path, options="mode=ro", isolation_level=None)) as db:
            db.execute("BEGIN")  # one state, held to the end: a write meanwhile does not begin it anew
            last = max((each.at for each in backups(path.parent)), default=0)
            return back_up(db, path, max(at, newest_time(db), last + 1), pace)


def clear_partial(folder: Path) -> None:
    """Remove what a kill left of a copy that was being made."""
    for left in (folder / BACKUPS).glob(f"*{PARTIAL}*"):
        left.unlink(missing_ok=True)


class Backup(msgspec.Struct, frozen=True, kw_only=True):
    """A copy in the folder of backups; times are milliseconds since 1970 in UTC."""

    path: Path
    at: int
    life: int = BACKUP_LIFE_MS

    @property
    def expires_at(self) -> int:
        """When it goes by itself."""
        return self.at + self.life


def backups(folder: Path) -> tuple[Backup, ...]:
    """The copies beside the store in ``folder``, oldest first; the date is the one in the name."""
    found = [
        Backup(path=path, at=at)
        for path in (folder / BACKUPS).glob("*Z-v*")
        if (at := _date_of(path.name)) is not None
    ]
    return tuple(sorted(found, key=lambda each: (each.at, each.path.name)))


def set_aside(folder: Path) -> tuple[Backup, ...]:
    """Damaged stores that were set aside in ``folder``, oldest first: they hold what they held."""
    found = [
        Backup(path=path, at=at, life=SET_ASIDE_LIFE_MS)
        for path in (folder / SET_ASIDE).glob("*Z*")
        if (at := _date_of(f"-{path.name.partition('Z')[0]}000Z-v")) is not None
    ]
    return tuple(sorted(found, key=lambda each: (each.at, each.path.name)))


def _date_of(name: str) -> int | None:
    dated = name.rpartition("Z-v")[0].rpartition("-")[2]
    try:
        moment = datetime.strptime(f"{dated}000", _DATE).replace(tzinfo=UTC)
    except ValueError:
        return None
    return round(moment.timestamp() * 1_000)


def expire(folder: Path, at: int) -> tuple[str, ...]:
    """Delete the copies whose time is over at ``at``; their names. Whether ``at`` can be trusted is asked before.

    A copy that is dated later than that was made under a wrong clock: it is dated anew, and goes when its life is
    over from here.
    """
    _date_anew(folder, at)
    gone = [each for each in (*backups(folder), *set_aside(folder)) if each.expires_at <= at]
    for each in gone:
        shutil.rmtree(each.path) if each.path.is_dir() else each.path.unlink(missing_ok=True)
    return tuple(each.path.name for each in gone)


def thin_out(folder: Path) -> tuple[str, ...]:
    """Delete the oldest copies beyond ``MOST_COPIES``, by their order and not by a clock; their names."""
    gone = backups(folder)[:-MOST_COPIES]
    for each in gone:
        each.path.unlink(missing_ok=True)
    return tuple(each.path.name for each in gone)


def _date_anew(folder: Path, at: int) -> None:
    early = [each for each in backups(folder) if each.at > at]
    for place, each in enumerate(early):
        stem, _, rest = each.path.name.rpartition("Z-v")
        moment = datetime.fromtimestamp((at - len(early) + 1 + place) / 1_000, UTC)
        day = moment.strftime(_DATE)[:-3]
        each.path.rename(each.path.with_name(f"{stem.rpartition('-')[0]}-{day}Z-v{rest}"))
