"""Which later message is the latest word on the matter of an earlier one.

Nobody can list the ways of saying that a thing is no longer as it was ("the sore's closed up", "Bowls is on a Thursday
from now on"). So it is learned, from dialogues in which it was marked what had become outdated, and by what: that a
message tells a change, that both tell of the same matters (`memory.recall_heard`), and that they share words or name
times. A latest word comes with what it is of, and usually before it (`memory.recall_order`); it ends nothing, so that
nothing that keeps somebody safe is lost by a mistake.
"""

from bisect import insort
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from operator import mul
from typing import Final, Generic, NamedTuple, TypeVar

from memory.recall_heard import latest_weights
from memory.recall_told import NEVER, Told, surely

T = TypeVar("T")

_MOST: Final = 2  # latest words on the matter of one message
_LOOKED_AT: Final = 100  # messages before a latest word, the nearest
_FLOOR: Final = surely(0.03)  # how sure it must be


def signs(new: Told, old: Told) -> tuple[float, float, float, float]:
    """What tells that ``new`` is the latest word on the matter of ``old``, as numbers."""
    (one, side), (two, across) = new.words, old.words
    alike = sum(map(mul, new.matters, old.matters))
    shared = len(one & two) * side * across
    times = float(len(new.times & old.times))
    return surely(new.change), alike, shared, times


def sureness(new: Told, old: Told, weights: Sequence[float]) -> float:
    """How surely ``new`` is the latest word on the matter of ``old``."""
    sure: float = weights[0] + sum(map(mul, weights[1:], signs(new, old)))
    return min(max(sure, NEVER), -NEVER)


class _Entry(NamedTuple, Generic[T]):
    """A message, and what it tells."""

    message: T
    told: Told


class Latest(Generic[T]):
    """Messages by their names, in the order they were said, and which of them is the latest word on what.

    What a message is the latest word on is found when it is said: a recall only looks it up. ``weights`` are what each
    sign counts, what is so of all first, where they are others than those that ship.
    """

    def __init__(self, weights: Sequence[float] = ()) -> None:
        self._weights = weights
        self._named: dict[str, _Entry[T]] = {}
        self._later: dict[str, list[tuple[float, str, T]]] = {}
        """Of an earlier message: how unsure each is, and its name."""

    def add(self, name: str, message: T, told: Told) -> None:
        """Hold the newest message, of that name."""
        if told.is_news():
            weights = self._weights or latest_weights()
            for earlier, old in islice(reversed(self._named.items()), _LOOKED_AT):
                if (sure := sureness(told, old.told, weights)) >= _FLOOR:
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

    def told(self, name: str) -> Told:
        """What the message ``name`` tells."""
        return self._named[name].told

    def overtaken(self, name: str, shown: AbstractSet[str] = frozenset()) -> float:
        """How surely the likeliest latest word on the matter of the message ``name`` is it."""
        return next((sure for sure, _ in self._unshown(name, shown)), NEVER)

    def latest(self, name: str, shown: AbstractSet[str] = frozenset()) -> list[tuple[float, T]]:
        """What may be the latest word on the matter of the message ``name``, and how surely, the surest first, but for
        messages that are ``shown``.
        """
        return [*islice(self._unshown(name, shown), _MOST)]

    def _unshown(self, name: str, shown: AbstractSet[str]) -> Iterator[tuple[float, T]]:
        for unsure, each, message in self._later.get(name, ()):
            if each not in shown:
                yield -unsure, message
