"""Which later message is the latest word on the matter of an earlier one.

Nobody can list the ways of saying that a thing is no longer as it was ("the sore's closed up", "Bowls is on a Thursday
from now on"). So it is learned, from dialogues in which it was marked what had become outdated, and by what: that a
message tells a change, that both tell of the same matters (`memory.recall_heard`), that they share words, and that both
are the person's own. The latest word comes before what it is of; it ends nothing, so that nothing that keeps somebody
safe is lost by a mistake.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import islice, takewhile
from math import exp, hypot, log, sqrt
from operator import mul
from typing import Final, Generic, NamedTuple, TypeVar

from memory.recall_heard import CHANGES, LONGEST, MATTERS, OTHERS, latest_weights
from memory.recall_overheard import CHANGED, OF_ANOTHER, OVERHEARD, heard_in
from memory.recall_threads import classes, tying
from memory.statements_kinds import Statement

T = TypeVar("T")

_SURELY_OF_ANOTHER: Final = 0.6  # from here on what a message tells comes after what is the person's own
_FLOOR: Final = 0.12  # the chance that it is
_LOOKED_AT: Final = 60  # messages that tell a change, the latest
_SURE: Final = 0.01  # nothing is surer than this leaves open


class Told(NamedTuple):
    """What a message tells: how likely a change, of somebody else, of each of `MATTERS`; its text, and whether a rule
    reads something of the person in it.
    """

    change: float
    other: float
    matters: Sequence[float]
    text: str
    own: bool


def told_in(text: str, statements: Sequence[Statement]) -> Told:
    """What a message tells, by what was heard and read in it."""
    heard = [one for one in statements if one.attribute == OVERHEARD]
    chances = heard_in(heard[0]) if heard else {}
    return Told(
        chances.get(CHANGES, 0.0),
        chances.get(OTHERS, 0.0),
        [chances.get(matter, 0.0) for matter in MATTERS],
        text,
        any(one.subject == "user" and one.attribute != OVERHEARD for one in statements),
    )


def signs(new: Told, old: Told) -> tuple[float, ...]:
    """What tells that ``new`` is the latest word on the matter of ``old``, as numbers."""
    change = _surely(new.change)
    alike = sum(map(mul, new.matters, old.matters)) / (hypot(*new.matters) * hypot(*old.matters) or 1.0)
    one, two = _tying(new.text), _tying(old.text)
    shared = len(one & two) / sqrt((1 + len(one)) * (1 + len(two)))
    times = len(_times(new.text) & _times(old.text))
    own = float(new.own), float(old.own)
    return change, _surely(old.other), alike, shared, times, *own, change * alike, change * shared


def chance(new: Told, old: Told) -> float:
    """How likely ``new`` is the latest word on the matter of ``old``."""
    bias, *weights = latest_weights()
    return 1 / (1 + exp(-(bias + sum(map(mul, weights, signs(new, old))))))


def can_be_latest(new: Told) -> bool:
    """Whether a message may be the latest word on anything: it may tell a change, and of the person."""
    return new.change >= CHANGED and new.other < OF_ANOTHER


def _surely(chance: float) -> float:
    open_ended = min(max(chance, _SURE), 1 - _SURE)
    return log(open_ended / (1 - open_ended))


@lru_cache(maxsize=4_096)
def _tying(text: str) -> frozenset[str]:
    return tying(text[:LONGEST])


@lru_cache(maxsize=4_096)
def _times(text: str) -> frozenset[str]:
    return classes(text[:LONGEST])


class _Entry(NamedTuple, Generic[T]):
    """A message, its number, and what it tells."""

    number: int
    message: T
    told: Told


class Latest(Generic[T]):
    """Messages by their names, the latest last, and which of them is the latest word on what."""

    def __init__(self) -> None:
        self._named: dict[str, _Entry[T]] = {}
        self._changes: list[tuple[str, _Entry[T]]] = []
        self._later: dict[str, tuple[int, list[tuple[float, str]]]] = {}
        """Of an earlier message, up to which number it was looked for later words on it, and those that were found."""

    def add(self, number: int, name: str, message: T, told: Told) -> None:
        """Hold a message of that name, whose number is higher than those before."""
        entry = self._named[name] = _Entry(number, message, told)
        if can_be_latest(told):
            self._changes.append((name, entry))

    def take_back(self, name: str) -> None:
        """Forget the message of that name, the latest."""
        del self._named[name]
        self._later.pop(name, None)
        if self._changes and self._changes[-1][0] == name:
            self._changes.pop()
            self._later.clear()

    def of_others(self, name: str) -> bool:
        """Whether a message tells of somebody else, as it sounds."""
        entry = self._named.get(name)
        return entry is not None and entry.told.other >= _SURELY_OF_ANOTHER

    def latest(self, name: str, shown: AbstractSet[str] = frozenset()) -> T | None:
        """The latest word on the matter of the message ``name``, but for messages that are ``shown``; None where it is
        that itself.
        """
        old = self._named.get(name)
        if old is None:
            return None
        begun, found = self._later.get(name, (old.number, []))
        found += self._since(begun, old)
        newest = self._changes[-1][1].number if self._changes else 0
        self._later[name] = max(begun, newest), found
        best = max((one for one in found if one[1] not in shown), default=None)
        return self._named[best[1]].message if best else None

    def _since(self, begun: int, old: _Entry[T]) -> Iterator[tuple[float, str]]:
        newer = takewhile(lambda one: one[1].number > begun, reversed(self._changes))
        for name, new in islice(newer, _LOOKED_AT):
            if (sure := chance(new.told, old.told)) >= _FLOOR:
                yield sure, name
