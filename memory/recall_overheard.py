"""What was heard in a person's messages, held so that what a request likely needs of it is found at once.

Beside the statements that rules read, each message that tells something of the person is held by what it likely tells
of (`memory.recall_heard`). A recall fills with it the places that its rules leave.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Final, Generic, NamedTuple, TypeVar

from memory.recall_heard import CHANGES, LONGEST, MATTERS, OTHERS, told
from memory.statements_kinds import Statement
from memory.text import sentences

T = TypeVar("T")

OVERHEARD: Final = "heard"
"""The attribute of a statement that says what a whole message likely tells of; of no kind of its own."""
_LEAST: Final = 0.1  # the chance of a matter that is held
CHANGED: Final = 0.1  # from here on a message may tell a change
OF_ANOTHER: Final = 0.4  # from here on a message tells of somebody else
_FLOOR: Final = 0.35  # what a message must be worth to a request
_LOOKED_AT: Final = 100  # messages of a matter, the latest
_PERCENT: Final = 100


def overheard(text: str, read: Sequence[Statement] = ()) -> tuple[Statement, ...]:
    """What ``text`` likely tells of the person that lasts or has changed, as one statement for a recall; questions tell
    nothing.

    Where something was ``read`` in it by rules, also that it likely tells of somebody else, or of nothing that lasts.
    """
    plain = " ".join(sentence for sentence in sentences(text[:LONGEST]) if not sentence.endswith("?"))
    if not plain:
        return ()
    chances = told(plain)
    lasts = chances[CHANGES] >= CHANGED or any(chances[each] >= _LEAST for each in MATTERS)
    if not read and (chances[OTHERS] >= OF_ANOTHER or not lasts):
        return ()
    others = {one.subject: None for one in read}
    about = "user" if not others or "user" in others else next(iter(others))
    return (Statement("strategy", as_value(chances), about, attribute=OVERHEARD),)


def as_value(chances: Mapping[str, float]) -> str:
    """What was heard, as the value of a statement."""
    return " ".join(f"{each}={round(chances[each] * _PERCENT)}" for each in (*MATTERS, OTHERS, CHANGES))


def heard_in(statement: Statement) -> dict[str, float]:
    """The chances that were heard: of each of `MATTERS`, of somebody else, and of a change."""
    pairs = (part.partition("=") for part in statement.value.split())
    return {name: int(percent) / _PERCENT for name, _, percent in pairs}


class _Entry(NamedTuple, Generic[T]):
    """A message, its number, and what it likely tells of."""

    number: int
    message: T
    matters: Mapping[str, float]


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
        """Hold a message, whose number is higher than those before, unless it likely tells of somebody else."""
        chances = heard_in(heard)
        if chances[OTHERS] >= OF_ANOTHER:
            return
        matters: dict[str, float] = {
            matter: chances[matter] for matter in MATTERS if chances[matter] >= _LEAST
        }
        entry = _Entry(number, message, matters)
        for matter in matters:
            self._by.setdefault(matter, []).append(entry)

    def take_back(self, number: int) -> None:
        """Forget the message of that number, the latest."""
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
