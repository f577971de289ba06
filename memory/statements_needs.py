"""Which words each pattern of the statement reader needs: without them it is not tried, nor even compiled.

The table is made from the patterns by ``evaluation/statement_needs.py`` and filed under what the pattern is, so that
a pattern that was changed and not worked out again is simply tried always.
"""

import zlib
from functools import cache

from memory import data

FILE = "statements_needs.json"
MOST_NEEDS = 3
DIGITS = "#"


def key(source: str) -> str:
    """What a pattern is filed under: its length, and a checksum that changes with any letter of it."""
    return f"{len(source)}-{zlib.crc32(source.encode()):08x}"


@cache
def _table() -> dict[str, list[str]]:
    found: dict[str, list[str]] = data.table(FILE, dict[str, list[str]])
    return found


def needs(source: str) -> list[frozenset[str]]:
    """Sets of words, one of each of which is in every text that ``source`` matches.

    ``word*`` is a beginning, ``*word`` an end, ``@name`` any word of that group, ``#`` any with a digit.
    """
    return [frozenset(each.split()) for each in _table().get(key(source), ())]
