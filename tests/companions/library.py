"""Companions of the tests: those that ship, read from their folders as the server reads them, and a sixth."""

from functools import cache
from pathlib import Path

import companions
from companions.companion import Companion
from companions.loading import family

LIBRARY = Path(companions.__file__).parent / "library"
NAMES = ("clara", "coach", "extremis", "maestro", "serenity")
SIXTH = "lotse"


@cache
def files_of(name: str) -> dict[str, str]:
    """The files of a companion by path, with the shared ones."""
    folder = LIBRARY / name if name in NAMES else Path(__file__).parent / "folders" / name
    return _below(folder) | {f"shared/{path}": text for path, text in _below(LIBRARY / "shared").items()}


@cache
def shipped(name: str) -> tuple[Companion, ...]:
    """A companion, or its personas."""
    return family(name, files_of(name))


def _below(folder: Path) -> dict[str, str]:
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}
