"""The rules by which a sentence is read loosely, as data (``statements_loose.toml``)."""

from functools import cache
from typing import Final

import msgspec

from memory import data
from memory.statements_kinds import StatementKind

TURNING: Final = frozenset({"given_up", "replaced", "cleared"})
"""What is filed under these states nothing by itself but that something earlier is over (``memory.recall_ends``)."""


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a sentence states when a word of ``group`` is in it, one of ``beside`` and none of ``without``."""

    kind: StatementKind
    beside: str
    group: str = ""
    attribute: str = ""
    negated: bool = False
    without: str = ""


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    most_words: int
    rule: tuple[Rule, ...]
    wide: tuple[Rule, ...]


@cache
def _table() -> _Table:
    found: _Table = data.table("statements_loose.toml", _Table)
    return found


def rules() -> tuple[Rule, ...]:
    """What a sentence states that no frame has read; the first that fits decides."""
    return _table().rule


def wide_rules() -> tuple[Rule, ...]:
    """What a sentence may state, for a recall."""
    return _table().wide


def without_sources() -> tuple[str, ...]:
    """The patterns of what must not be there, for each rule and then for each wide rule."""
    return tuple(rule.without for rule in (*rules(), *wide_rules()))


def most_words() -> int:
    """The most words of a sentence that is read so."""
    return _table().most_words
