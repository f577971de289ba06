"""Small disks of memory, that are full, or cannot be written, when a test wants it; a test skips where none may be."""

import subprocess
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

NOT_HERE = "mounting a tmpfs is not allowed here"


@contextmanager
def mounted(place: Path, size: str) -> Generator[Path]:
    """A file system of ``size`` (such as ``12m``) at ``place``."""
    place.mkdir()
    if _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)):
        pytest.skip(NOT_HERE)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def remounted(place: Path, mode: str) -> None:
    """The same file system, ``ro`` or ``rw`` from here on."""
    assert _mount("-o", f"remount,{mode}", str(place)) == 0, "is a file open for writing?"


def fill(file: Path) -> None:
    """Write until there is no room."""
    with suppress(OSError), file.open("wb", buffering=0) as opened:
        while opened.write(b"x" * 4_096):
            pass


def _mount(*arguments: str) -> int:
    return subprocess.run(["mount", *arguments], check=False, capture_output=True).returncode
