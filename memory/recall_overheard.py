"""What was heard in a person's messages, held so that what a request likely needs of it is found at once.

Beside the statements that rules read, each message that tells something is held by what it likely tells of
(`memory.recall_heard`). A recall fills with it the places that its rules leave; and where a later message tells a
change of the same matters, that one comes before the earlier.
"""

from collections.abc import Sequence
from itertools import islice
from math import sqrt
from typing import Final, Generic, NamedTuple, TypeVar

from memory.recall_heard import CHANGES, MATTERS, OTHERS, told
from memory.statements_kinds import Statement

T = TypeVar("T")

OVERHEARD: Final = "heard"
"""The attribute of a statement that says what a whole message likely tells of; of no kind of its own."""
SOMEBODY: Final = "someone"
_LEAST: Final = 0.1  # the chance of a matter that is held
_OTHERS: Final = 0.4  # from here on a message tells of somebody else
_CHANGES: Final = 0.35  # from here on it tells a change
_FLOOR: Final = 0.1  # what a message must be worth to a request
_ALIKE: Final = 0.5  # cosine of the matters of two messages that may be of one thing
_LOOKED_AT: Final = 100  # messages of a matter, or changes, the latest
_PERCENT: Final = 100


def overheard(text: str) -> tuple[Statement, ...]:
    """What ``text`` likely tells of, as one statement for a recall; nothing where it tells nothing that lasts."""
    chances = told(text)
    matters = [(matter, round(chances[matter] * _PERCENT)) for matter in MATTERS if chances[matter] >= _LEAST]
    if not matters:
        return ()
    value = " ".join(f"{matter}={percent}" for matter, percent in matters)
    who = SOMEBODY if chances[OTHERS] >= _OTHERS else "user"
    return (Statement("strategy", value, who, chances[CHANGES] >= _CHANGES, attribute=OVERHEARD),)


class _Entry(NamedTuple, Generic[T]):
    """A message: its number, what it likely tells of, and whether of somebody else or a change."""

    number: int
    message: T
    matters: dict[str, float]
    own: bool
    changes: bool


class Overheard(Generic[T]):
    """Messages by what they likely tell of, the latest last."""

    def __init__(self) -> None:
        self._by: dict[str, list[_Entry[T]]] = {}
        self._changes: list[_Entry[T]] = []
        self._of: dict[str, _Entry[T]] = {}

    def add(self, number: int, name: str, message: T, heard: Statement) -> None:
        """Hold a message, whose number is higher than those before."""
        pairs = (part.partition("=") for part in heard.value.split())
        matters = {matter: int(percent) / _PERCENT for matter, _, percent in pairs}
        entry = _Entry(number, message, matters, heard.subject == "user", heard.negated)
        self._of[name] = entry
        for matter in matters:
            self._by.setdefault(matter, []).append(entry)
        if entry.changes:
            self._changes.append(entry)

    def take_back(self, number: int, name: str) -> None:
        """Forget the message of that number, the latest."""
        if self._of.pop(name, None) is not None:
            for entries in (*self._by.values(), self._changes):
                if entries and entries[-1].number >= number:
                    entries.pop()

    def worth(self, needs: Sequence[tuple[str, float]], first: int) -> list[tuple[float, T]]:
        """The person's own messages that a request of these ``needs`` may want, the best first, of those from the
        number ``first`` on.
        """
        found: dict[int, _Entry[T]] = {}
        for matter, _ in needs:
            latest = islice(reversed(self._by.get(matter, ())), _LOOKED_AT)
            found.update((entry.number, entry) for entry in latest if entry.own and entry.number >= first)
        scored = [
            (sum(need * entry.matters.get(matter, 0.0) for matter, need in needs), number)
            for number, entry in found.items()
        ]
        return [
            (score, found[number].message) for score, number in sorted(scored, reverse=True) if score > _FLOOR
        ]

    def news(self, name: str) -> T | None:
        """The latest message that tells a change of the matters that the message ``name`` tells of, if it is later."""
        of = self._of.get(name)
        if of is None:
            return None
        for entry in islice(reversed(self._changes), _LOOKED_AT):
            if entry.number <= of.number:
                return None
            if entry.own == of.own and _alike(of.matters, entry.matters):
                return entry.message
        return None


def _alike(one: dict[str, float], other: dict[str, float]) -> bool:
    both = sum(share * other.get(matter, 0.0) for matter, share in one.items())
    return both > _ALIKE * sqrt(_square(one) * _square(other))


def _square(matters: dict[str, float]) -> float:
    return sum(share * share for share in matters.values())
