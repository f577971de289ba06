"""Dated copies of the store: how long they live, and which there are."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import msgspec

BACKUP_LIFE_MS = 7 * 24 * 3_600_000  # decision D30
SET_ASIDE_LIFE_MS = 30 * 24 * 3_600_000  # as above
FOLDER = "backups"
SET_ASIDE = "set-aside"
_DATE = "%Y%m%dT%H%M%S%f"


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
        for path in (folder / FOLDER).glob("*Z-v*")
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
    """Delete the copies whose time is over at ``at``; their names. Whether ``at`` can be trusted is asked before."""
    gone = [each for each in (*backups(folder), *set_aside(folder)) if each.expires_at <= at]
    for each in gone:
        shutil.rmtree(each.path) if each.path.is_dir() else each.path.unlink(missing_ok=True)
    return tuple(each.path.name for each in gone)
