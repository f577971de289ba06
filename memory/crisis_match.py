"""A phrase, looked for in a sentence of letters.

Regular expressions would do, but thousands of them take longer to compile than a message to read. A phrase is a
row of places instead. Whether it stands in a sentence is asked of all letters at once, as bits of a number; only
where it does is it looked for letter by letter, and there a place that failed at a letter is not tried again, so
that the work for one phrase is bounded by its places times the letters of the sentence.
"""

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from memory.crisis_words import STOP

Need: TypeAlias = Literal["once", "perhaps", "or_end", "not", "begins", "ends", "gap"]


class Place:
    """One place of a phrase: the words that may stand there, and whether one must.

    ``single`` are words of one letter, ``longer`` those of several by their first letter, the longest first. In a
    gap up to ``most`` letters are skipped, none of them among ``single``.
    """

    def __init__(self, need: Need, words: Iterable[str] = (), most: int = 0) -> None:
        self.need: Need = need
        self.most = most
        every = set(words)
        self.single = frozenset(word for word in every if len(word) == 1)
        self.longer: dict[str, list[str]] = {}
        for word in sorted((word for word in every if len(word) > 1), key=len, reverse=True):
            self.longer.setdefault(word[0], []).append(word)

    def ends(self, letters: str, at: int, end: int) -> Iterator[int]:
        """Where this place may end when it begins at ``at``, in the order in which that is tried."""
        need = self.need
        if need == "gap":
            yield from self._skipped(letters, at, end)
            return
        if need in ("begins", "ends"):
            if _at_begin(letters, at) if need == "begins" else _at_end(letters, at, end):
                yield at
            return
        found = self._words(letters, at, end)
        if need == "not":
            if next(found, None) is None:
                yield at
            return
        yield from found
        if need == "perhaps" or (need == "or_end" and _at_end(letters, at, end)):
            yield at

    def _words(self, letters: str, at: int, end: int) -> Iterator[int]:
        if at >= end:
            return
        for word in self.longer.get(letters[at], ()):
            if letters.startswith(word, at, end):
                yield at + len(word)
        if letters[at] in self.single:
            yield at + 1

    def _skipped(self, letters: str, at: int, end: int) -> Iterator[int]:
        last = min(end, at + self.most)
        yield at
        while at < last and letters[at] not in self.single:
            at += 1
            yield at


class Laid:
    """A sentence with each letter's positions as the bits of a number."""

    def __init__(self, letters: str, start: int, end: int) -> None:
        self.length = end - start
        self.begins = int(_at_begin(letters, start))
        self.masks: dict[str, int] = {}
        for at, letter in enumerate(letters[start:end]):
            self.masks[letter] = self.masks.get(letter, 0) | 1 << at
        self.known: dict[int, list[tuple[int, int]]] = {}

    def holds(self, places: list[Place]) -> bool:
        """Whether ``places`` stand somewhere in the sentence, one after the other."""
        reached = (1 << self.length) - 1  # bit n: the places so far can end before letter n
        for place in places:
            reached = self._after(place, reached)
            if not reached:
                return False
        return True

    def _after(self, place: Place, reached: int) -> int:
        match place.need:
            case "gap":
                return self._skipping(place, reached)
            case "begins":
                return reached & self.begins
            case "ends":
                return reached & 1 << self.length
            case "not":
                for _, begins in self._words(place):
                    reached &= ~begins
                return reached
            case "once" | "perhaps" | "or_end":
                after = 0 if place.need == "once" else reached
                if place.need == "or_end":
                    after &= 1 << self.length
                for size, begins in self._words(place):
                    after |= (reached & begins) << size
                return after

    def _skipping(self, place: Place, reached: int) -> int:
        barred = next((begins for _, begins in self._words(place)), 0)
        free = ((1 << self.length) - 1) & ~barred
        for _ in range(place.most):
            further = reached | (reached & free) << 1
            if further == reached:
                break
            reached = further
        return reached

    def _words(self, place: Place) -> list[tuple[int, int]]:
        """How long the words of ``place`` are that the sentence has, and where those of that length begin."""
        known = self.known.get(id(place))
        if known is None:
            masks = self.masks
            single = 0
            for letter in masks.keys() & place.single:
                single |= masks[letter]
            known = [(1, single)] if single else []
            for letter in masks.keys() & place.longer.keys():
                known += [
                    (len(word), begins) for word in place.longer[letter] if (begins := self._begins(word))
                ]
            self.known[id(place)] = known
        return known

    def _begins(self, word: str) -> int:
        begins = -1
        for at, letter in enumerate(word):
            begins &= self.masks.get(letter, 0) >> at
        return begins


def spans(places: list[Place], letters: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where ``places`` stand in ``letters`` from ``start`` to ``end``, from the left, not overlapping."""
    failed: set[tuple[int, int]] = set()
    first = places[0]
    while start < end:
        begins = first.need != "once" or letters[start] in first.single or letters[start] in first.longer
        last = _matched(places, 0, letters, start, end, failed) if begins else -1
        if last > start:
            yield start, last
        start = max(last, start + 1)


def _matched(
    places: list[Place], number: int, letters: str, at: int, end: int, failed: set[tuple[int, int]]
) -> int:
    """Where the places from ``number`` on end when they begin at ``at``; -1 when they do not stand there."""
    if number == len(places):
        return at
    if (number, at) in failed:
        return -1
    for after in places[number].ends(letters, at, end):
        last = _matched(places, number + 1, letters, after, end, failed)
        if last >= 0:
            return last
    failed.add((number, at))
    return -1


def _at_begin(letters: str, at: int) -> bool:
    return at == 0 or letters[at - 1] == STOP


def _at_end(letters: str, at: int, end: int) -> bool:
    return at >= end or letters[at] == STOP
