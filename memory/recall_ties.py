"""The words by which two messages are tied to one matter, and the kinds of times that they name.

"The sore's closed up" says in no words of ending that a pressure sore has healed, and nobody can list all that would.
But what names a sore is in both.
"""

import re
from functools import cache
from typing import Final

import msgspec

from memory import data
from memory.statements_words import known_words
from memory.text import folded, words

_TIMES: Final = frozenset({"day", "month"})
"""Another day or month in the place of one that was named ("they moved it to Thursdays") is of the same matter too."""
_ENDINGS: Final = ("ingen", "ing", "ern", "ed", "er", "es", "en", "s", "n", "e")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    common: str
    alike: dict[str, str]


def stem(word: str) -> str:
    """``word`` without its ending, as one that is compared with others."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word  # "runn"


@cache
def _table() -> _Table:
    found: _Table = data.table("recall_ties.toml", _Table)
    return found


@cache
def _common() -> frozenset[str]:
    return frozenset(map(stem, _table().common.split()))


@cache
def _alike() -> dict[str, str]:
    """By a word without its ending, the family that stands for it ("@dairy" for cheese and for milk)."""
    return {stem(word): f"@{name}" for name, listed in _table().alike.items() for word in listed.split()}


def tying(text: str) -> frozenset[str]:
    """The words of ``text`` that tie it to what was said of the same matter, without endings."""
    said = frozenset(map(stem, _WORD.findall(folded(text))))
    alike = _alike()
    families = {alike[word] for word in said & alike.keys()}
    return (said - _common() - alike.keys()) | families


def times_in(text: str) -> frozenset[str]:
    """The kinds of times that ``text`` names."""
    return known_words().groups_of(words(text)) & _TIMES
