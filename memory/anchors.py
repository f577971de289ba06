"""Things named in a talk: what may be picked up again without asking anybody to remember it.

An anchor is a concrete thing that both can see in the mind: a garden, a cat, the sea. The list is data
(``anchors.toml``); it says nothing about people, health or trouble.
"""

from collections.abc import Sequence
from functools import cache

import msgspec

from memory.data import table
from memory.text import words


class _Table(msgspec.Struct, frozen=True):
    things: tuple[str, ...]


@cache
def _forms() -> dict[str, str]:
    """Every form of a thing to the thing: singular and plural."""
    found: dict[str, str] = {}
    for thing in table("anchors.toml", _Table).things:
        found[thing] = thing
        found[f"{thing}s"] = thing
        if thing.endswith("y"):
            found[f"{thing[:-1]}ies"] = thing
        if thing.endswith(("ch", "sh", "x", "s")):
            found[f"{thing}es"] = thing
    return found


def read_anchors(text: str | Sequence[str]) -> tuple[str, ...]:
    """The things named in ``text``, each once, in the order named; it may be given as its words."""
    named = map(_forms().get, words(text) if isinstance(text, str) else text)
    return tuple(dict.fromkeys(filter(None, named)))
