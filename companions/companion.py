"""A companion, ready to talk: its policy, its texts, its stories, and where help is found."""

from collections.abc import Iterable, Mapping

import msgspec

from companions.narratives import Narrative
from companions.policy import Policy
from companions.resources import Country
from companions.texts import PageWord, Texts


class Companion(msgspec.Struct, frozen=True, kw_only=True):
    """``id`` is the name of its folder, or ``NAME/PERSONA``; it owns its memory under that id."""

    id: str
    name: str
    subject: str | None = None  # what a persona teaches or is about
    policy: Policy
    texts: Texts
    narratives: tuple[Narrative, ...] = ()
    resources: Mapping[str, Country]


def page_words(companion: Companion) -> dict[PageWord, str]:
    """The words its page shows. The way to what is remembered is not among them where no past is shown (D15)."""
    words = dict(companion.texts.words)
    if companion.policy.session.transcript == "current":
        del words["memory"]
    return words


def catalogue(families: Iterable[tuple[Companion, ...]]) -> dict[str, Companion]:
    """Companions by every id a client may name; the bare name of a folder with personas is its first one."""
    found: dict[str, Companion] = {}
    for members in families:
        found[members[0].id.partition("/")[0]] = members[0]
        found.update({member.id: member for member in members})
    return found
