"""Getting to know a person: what a companion asks about them, one thing at a time, and what is still open.

What was answered or left out is not asked again, and nobody has to answer anything (wellness document, static context
and onboarding).
"""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, get_args

from companions.policy import ProfileField
from companions.remembered import Length, Style

Kind: TypeAlias = Literal["line", "lines", "number", "choice"]

_LISTS: frozenset[ProfileField] = frozenset(
    {"primary_goals", "secondary_goals", "topics_to_avoid", "coping_strategies"}
)
CHOICES: Mapping[str, tuple[str, ...]] = {
    "communication_style": get_args(Style),
    "session_length": get_args(Length),
}


def kind_of(field: ProfileField) -> Kind:
    """What an answer looks like: a line, several, a number, or one of a few."""
    if field in CHOICES:
        return "choice"
    return "number" if field == "age" else "lines" if field in _LISTS else "line"


def still_open(
    asks: Sequence[ProfileField], known: Mapping[str, object], seen: Sequence[str]
) -> tuple[ProfileField, ...]:
    """What of ``asks`` is neither known nor was asked before, in its order."""
    return tuple(field for field in asks if field not in seen and known.get(field) in (None, "", [], ()))
