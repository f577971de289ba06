"""The companions that ship, read from their folders as the server reads them."""

from functools import cache
from pathlib import Path

import companions
from companions.companion import Companion
from companions.loading import family

LIBRARY = Path(companions.__file__).parent / "library"
NAMES = ("clara", "coach", "extremis", "maestro", "serenity")


@cache
def files_of(name: str) -> dict[str, str]:
    """The files of a shipped companion by path, with the shared ones."""
    own, shared = _below(LIBRARY / name), _below(LIBRARY / "shared")
    return own | {f"shared/{path}": text for path, text in shared.items()}


@cache
def shipped(name: str) -> tuple[Companion, ...]:
    """A shipped companion, or its personas."""
    return family(name, files_of(name))


def _below(folder: Path) -> dict[str, str]:
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}
