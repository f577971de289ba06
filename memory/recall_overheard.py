"""What was heard in a person's messages, held so that what a request likely needs of it is found at once.

Beside the statements that rules read, each message that tells something of the person is held by what it likely tells
of (`memory.recall_heard`). A recall fills with it the places that its rules leave.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Final, Generic, NamedTuple, TypeVar

from memory.recall_heard import LONGEST, MATTERS, OTHERS, told
from memory.statements_kinds import Statement
from memory.text import sentences

T = TypeVar("T")

OVERHEARD: Final = "heard"
"""The attribute of a statement that says what a whole message likely tells of; of no kind of its own."""
_LEAST: Final = 0.1  # the chance of a matter that is held
_OTHERS: Final = 0.4  # from here on a message tells of somebody else
_FLOOR: Final = 0.15  # what a message must be worth to a request
_LOOKED_AT: Final = 100  # messages of a matter, the latest
_PERCENT: Final = 100


def overheard(text: str) -> tuple[Statement, ...]:
    """What ``text`` likely tells of the person that lasts, as one statement for a recall; questions tell nothing."""
    plain = " ".join(sentence for sentence in sentences(text[:LONGEST]) if not sentence.endswith("?"))
    if not plain:
        return ()
    chances = told(plain)
    matters = [(matter, round(chances[matter] * _PERCENT)) for matter in MATTERS if chances[matter] >= _LEAST]
    if not matters or chances[OTHERS] >= _OTHERS:
        return ()
    return (
        Statement(
            "strategy", " ".join(f"{each}={percent}" for each, percent in matters), attribute=OVERHEARD
        ),
    )


class _Entry(NamedTuple, Generic[T]):
    """A message, its number, and what it likely tells of."""

    number: int
    message: T
    matters: dict[str, float]


class Worthy(NamedTuple, Generic[T]):
    """A message, its number, and what it is worth to a request."""

    worth: float
    number: int
    message: T


class Overheard(Generic[T]):
    """Messages by what they likely tell of, the latest last."""

    def __init__(self) -> None:
        self._by: dict[str, list[_Entry[T]]] = {}

    def add(self, number: int, message: T, heard: Statement) -> None:
        """Hold a message, whose number is higher than those before."""
        pairs = (part.partition("=") for part in heard.value.split())
        entry = _Entry(number, message, {matter: int(percent) / _PERCENT for matter, _, percent in pairs})
        for matter in entry.matters:
            self._by.setdefault(matter, []).append(entry)

    def take_back(self, number: int) -> None:
        """Forget the messages from that number on."""
        for entries in self._by.values():
            while entries and entries[-1].number >= number:
                entries.pop()

    def worthy(self, needs: Sequence[tuple[str, float]], first: int) -> list[Worthy[T]]:
        """The messages, from the number ``first`` on, that a request of these ``needs`` may want, the best first."""
        found: dict[int, _Entry[T]] = {}
        for matter, _ in needs:
            latest = islice(reversed(self._by.get(matter, ())), _LOOKED_AT)
            found.update((entry.number, entry) for entry in latest if entry.number >= first)
        every = [
            Worthy(
                sum(need * entry.matters.get(matter, 0.0) for matter, need in needs), number, entry.message
            )
            for number, entry in found.items()
        ]
        return sorted((one for one in every if one.worth > _FLOOR), key=lambda one: one[:2], reverse=True)
