"""One process owns a data folder: whoever writes to it holds the lock of its ``lock`` file.

The lock is the kernel's (flock) and ends with the process, however that ends; the file only says who it is.
"""

import errno
import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM})


class FolderHeld(Exception):
    """Another process holds the data folder; ``pid`` is None where it did not leave its number."""

    def __init__(self, folder: Path, pid: int | None) -> None:
        who = f"process {pid}" if pid else "another process"
        super().__init__(f"{folder} is in use by {who}")
        self.folder = folder
        self.pid = pid


class FolderUnusable(Exception):
    """The data folder cannot be made, or nothing can be written in it."""


@contextmanager
def held(folder: Path) -> Generator[None]:
    """Hold ``folder`` while the block runs; raises ``FolderHeld`` at once when somebody else does.

    ``FolderUnusable`` where no folder can be made or written. One in which a server wrote before, and that cannot be
    written now, can be looked at: on a file system that is read-only, or without the right to write.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise FolderUnusable(f"the data folder {folder} is a file") from None
    except OSError as error:
        if error.errno == errno.EROFS or (error.errno in _FORBIDDEN and _was_used(folder)):
            with _looked_at(folder):
                yield
            return
        raise FolderUnusable(f"the data folder {folder} cannot be used: {error.strerror}") from None
    try:
        _take(folder, descriptor)
        yield
    finally:
        os.close(descriptor)  # releases it; the file stays, or two starters could hold two files


def _was_used(folder: Path) -> bool:
    """Whether the lock file of a server of before can be read."""
    return os.access(folder / "lock", os.R_OK)


@contextmanager
def _looked_at(folder: Path) -> Generator[None]:
    """On a file system that cannot be written the lock can still be held, where there is one."""
    try:
        descriptor = os.open(folder / "lock", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        yield  # nobody ever wrote here, and nobody can
        return
    try:
        _take(folder, descriptor, named=False)
        yield
    finally:
        os.close(descriptor)


def _take(folder: Path, descriptor: int, *, named: bool = True) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FolderHeld(folder, _holder(descriptor)) from None
    if not named:
        return
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, str(os.getpid()).encode(), 0)


def _holder(descriptor: int) -> int | None:
    said = os.pread(descriptor, 20, 0)
    return int(said) if said.isdigit() else None
