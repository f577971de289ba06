"""The tables the readers work from: phrases, synonyms, topics, weights.

They are package data (TOML, or JSON for what a script trains), so that a phrase or a topic is added without
touching code. This module is the room's one seam to a file: each table is read once, on first use.
"""

import pkgutil
import re
import threading
from functools import cache
from typing import TypeVar

import msgspec

from memory.data.faults import BadTable, empty, undecodable

__all__ = ["BadTable", "raw", "table", "unpacked"]

T = TypeVar("T")

# Tables are read by whoever needs one first, at the start on a thread of its own while the first message is
# read. msgspec works out what a struct is made of on its first use, and two threads that do so for the same
# struct at once end the process: so one at a time.
_one_at_a_time = threading.Lock()
_EMPTY = re.compile(
    rb"""(["'])\s*\1"""
)  # what may be an empty phrase: looked at more closely only where there is one


def raw(name: str) -> bytes:
    """The bytes of the table ``name``, a file of this folder; not kept, because what is made of them is."""
    found = pkgutil.get_data(__name__, name)  # importlib.resources takes a sixth of the readers' import
    if found is None:
        raise FileNotFoundError(name)
    return found


@cache
def table(name: str, kind: type[T]) -> T:
    """The TOML or JSON table ``name`` as ``kind``; ``BadTable`` says what is wrong in it and where."""
    content = raw(name)
    with _one_at_a_time:
        if not name.endswith(".toml"):
            return msgspec.json.decode(content, type=kind)
        try:
            found = msgspec.toml.decode(content, type=kind)
        except msgspec.DecodeError as error:
            raise undecodable(name, content.decode(), kind, error) from error
    if _EMPTY.search(content) and (fault := empty(name, content.decode())):
        raise fault
    return found


def unpacked(content: bytes, kind: type[T]) -> T:
    """MessagePack that was read from a table, as ``kind``."""
    with _one_at_a_time:
        return msgspec.msgpack.decode(content, type=kind)
