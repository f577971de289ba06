"""What was heard in a person's messages, held so that what a request likely needs of it is found at once.

Beside the statements that rules read, each message that tells something of the person is held by what it likely tells
of (`memory.recall_heard`). A recall fills with it the places that its rules leave; and of two messages of the same
matters the later comes first where it tells a change.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from math import hypot
from operator import mul
from typing import Final, Generic, NamedTuple, TypeVar

from memory.recall_heard import CHANGES, LONGEST, MATTERS, OTHERS, told
from memory.recall_remarks import of_health, only_was
from memory.statements_kinds import Statement
from memory.statements_subjects import is_speaker
from memory.text import sentences, words

T = TypeVar("T")

OVERHEARD: Final = "heard"
"""The attribute of a statement that says what a whole message likely tells of; of no kind of its own, and negated where
it tells a change."""
_LEAST: Final = 0.1  # the chance of a matter that is held
_OTHERS: Final = 0.4  # from here on a message tells of somebody else
_CHANGES: Final = 0.28  # from here on it tells a change
_FLOOR: Final = 0.35  # what a message must be worth to a request
_ALIKE: Final = 0.5  # cosine of the matters of two messages that may be of one thing
_CHANGEABLE: Final = ("body", "food", "plan", "time")  # of things and people there are several at a time
_LOOKED_AT: Final = 100  # messages of a matter, the latest
_PERCENT: Final = 100


def overheard(text: str) -> tuple[Statement, ...]:
    """What ``text`` likely tells of the person that lasts, as one statement for a recall; questions tell nothing."""
    plain = " ".join(sentence for sentence in sentences(text[:LONGEST]) if not sentence.endswith("?"))
    if not plain or only_was(words(plain)):
        return ()
    chances = told(plain)
    matters = [(matter, round(chances[matter] * _PERCENT)) for matter in MATTERS if chances[matter] >= _LEAST]
    if not matters or chances[OTHERS] >= _OTHERS:
        return ()
    value = " ".join(f"{each}={percent}" for each, percent in matters)
    changes = chances[CHANGES] >= _CHANGES and (_speaks(plain) or of_health(plain))
    return (Statement("strategy", value, negated=changes, attribute=OVERHEARD),)


def _speaks(text: str) -> bool:
    """Whether somebody speaks of themselves."""
    return any(is_speaker(word.split("'")[0]) for word in words(text))


class _Entry(NamedTuple, Generic[T]):
    """A message, its number, what it likely tells of, and whether it tells a change."""

    number: int
    message: T
    matters: Mapping[str, float]
    changes: bool


class Worthy(NamedTuple, Generic[T]):
    """A message, its number, and what it is worth to a request."""

    worth: float
    number: int
    message: T


class Overheard(Generic[T]):
    """Messages by what they likely tell of, the latest last."""

    def __init__(self) -> None:
        self._by: dict[str, list[_Entry[T]]] = {}
        self._named: dict[str, _Entry[T]] = {}

    def add(self, number: int, name: str, message: T, heard: Statement) -> None:
        """Hold a message of that name, whose number is higher than those before."""
        pairs = (part.partition("=") for part in heard.value.split())
        matters = {matter: int(percent) / _PERCENT for matter, _, percent in pairs}
        entry = self._named[name] = _Entry(number, message, matters, heard.negated)
        for matter in matters:
            self._by.setdefault(matter, []).append(entry)

    def take_back(self, number: int, name: str) -> None:
        """Forget the message of that number and name, the latest."""
        self._named.pop(name, None)
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

    def overtaking(self, name: str) -> Callable[[str], bool] | None:
        """Which others the message ``name`` comes before: earlier ones, of whose matters it tells a change.

        None where it tells none.
        """
        new = self._named.get(name)
        return partial(self._overtakes, new) if new is not None and new.changes else None

    def _overtakes(self, new: _Entry[T], other: str) -> bool:
        old = self._named.get(other)
        if old is None or new.number <= old.number:
            return False
        one, two = ([each.matters.get(matter, 0.0) for matter in _CHANGEABLE] for each in (new, old))
        both: float = sum(map(mul, one, two))
        return both > _ALIKE * hypot(*one) * hypot(*two)
