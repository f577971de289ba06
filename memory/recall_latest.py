"""Which later message is the latest word on the matter of an earlier one.

Nobody can list the ways of saying that a thing is no longer as it was ("the sore's closed up", "Bowls is on a Thursday
from now on"). So it is learned, from dialogues in which it was marked what had become outdated, and by what: that a
message tells a change, that both tell of the same matters (`memory.recall_heard`), that they share words, and that both
are the person's own. The latest word comes before what it is of; it ends nothing, so that nothing that keeps somebody
safe is lost by a mistake.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from math import exp, hypot, log, sqrt
from operator import mul
from typing import Final, Generic, NamedTuple, TypeVar

from memory.once import once
from memory.recall_heard import CHANGES, LONGEST, MATTERS, OTHERS, latest_weights
from memory.recall_overheard import CHANGED, OF_ANOTHER, OVERHEARD, heard_in
from memory.recall_threads import classes, tying
from memory.statements_kinds import Statement

T = TypeVar("T")

_SURELY_OF_ANOTHER: Final = 0.6  # from here on what a message tells comes after what is the person's own
_FLOOR: Final = 0.12  # the chance that it is
_LOOKED_AT: Final = 100  # messages before a latest word, the nearest
_SURE: Final = 0.01  # nothing is surer than this leaves open


class Told:
    """What a message tells: how likely a change, of somebody else, and of each of `MATTERS`; its text, and whether a
    rule reads something of the person in it. What its words tell is found when it is first asked for.
    """

    def __init__(
        self, change: float, other: float, matters: Sequence[float], text: str, *, own: bool
    ) -> None:
        self.change = change
        self.other = other
        self.own = float(own)
        self.text = text[:LONGEST]
        length = hypot(*matters) or 1.0
        self.matters = tuple(each / length for each in matters)

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
        return _surely(self.change), _surely(self.other)

    def is_news(self) -> bool:
        """Whether it may be the latest word on anything: it may tell a change, and of the person."""
        return self.change >= CHANGED and self.other < OF_ANOTHER


def told_in(text: str, statements: Sequence[Statement]) -> Told:
    """What a message tells, by what was heard and read in it."""
    heard = next((one for one in statements if one.attribute == OVERHEARD), None)
    chances = heard_in(heard) if heard is not None else {}
    return Told(
        chances.get(CHANGES, 0.0),
        chances.get(OTHERS, 0.0),
        [chances.get(matter, 0.0) for matter in MATTERS],
        text,
        own=any(one.subject == "user" and one.attribute != OVERHEARD for one in statements),
    )


def signs(new: Told, old: Told) -> tuple[float, ...]:
    """What tells that ``new`` is the latest word on the matter of ``old``, as numbers."""
    (change, _), (_, other) = new.surely, old.surely
    (one, side), (two, across) = new.words, old.words
    alike = sum(map(mul, new.matters, old.matters))
    shared = len(one & two) * side * across
    times = float(len(new.times & old.times))
    return change, other, alike, shared, times, new.own, old.own, change * alike, change * shared


def chance(new: Told, old: Told) -> float:
    """How likely ``new`` is the latest word on the matter of ``old``."""
    bias, *weights = latest_weights()
    return 1 / (1 + exp(-(bias + sum(map(mul, weights, signs(new, old))))))


def _surely(chance: float) -> float:
    open_ended = min(max(chance, _SURE), 1 - _SURE)
    return log(open_ended / (1 - open_ended))


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
        self._later: dict[str, list[tuple[float, str]]] = {}  # of an earlier message, and how sure each is

    def add(self, name: str, message: T, told: Told) -> None:
        """Hold the newest message, of that name."""
        if told.is_news():
            for earlier, old in islice(reversed(self._named.items()), _LOOKED_AT):
                if (sure := chance(told, old.told)) >= _FLOOR:
                    self._later.setdefault(earlier, []).append((sure, name))
        self._named[name] = _Entry(message, told)

    def take_back(self, name: str) -> None:
        """Forget the newest message, of that name."""
        entry = self._named.pop(name, None)
        self._later.pop(name, None)
        if entry is not None and entry.told.is_news():
            for earlier in islice(reversed(self._named), _LOOKED_AT):
                found = self._later.get(earlier)
                if found and found[-1][1] == name:
                    found.pop()

    def of_others(self, name: str) -> bool:
        """Whether a message tells of somebody else, as it sounds."""
        entry = self._named.get(name)
        return entry is not None and entry.told.other >= _SURELY_OF_ANOTHER

    def latest(self, name: str, shown: AbstractSet[str] = frozenset()) -> T | None:
        """The latest word on the matter of the message ``name``, but for messages that are ``shown``; None where it is
        that itself.
        """
        best = max((one for one in self._later.get(name, ()) if one[1] not in shown), default=None)
        return self._named[best[1]].message if best else None
