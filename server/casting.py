"""The companions of an installation: those that ship, and the operator's own folders beside them."""

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from actors.ports import Cast
from companions.companion import Companion, catalogue
from companions.errors import PolicyError
from companions.folder import SHARED
from companions.loading import family
from companions.turn import PolicyRules
from server.setting_faults import unknown
from server.settings import BadSetting, Companions

TEXT_ENDINGS = (".md", ".toml")


def shipped() -> Traversable:
    """The folder of the companions that ship."""
    return resources.files("companions") / "library"


def files_of(folder: Traversable, prefix: str = "") -> dict[str, str]:
    """Every text of a folder by its path in it."""
    found: dict[str, str] = {}
    for each in folder.iterdir():
        if each.is_dir():
            found |= files_of(each, f"{prefix}{each.name}/")
        elif each.name.endswith(TEXT_ENDINGS):
            try:
                found[f"{prefix}{each.name}"] = each.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                raise PolicyError(f"{prefix}{each.name}", "", "is not UTF-8") from None
    return found


@cache
def _library() -> dict[str, dict[str, str]]:
    """Each folder that ships with its files; they are part of the program, and read once."""
    return {each.name: files_of(each) for each in shipped().iterdir() if each.is_dir()}


def folders(folder: str) -> Iterator[tuple[str, dict[str, str]]]:
    """The folder of each companion with its files; what is the operator's goes before what ships.

    The operator's folder may hold a folder ``shared`` too: crisis resources of one's own for all companions.
    """
    found = dict(_library())
    shared = {f"{SHARED}{path}": text for path, text in found.pop("shared").items()}
    if folder:
        base = Path(folder)
        if not base.is_dir():
            raise PolicyError(folder, "", "there is no such folder (companions.folder)")
        if (base / "companion.toml").is_file():
            raise PolicyError(
                folder, "", "is one companion; name the folder that holds it (companions.folder)"
            )
        if (base / "shared").is_dir():
            shared |= files_of(base / "shared", SHARED)
        found |= {each.name: files_of(each) for each in own(folder)}
    for name, files in sorted(found.items()):
        yield name, {**shared, **files}


def own(folder: str) -> tuple[Path, ...]:
    """The folders of an operator's own companions."""
    return tuple(each for each in Path(folder).iterdir() if (each / "companion.toml").is_file())


@lru_cache(32)
def _family(name: str, files: frozenset[tuple[str, str]]) -> tuple[Companion, ...]:
    """The same files are the same companions: who starts a server again need not read them again."""
    return family(name, dict(files))


def companions(own: str) -> dict[str, Companion]:
    """Every companion by each id a client may name; raises ``PolicyError`` with file, key and reason."""
    return catalogue(_family(name, frozenset(files.items())) for name, files in folders(own))


def at_home(settings: Companions, found: Mapping[str, Companion]) -> Companion:
    """Who answers a client that names nobody; raises ``BadSetting`` where a setting names a companion there is not."""
    wrong = unknown((settings.default,), found)
    if wrong is not None:
        raise BadSetting("companions.default", settings.default, wrong, "settings")
    wrong = unknown(settings.allow_remote, {each.id for each in found.values()})
    if wrong is not None:
        raise BadSetting("companions.allow_remote", list(settings.allow_remote), wrong, "settings")
    return found[settings.default]


def casts(
    found: dict[str, Companion],
    *,
    acks_at_once: bool = False,
    felt: bool = False,
    meant: Mapping[str, bytes] = {},
) -> dict[str, Cast]:
    """Companions with their rules; ``felt``: the embedder's vectors tell feelings; ``meant``: vectors of stories."""
    made = {
        companion.id: Cast(
            companion=companion,
            rules=PolicyRules(companion, acks_at_once=acks_at_once, felt=felt, meant=meant),
        )
        for companion in found.values()
    }
    return {name: made[companion.id] for name, companion in found.items()}
