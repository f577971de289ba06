"""Files that are their owner's alone (0600), from before their first byte and whatever the umask is."""

import os
import shutil
from pathlib import Path


def private(file: Path, content: bytes) -> None:
    """Write ``file`` anew with ``content``; one that was open to others is theirs no more. Raises ``OSError``."""
    _empty(file)
    file.write_bytes(content)


def private_copy(source: Path, target: Path) -> None:
    """Copy ``source``, whoever may read that. Raises ``OSError``, ``FileNotFoundError`` where there is none."""
    with source.open("rb") as read:
        _empty(target)
        with target.open("wb") as written:
            shutil.copyfileobj(read, written)


def _empty(file: Path) -> None:
    descriptor = os.open(file, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)
