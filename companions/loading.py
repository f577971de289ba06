"""A companion from the files of its folder, checked; no file is opened here.

The files come as a mapping from path to text. Files of the shared folder are in it under ``shared/``; a
companion's own file goes before the shared one, and in a file of sections its own section does.
"""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias, TypeVar

import msgspec

from companions.companion import Companion
from companions.consistency import check_policy, check_stories
from companions.errors import PolicyError, translated
from companions.folder import Folder
from companions.loading_texts import texts_of
from companions.narratives import Narrative
from companions.policy import Persona, Policy
from companions.policy_safety import CATEGORIES
from companions.resources import INTERNATIONAL, Country
from companions.tables import Table

Files: TypeAlias = Mapping[str, str]
T = TypeVar("T")


class _Stories(Table, frozen=True, kw_only=True):
    narrative: tuple[Narrative, ...] = ()


def load(name: str, files: Files, language: str | None = None) -> Companion:
    """The companion of the folder ``name``, or its first persona; raises ``PolicyError``."""
    return family(name, files, language)[0]


def family(name: str, files: Files, language: str | None = None) -> tuple[Companion, ...]:
    """All companions of the folder ``name``: itself, or one for each persona; raises ``PolicyError``.

    ``language`` takes the texts of ``languages/LANGUAGE/`` instead of the folder's own.
    """
    policy = _decoded(Folder(name, files), "companion.toml", Policy)
    language = _spoken(name, policy, language)
    folder = Folder(name, files, language)
    narratives, resources = _narratives(folder), _resources(folder)
    check_policy(f"{name}/companion.toml", policy)
    check_stories(f"{name}/companion.toml", policy, narratives)
    return tuple(
        Companion(
            id=f"{name}/{persona.id}" if persona else name,
            name=persona.name if persona else policy.name,
            subject=persona.subject if persona else None,
            policy=policy,
            texts=texts_of(Folder(name, files, language, _values(policy, persona)), policy, persona),
            narratives=narratives,
            resources=resources,
        )
        for persona in policy.personas or (None,)
    )


def _values(policy: Policy, persona: Persona | None) -> dict[str, str]:
    if persona is None:
        return {"companion": policy.name, "subject": policy.name}
    return {"companion": persona.name, "subject": persona.subject}


def _spoken(name: str, policy: Policy, language: str | None) -> str | None:
    if language is None or language == policy.language:
        return None
    if language not in policy.languages:
        raise PolicyError(f"{name}/companion.toml", "languages", f"{language} is not among them")
    return language


def _narratives(folder: Folder) -> tuple[Narrative, ...]:
    found: dict[str, Narrative] = {}
    for path in folder.below("narratives/", ".toml"):
        for story in _decoded(folder, path, _Stories).narrative:
            if story.id in found:
                raise PolicyError(folder.named(path), f"narrative.{story.id}", "this id is used twice")
            found[story.id] = msgspec.structs.replace(story, text=_paragraphs(story.text))
    return tuple(found.values())


def _paragraphs(text: str) -> str:
    """Lines are how a file is written, paragraphs how a story is told."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n") if part.strip())


def _resources(folder: Folder) -> Mapping[str, Country]:
    file = folder.named("resources.toml")
    try:
        table = _countries(folder.text("resources.toml"))
    except msgspec.MsgspecError as error:
        raise translated(file, error) from error
    if INTERNATIONAL not in table:
        raise PolicyError(file, INTERNATIONAL, "the fall-back for other countries is missing")
    covered = {category for each in table[INTERNATIONAL].resources for category in each.categories}
    for category in CATEGORIES:
        if category not in covered:
            raise PolicyError(file, INTERNATIONAL, f"has nothing for {category}")
    return table


@lru_cache(maxsize=8)
def _countries(text: str) -> Mapping[str, Country]:
    """Decoded once for all companions that share the file."""
    return MappingProxyType(msgspec.toml.decode(text, type=dict[str, Country]))


def _decoded(folder: Folder, path: str, kind: type[T]) -> T:
    try:
        return msgspec.toml.decode(folder.text(path), type=kind)
    except msgspec.MsgspecError as error:
        raise translated(folder.named(path), error) from error
