"""The tables the readers work from: phrases, synonyms, topics, weights.

They are package data (TOML, or JSON for what a script trains), so that a phrase or a topic is added without
touching code. This module is the room's one seam to a file: each table is read once, on first use.
"""

from functools import cache
from importlib import resources
from typing import TypeVar

import msgspec

T = TypeVar("T")


@cache
def raw(name: str) -> bytes:
    """The bytes of the table ``name``, a file of this folder."""
    return resources.files(__name__).joinpath(name).read_bytes()


@cache
def table(name: str, kind: type[T]) -> T:
    """The TOML or JSON table ``name`` as ``kind``; ``msgspec.ValidationError`` names a wrong key."""
    if name.endswith(".toml"):
        return msgspec.toml.decode(raw(name), type=kind)
    return msgspec.json.decode(raw(name), type=kind)
