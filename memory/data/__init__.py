"""The tables the readers work from: phrases, synonyms, topics, weights.

They are package data (TOML, or JSON for what a script trains), so that a phrase or a topic is added without
touching code. This module is the room's one seam to a file: each table is read once, on first use.
"""

import pkgutil
import threading
from functools import cache
from typing import TypeVar

import msgspec

T = TypeVar("T")

# Tables are read by whoever needs one first, at the start on a thread of its own while the first message is
# read. msgspec works out what a struct is made of on its first use, and two threads that do so for the same
# struct at once end the process: so one at a time.
_one_at_a_time = threading.Lock()


def raw(name: str) -> bytes:
    """The bytes of the table ``name``, a file of this folder; not kept, because what is made of them is."""
    found = pkgutil.get_data(__name__, name)  # importlib.resources takes a sixth of the readers' import
    if found is None:
        raise FileNotFoundError(name)
    return found


@cache
def table(name: str, kind: type[T]) -> T:
    """The TOML or JSON table ``name`` as ``kind``; ``msgspec.ValidationError`` names a wrong key."""
    with _one_at_a_time:
        if name.endswith(".toml"):
            return msgspec.toml.decode(raw(name), type=kind)
        return msgspec.json.decode(raw(name), type=kind)


def unpacked(content: bytes, kind: type[T]) -> T:
    """MessagePack that was read from a table, as ``kind``."""
    with _one_at_a_time:
        return msgspec.msgpack.decode(content, type=kind)
