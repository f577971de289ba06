"""What a statement is, for the readers that make them and the ones that use them."""

from typing import Literal, TypeAlias

import msgspec

StatementKind: TypeAlias = Literal[
    "allergy",
    "injury",
    "condition",
    "medication",
    "diet",
    "limit",
    "goal",
    "preference",
    "schedule",
    "life_event",
    "relation",
    "place",
    "work",
    "identity",
    "equipment",
    "strategy",
    "trigger",
    "tool",
    "project",
    "learning",
]
Tense: TypeAlias = Literal["past", "present", "future"]

SAFETY: frozenset[StatementKind] = frozenset({"allergy", "medication", "injury", "condition"})
"""Kinds that are never pushed out of a budget (the coach's memory design, tier 2; decision D10)."""


class Statement(msgspec.Struct, frozen=True):
    """One thing said about a person.

    ``subject`` is ``user``, else the name or relation as said. ``negated`` says that it does not, or no
    longer, hold. ``attribute`` is what a fact would be filed under (``residence``, ``job``, ``likes``);
    ``words`` the part of the message that says it.
    """

    kind: StatementKind
    value: str
    subject: str = "user"
    negated: bool = False
    tense: Tense = "present"
    attribute: str = ""
    words: str = ""

    @property
    def safety(self) -> bool:
        """Whether overlooking it could harm."""
        return self.kind in SAFETY
