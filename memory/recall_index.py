"""What a message needs of all that a person has stated, the best first.

What is kept is in `memory.recall_kept`; here it is looked up: what a topic needs, and whose it is. In which order it
comes is weighed by `memory.recall_order`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from heapq import merge
from itertools import chain, islice, product, takewhile
from operator import itemgetter, mul
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from memory.recall_kept import Kept, Kin, Kind, Stated
from memory.recall_order import Signs, signs, value
from memory.recall_people import akin
from memory.recall_told import OVERHEARD
from memory.recall_topics import Needed, Needs
from memory.statements_kinds import StatementKind

MOST_CRITICAL = 60
"""Messages critical for safety that are brought back: more than any budget of a recall has room for."""
BESIDE = 2
"""Of how many more messages than there is room for what fills it is chosen."""
_MOST_HEARD = 500  # of the latest messages, how many are looked at for what they only likely tell
_LEAST_HEARD = 0.35  # what a message must be worth by what it likely tells


class Recalled(msgspec.Struct, frozen=True):
    """A message to bring back, why (topic and kind), and whether a budget may never drop it."""

    message_id: str
    score: float
    why: str
    safety: bool


Found: TypeAlias = tuple[Recalled, Stated]
Weighed: TypeAlias = tuple[Found, Signs]


class Reach(NamedTuple):
    """How far back everything matters, and what alone does from beyond: the latest messages that state something,
    and kinds of statement. What is critical for safety always does.
    """

    latest: int
    beyond: frozenset[StatementKind]


class Remembered(Kept):
    """What a person has stated so far, ready to be recalled from; grows by one message at a time."""

    def recall(self, query: str, limit: int = 3, before: int | None = None) -> tuple[Recalled, ...]:
        """The messages that ``query`` needs, best first, at most ``limit``; usually none.

        Only messages at positions below ``before`` come back; what later ones ended still stays away.
        """
        return tuple(each for each, _ in _in_order(self.weighed(query, limit, before))[:limit])

    def weighed(self, query: str, limit: int, before: int | None = None) -> list[Weighed]:
        """What ``recall`` chooses from, and what tells its place."""
        needed = self._reader.asked(query)
        if needed is None:
            return []
        later = {one.message_id for one, _, _ in self._said if before is not None and one.position >= before}
        needed = self._meant(needed)
        return self._weighed(self._found(needed, None, later, limit + BESIDE, (True, False)), needed, later)

    def bring_back(
        self, needed: Needed | None, *, most: int, reach: Reach, shown: AbstractSet[str] = frozenset()
    ) -> Iterator[Found]:
        """What an answer should know of, by what its message ``needed``, but for messages that are ``shown`` anyway.

        What is critical for safety comes first and does not stop at ``most``, the rest does.
        """
        if needed is None:
            return
        needed = self._meant(needed)
        critical = islice(self._ruled(needed, reach, shown, (True,)), MOST_CRITICAL)
        told: set[str] = set()
        for each in chain(self._up_to_last([*islice(critical, most)], needed, shown), critical):
            if each[0].message_id not in told:
                told.add(each[0].message_id)
                yield each
        left = most - len(told)
        if left > 0:
            found = self._found(needed, reach, shown | told, left + BESIDE, (False,))
            yield from _in_order(self._weighed(found, needed, shown | told))[:left]

    def _meant(self, needed: Needed) -> Needed:
        """``needed``, and by name whom it calls by a relation."""
        called = akin(needed.people)
        people = needed.people | (called & self._others)
        people = people.union(*(self._related[each] for each in called & self._related.keys()))
        return needed if people == needed.people else replace(needed, people=people)

    def _up_to_last(self, found: Sequence[Found], needed: Needed, shown: AbstractSet[str]) -> Sequence[Found]:
        """``found`` in order, with what may be the latest word on any of it and comes before some of it."""
        names = {one.message_id for one, _ in found}
        ordered = _in_order(self._weighed(found, needed, shown))
        while ordered and ordered[-1][0].message_id not in names:
            ordered.pop()
        return ordered

    def _found(
        self,
        needed: Needed,
        reach: Reach | None,
        shown: AbstractSet[str],
        most: int,
        critical: Sequence[bool],
    ) -> list[Found]:
        """What rules find, then where there is room what a message likely needs by its words' like."""
        found = [*islice(self._ruled(needed, reach, shown, critical), most)]
        if len(found) < most and needed.matters:
            told = shown | {each.message_id for each, _ in found}
            found += islice(self._heard(needed, reach, told), most - len(found))
        return found

    def _weighed(self, found: Sequence[Found], needed: Needed, shown: AbstractSet[str]) -> list[Weighed]:
        """``found``, and what may be the latest word on any of it, as that is; with what tells its place."""
        named = self._others & needed.people
        every = {one.message_id: (one, stated) for one, stated in found}
        ruled = {name: one for name, (one, _) in every.items() if one.why != OVERHEARD}
        for one, _ in found:
            for _, latest in self._latest.latest(one.message_id, shown):
                every.setdefault(latest.message_id, (replace(one, message_id=latest.message_id), latest))
        weighed: list[Weighed] = []
        for name, each in every.items():
            told, rule = self._latest.told(name), ruled.get(name)
            worth = rule.score if rule else _worth(needed, told.chances)
            safety = float(rule is not None and rule.safety)
            about = needed.aside or (bool(named) and _tells_of(named, each[1]))
            weighed.append((each, signs(told, self._latest.overtaken(name, shown), worth, safety, about)))
        return weighed

    def _heard(self, needed: Needed, reach: Reach | None, shown: AbstractSet[str]) -> Iterator[Found]:
        """What a message likely needs by its words' like: what is worth most first, the latest of equals."""
        reached = len(self._said) if reach is None else min(reach.latest, len(self._said))
        worth: list[tuple[float, int]] = []
        for at in range(len(self._said) - 1, len(self._said) - 1 - min(reached, _MOST_HEARD), -1):
            told = self._latest.told(self._said[at].stated.message_id)
            if (score := _worth(needed, told.lasting)) > _LEAST_HEARD:
                worth.append((score, at))
        for score, at in sorted(worth, reverse=True):
            stated = self._said[at].stated
            if stated.message_id not in shown and self._holds(at):
                yield Recalled(stated.message_id, round(score, 3), OVERHEARD, safety=False), stated

    def _ruled(
        self, needed: Needed, reach: Reach | None, shown: AbstractSet[str], critical: Iterable[bool]
    ) -> Iterator[Found]:
        """Messages of which a topic needs a statement, by what that is worth, the latest of equals first, each once and
        none that is ``shown``: those that are critical for safety, or those that are not, or both.
        """
        wanted = self._wanted_by(needed, critical)
        of_others = needed.aside or needed.household or not self._others.isdisjoint(needed.people)
        ranks: defaultdict[tuple[float, bool], list[Iterable[int]]] = defaultdict(list)
        for kind, (weight, _) in wanted.items():
            first = self._first(kind, reach)
            for kin in (*kind.own, *(kind.others if of_others else ())):
                if kin.numbers and (score := _of_whom(kin, needed, weight, self._reader.needs)):
                    ranks[score, kind.safety].append(takewhile(first.__le__, reversed(kin.numbers)))
        told = set(shown)
        for (score, safety), alike in sorted(ranks.items(), key=itemgetter(0), reverse=True):
            for stated, kin, _ in map(self._known.__getitem__, merge(*alike, reverse=True)):
                if stated.message_id not in told:
                    told.add(stated.message_id)
                    why = f"{wanted[kin.kind][1]}: {kin.kind.name}"
                    yield Recalled(stated.message_id, round(score, 3), why, safety), stated

    def _wanted_by(self, needed: Needed, critical: Iterable[bool]) -> dict[Kind, tuple[float, str]]:
        """The kinds that a topic needs, how much and which topic most."""
        best: dict[Kind, tuple[float, str]] = {}
        for asked in product(needed.topics, critical):
            for kind, need in self._wanted.get(asked, ()):
                known = best.get(kind)
                if known is None or need[0] > known[0]:
                    best[kind] = need
        return best

    def _first(self, kind: Kind, reach: Reach | None) -> int:
        """The number of the first statement of a kind that may come back."""
        if kind.safety or reach is None or kind.name in reach.beyond or reach.latest >= len(self._said):
            return 0
        return self._said[-reach.latest].first if reach.latest else self._held.next


def _in_order(weighed: Sequence[Weighed]) -> list[Found]:
    return [found for found, _ in sorted(weighed, key=lambda each: value(each[1]), reverse=True)]


def _worth(needed: Needed, chances: Iterable[float]) -> float:
    """What a message is worth by what it likely tells."""
    worth: float = sum(map(mul, needed.matters, chances))
    return worth


def _of_whom(kin: Kin, needed: Needed, score: float, needs: Needs) -> float:
    """The score with regard to whom statements are about: somebody else only when the message is too; none below the
    floor.
    """
    if not kin.own:
        if kin.subject in needed.people:
            score += needs.other_bonus
        elif not kin.related or not (needed.aside or needed.household):
            return 0.0
        elif not needed.aside:
            score *= needs.household
    return score if score >= needs.floor else 0.0


def _tells_of(people: AbstractSet[str], stated: Stated) -> bool:
    return any(each.subject.lower() in people for each in stated.statements)
