"""Which later message is the latest word on the matter of an earlier one.

Nobody can list the ways of saying that a thing is no longer as it was ("the sore's closed up", "Bowls is on a Thursday
from now on"). So it is learned, from dialogues in which it was marked what had become outdated, and by what: that a
message tells a change, that both tell of the same matters (`memory.recall_heard`), that they share words, and that both
are the person's own. A latest word comes with what it is of, and usually before it (`memory.recall_order`); it ends
nothing, so that nothing that keeps somebody safe is lost by a mistake.
"""

from bisect import insort
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from math import hypot, log, sqrt
from operator import mul
from typing import Final, Generic, NamedTuple, TypeVar

from memory.once import once
from memory.recall_heard import CHANGES, LONGEST, MATTERS, OTHERS, latest_weights
from memory.recall_overheard import CHANGED, OF_ANOTHER, OVERHEARD, heard_in
from memory.recall_threads import classes, tying
from memory.statements_kinds import Statement

T = TypeVar("T")

_MOST: Final = 2  # latest words on the matter of one message
_LOOKED_AT: Final = 100  # messages before a latest word, the nearest
_SURE: Final = 0.01  # nothing is surer than this leaves open


def surely(chance: float) -> float:
    """How much a chance tells: nothing where it is even."""
    open_ended = min(max(chance, _SURE), 1 - _SURE)
    return log(open_ended / (1 - open_ended))


NEVER: Final = surely(0.0)
_FLOOR: Final = surely(0.03)  # how sure it must be


class Told:
    """What a message tells: how likely a change, of somebody else, and of each of `MATTERS`; its text, and whether a
    rule reads something of the person in it. What its words tell is found when it is first asked for.
    """

    def __init__(self, heard: Mapping[str, float], text: str, *, own: bool) -> None:
        self.heard = heard
        self.change = heard.get(CHANGES, 0.0)
        self.other = heard.get(OTHERS, 0.0)
        self.own = float(own)
        self.text = text[:LONGEST]

    @once
    def chances(self) -> tuple[float, ...]:
        """How likely it tells of each of `MATTERS`."""
        return tuple(self.heard.get(matter, 0.0) for matter in MATTERS)

    @once
    def matters(self) -> tuple[float, ...]:
        """Of how much of what it tells each matter is."""
        length = hypot(*self.chances) or 1.0
        return tuple(each / length for each in self.chances)

    @once
    def words(self) -> tuple[frozenset[str], float]:
        """The words that tie it to others, and what one of them that is shared counts on this side."""
        found = tying(self.text)
        return found, 1 / sqrt(1 + len(found))

    @once
    def times(self) -> frozenset[str]:
        """The kinds of times that it names."""
        return classes(self.text)

    @once
    def surely(self) -> tuple[float, float]:
        """How surely it tells a change, and of somebody else."""
        return surely(self.change), surely(self.other)

    def is_news(self) -> bool:
        """Whether it may be the latest word on anything: it may tell a change, and of the person."""
        return self.change >= CHANGED and self.other < OF_ANOTHER


def told_in(text: str, statements: Sequence[Statement]) -> Told:
    """What a message tells, by what was heard and read in it."""
    heard = next((one for one in statements if one.attribute == OVERHEARD), None)
    own = any(one.subject == "user" and one.attribute != OVERHEARD for one in statements)
    return Told(heard_in(heard) if heard is not None else {}, text, own=own)


def signs(new: Told, old: Told) -> tuple[float, ...]:
    """What tells that ``new`` is the latest word on the matter of ``old``, as numbers."""
    (change, _), (_, other) = new.surely, old.surely
    (one, side), (two, across) = new.words, old.words
    alike = sum(map(mul, new.matters, old.matters))
    shared = len(one & two) * side * across
    times = float(len(new.times & old.times))
    return change, other, alike, shared, times, new.own, old.own, change * alike, change * shared


def sureness(new: Told, old: Told) -> float:
    """How surely ``new`` is the latest word on the matter of ``old``."""
    bias, *weights = latest_weights()
    sure: float = bias + sum(map(mul, weights, signs(new, old)))
    return min(max(sure, NEVER), -NEVER)


class _Entry(NamedTuple, Generic[T]):
    """A message, and what it tells."""

    message: T
    told: Told


class Latest(Generic[T]):
    """Messages by their names, in the order they were said, and which of them is the latest word on what.

    What a message is the latest word on is found when it is said: a recall only looks it up.
    """

    def __init__(self) -> None:
        self._named: dict[str, _Entry[T]] = {}
        self._later: dict[str, list[tuple[float, str, T]]] = {}
        """Of an earlier message: how unsure each is, and its name."""

    def add(self, name: str, message: T, told: Told) -> None:
        """Hold the newest message, of that name."""
        if told.is_news():
            for earlier, old in islice(reversed(self._named.items()), _LOOKED_AT):
                if (sure := sureness(told, old.told)) >= _FLOOR:
                    insort(self._later.setdefault(earlier, []), (-sure, name, message))
        self._named[name] = _Entry(message, told)

    def take_back(self, name: str) -> None:
        """Forget the newest message, of that name."""
        entry = self._named.pop(name, None)
        self._later.pop(name, None)
        if entry is not None and entry.told.is_news():
            for earlier in islice(reversed(self._named), _LOOKED_AT):
                if found := self._later.get(earlier):
                    found[:] = (one for one in found if one[1] != name)

    def overtaken(self, name: str, shown: AbstractSet[str] = frozenset()) -> float:
        """How surely the likeliest latest word on the matter of the message ``name`` is it."""
        for unsure, each, _ in self._later.get(name, ()):
            if each not in shown:
                return -unsure
        return NEVER

    def told(self, name: str) -> Told:
        """What the message ``name`` tells."""
        return self._named[name].told

    def latest(self, name: str, shown: AbstractSet[str] = frozenset()) -> list[tuple[float, T]]:
        """What may be the latest word on the matter of the message ``name``, and how surely, the surest first, but for
        messages that are ``shown``.
        """
        found: list[tuple[float, T]] = []
        for unsure, each, message in self._later.get(name, ()):
            if each not in shown:
                found.append((-unsure, message))
                if len(found) == _MOST:
                    break
        return found
