"""What the doctor sees of the data folder: what it means for a start, and what to do about it.

``look`` asks the system, ``told`` decides from what was seen.
"""

import os
import pwd
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import msgspec

from server.order_line import STORE_FILE
from storage.backups import backups
from storage.mark import MARK
from storage.migrating import BACKUPS

FSTAB: Final = Path("/etc/fstab")
LEAST_FREE_BYTES: Final = 200 * 1024 * 1024
OURS: Final = frozenset({STORE_FILE, BACKUPS, MARK, "spill", "erased.jsonl", "tls", "set-aside"})
ANYBODYS: Final = frozenset({"lock", "lost+found"})  # a look at it leaves a lock
_NAMED: Final = 3  # of what lies there and is not ours


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of the folder, or, where there is none, of the nearest place above it."""

    folder: str
    nearest: str
    there: bool = True
    is_folder: bool = True  # the nearest
    may_look: bool = True  # into it, where it is a folder
    leads_to: str | None = None  # a link to what is not there
    unmounted: str | None = None  # a place at or above it for a disk that is not mounted
    owner: str = ""
    me: str = ""
    writable: bool = True
    read_only: bool = False  # its file system
    free_bytes: int = LEAST_FREE_BYTES
    no_more_files: bool = False
    names: tuple[str, ...] = ()
    copies: tuple[str, ...] = ()


def look(folder: Path, fstab: Path = FSTAB) -> Place:
    """Look at it. Raises ``OSError`` where nobody may."""
    nearest = next(each for each in (folder, *folder.parents) if each.exists())
    room = os.statvfs(nearest)
    there = nearest == folder
    inside = there and folder.is_dir() and os.access(folder, os.R_OK | os.X_OK)
    return Place(
        folder=str(folder),
        nearest=str(nearest),
        there=there,
        is_folder=nearest.is_dir(),
        may_look=inside or not (there and folder.is_dir()),
        leads_to=str(folder.readlink()) if folder.is_symlink() and not there else None,
        unmounted=next((each for each in _planned(fstab) if _is_for(each, folder)), None),
        owner=_name(nearest.stat().st_uid),
        me=_name(os.geteuid()),
        writable=os.access(nearest, os.W_OK | os.X_OK),
        read_only=bool(room.f_flag & os.ST_RDONLY),
        free_bytes=room.f_bavail * room.f_frsize,
        no_more_files=room.f_files > 0 and room.f_favail == 0,
        names=tuple(sorted(each.name for each in folder.iterdir())) if inside else (),
        copies=tuple(each.path.name for each in backups(folder)) if inside else (),
    )


def told(place: Place) -> tuple[bool, str]:
    """Whether a start can keep everything there, and what it means where it cannot."""
    wrong = _wrong(place)
    if wrong is not None:
        return False, f"{place.folder}: {wrong}"
    if not place.there:
        return True, f"{place.folder}: none yet; the first start makes it, with a new, empty store"
    if place.me == "root" and place.owner != "root":
        return (
            True,
            f"{place.folder}: it is {place.owner}'s; run commands on it as {place.owner}, not as root",
        )
    return True, place.folder


def room(place: Place) -> tuple[bool, str]:
    """Whether there is room, and what comes of too little."""
    free = f"{place.free_bytes // 1_048_576} MiB"
    if place.no_more_files:
        return (
            False,
            f"{free}, but no more files can be made (no inode is left): remove files that nobody needs",
        )
    if place.free_bytes < LEAST_FREE_BYTES:
        what = "once it is full what is said is not kept for sure; make room (`fireside storage` tells what takes it)"
        return False, f"{free} where {place.nearest} is: {what}"
    return True, free


def _wrong(place: Place) -> str | None:
    anew = "a start now would begin a new, empty store"
    if place.unmounted is not None and STORE_FILE not in place.names:
        return (
            f"the disk that belongs to {place.unmounted} is not mounted ({FSTAB}), and {anew}: mount it first"
        )
    if place.leads_to is not None:
        return f"it leads to {place.leads_to}, which is not there: mount its disk, or let it lead elsewhere"
    if not place.is_folder:
        return (
            f"{place.nearest} is a file, and no start can keep anything there: name a folder with data.folder"
        )
    if place.read_only:
        return (
            "its file system is read-only: what is there is shown, and nothing is kept; "
            "mount it for writing, or look at the disk where it turned so by itself"
        )
    if not place.writable:
        return (
            f"{place.me} may not write in {place.nearest}, which is {place.owner}'s: run the server as "
            f"{place.owner}, or give the folder to {place.me} (chown -R)"
        )
    return _strange(place, anew)


def _strange(place: Place, anew: str) -> str | None:
    if not place.there or STORE_FILE in place.names:
        return None
    if place.copies:
        return (
            f"the store {STORE_FILE} is gone, and {anew}; the newest copy is {BACKUPS}/{place.copies[-1]}: "
            "bring it back with the server stopped (docs/operating.md)"
        )
    if MARK in place.names:
        return (
            f"the store {STORE_FILE} is gone, and {anew}; bring it back from where it was moved or copied to"
        )
    strangers = [name for name in place.names if name not in (*OURS, *ANYBODYS) and name[0] != "."]
    strangers = [
        name for name in strangers if not name.endswith(".toml")
    ]  # settings may lie there before a start
    if strangers and not OURS & set(place.names):
        shown = ", ".join([*strangers[:_NAMED], *(["…"] if len(strangers) > _NAMED else [])])
        return f"it holds {shown} and nothing of Fireside's, and a start would make it its own: name another folder"
    return None


def _planned(fstab: Path) -> Iterator[str]:
    """The places that the system's table names for disks, and that hold none now."""
    try:
        lines = fstab.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return
    yield from (each for each in mount_points(lines) if not os.path.ismount(each))


def mount_points(lines: Iterable[str]) -> Iterator[str]:
    """The places for disks in the lines of such a table, but for the root's."""
    for line in lines:
        words = line.partition("#")[0].split()
        if len(words) > 1 and words[1].startswith("/") and words[1] != "/":
            yield words[1].replace("\\040", " ")


def _is_for(mount: str, folder: Path) -> bool:
    return folder.absolute().is_relative_to(mount)


def _name(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"
