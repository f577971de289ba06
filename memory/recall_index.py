"""What a message needs of all that a person has stated, the best first.

What is kept is in `memory.recall_kept`; here it is looked up: what a topic needs, and whose it is. In which order it
comes is weighed by `memory.recall_order`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, islice, product
from operator import mul
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from memory.recall_kept import Kept, Stated
from memory.recall_order import Signs, signs, value
from memory.recall_overheard import OVERHEARD
from memory.recall_people import akin
from memory.recall_topics import Needed
from memory.recall_worth import Group, Kin, Kind, Want, Worth, in_turn, whose
from memory.statements_kinds import StatementKind

MOST_CRITICAL = 60
"""Messages critical for safety that are brought back: more than any budget of a recall has room for."""
BESIDE = 2
"""Of how many more messages than there is room for what fills it is chosen."""
_NONE: frozenset[int] = frozenset()


class Recalled(msgspec.Struct, frozen=True):
    """A message to bring back, why (topic and kind), and whether a budget may never drop it."""

    message_id: str
    score: float
    why: str
    safety: bool


Found: TypeAlias = tuple[Recalled, Stated]
_Weighed: TypeAlias = tuple[Found, Signs]
_Called = Mapping[Kin, Sequence[AbstractSet[int]]]
"""Statements that a message calls by name: of each kin, those that each of its words names."""


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
        needed = self._reader.asked(query)
        if needed is None:
            return ()
        later = self._said_from(before) if before is not None else frozenset[str]()
        needed = self._meant(needed)
        found = self._found(needed, None, later, limit + BESIDE, (True, False))
        return tuple(each for each, _ in self._in_order(found, needed, later)[:limit])

    def weighed(self, query: str, limit: int, before: int) -> dict[str, Signs]:
        """What ``recall`` chooses from, by the messages' ids."""
        needed = self._reader.asked(query)
        if needed is None:
            return {}
        later, needed = self._said_from(before), self._meant(needed)
        found = self._found(needed, None, later, limit + BESIDE, (True, False))
        return {stated.message_id: its for (_, stated), its in self._weighed(found, needed, later)}

    def _said_from(self, position: int) -> AbstractSet[str]:
        return {one.message_id for one in self._said if one.position >= position}

    def _meant(self, needed: Needed) -> Needed:
        """``needed``, and by name whom it calls by a relation."""
        called = akin(needed.people)
        people = needed.people | (called & self._others)
        people = people.union(*(self._related[each] for each in called & self._related.keys()))
        return needed if people == needed.people else replace(needed, people=people)

    def bring_back(
        self, needed: Needed | None, *, most: int, reach: Reach, shown: AbstractSet[str] = frozenset()
    ) -> Iterator[Found]:
        """What an answer should know of, by what its message ``needed``, but for messages that are ``shown`` anyway.

        What is critical for safety comes first and does not stop at ``most``, the rest does.
        """
        if needed is None:
            return
        needed = self._meant(needed)
        critical = islice(self._told(self._worth(needed, reach, (True,)), shown), MOST_CRITICAL)
        told: set[str] = set()
        for each in chain(self._up_to_last([*islice(critical, most)], needed, shown), critical):
            if each[0].message_id not in told:
                told.add(each[0].message_id)
                yield each
        left = most - len(told)
        if left > 0:
            found = self._found(needed, reach, shown | told, left + BESIDE, (False,))
            yield from self._in_order(found, needed, shown | told)[:left]

    def _up_to_last(self, found: Sequence[Found], needed: Needed, shown: AbstractSet[str]) -> Sequence[Found]:
        """``found`` in order, with what may be the latest word on any of it and comes before some of it."""
        names = {one.message_id for one, _ in found}
        ordered = self._in_order(found, needed, shown)
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
        """What rules find, then what is only heard."""
        found = [*islice(self._told(self._worth(needed, reach, critical), shown), most)]
        return found + self._heard(needed, reach, shown, found, most)

    def _in_order(self, found: Sequence[Found], needed: Needed, shown: AbstractSet[str]) -> list[Found]:
        """``found`` and what may be the latest word on any of it, the best first."""
        weighed = self._weighed(found, needed, shown)
        weighed.sort(key=lambda each: value(each[1]), reverse=True)
        return [
            (
                one if one.message_id == stated.message_id else replace(one, message_id=stated.message_id),
                stated,
            )
            for (one, stated), _ in weighed
        ]

    def _weighed(self, found: Sequence[Found], needed: Needed, shown: AbstractSet[str]) -> list[_Weighed]:
        """``found``, and what may be the latest word on any of it, as that is; with what tells its place."""
        named = self._others & needed.people
        needs = [need for _, need in needed.matters]
        every = {one.message_id: (one, stated) for one, stated in found}
        ruled = {name: one for name, (one, _) in every.items() if one.why != OVERHEARD}
        for one, _ in found:
            for _, latest in self._latest.latest(one.message_id, shown):
                if (name := latest.message_id) not in every:
                    every[name] = one, latest
        weighed: list[_Weighed] = []
        for name, each in every.items():
            told, rule = self._latest.told(name), ruled.get(name)
            worth = rule.score if rule else sum(map(mul, needs, told.chances))
            safety = float(rule is not None and rule.safety)
            about = needed.aside or (bool(named) and _tells_of(named, each[1]))
            weighed.append((each, signs(told, self._latest.overtaken(name, shown), worth, safety, about)))
        return weighed

    def _heard(
        self, needed: Needed, reach: Reach | None, shown: AbstractSet[str], found: Sequence[Found], most: int
    ) -> list[Found]:
        """What a message likely needs by its words' like, where there is room beside what was ``found``."""
        if len(found) == most or not needed.matters:
            return []
        told = shown | {each.message_id for each, _ in found}
        first = 0 if reach is None else len(self._log) - reach.latest + 1
        fresh = (
            (_heard(each.message, each.worth), each.message)
            for each in self._overheard.worthy(needed.matters, first)
            if each.message.message_id not in told and self._holds(each.number, each.message)
        )
        return [*islice(fresh, most - len(found))]

    def _told(self, worth: Iterable[Group], shown: AbstractSet[str]) -> Iterator[Found]:
        """Messages by what they are worth, the latest of equals first, each once and none that is ``shown``."""
        told = set(shown)
        for each, number in in_turn(worth):
            stated = self._known[number].stated
            message = stated.message_id
            if message not in told:
                told.add(message)
                want = each.want
                why = f"{want.topic}: {want.kind.name}"
                yield Recalled(message, round(each.score, 3), why, want.kind.safety), stated

    def _worth(self, needed: Needed, reach: Reach | None, critical: Sequence[bool]) -> Iterator[Group]:
        """The statements that a topic needs, or that are named and matter for safety, if they are worth it: those
        that are critical for safety, or those that are not, or both. What can be worth most comes first, so that
        the rest is looked at only by who goes on.
        """
        needs, of_others = self._reader.needs, self._of_others(needed)
        named: defaultdict[Kind, tuple[list[Kin], list[Kin]]] = defaultdict(lambda: ([], []))
        called = self._called(needed, critical)
        for kin in called:
            named[kin.kind][not kin.own].append(kin)
        most: defaultdict[float, list[tuple[Kind, Sequence[Kin], bool]]] = defaultdict(list)
        concerned = self._concerned(needed, critical, named)
        for kind, (weight, _) in concerned.items():
            if kind in named:
                own, others = named[kind]
                if own:
                    most[weight + needs.named_bonus].append((kind, own, True))
                if others and of_others is not None:
                    most[of_others(weight + needs.named_bonus)].append((kind, others, True))
            if weight:
                most[weight].append((kind, kind.own, False))
                if kind.others and of_others is not None:
                    most[of_others(weight)].append((kind, kind.others, False))
        for bound in sorted(most, reverse=True):
            group: list[Worth] = []
            for kind, alike, by_name in most[bound]:
                want = Want(kind, *concerned[kind], self._first(kind, reach))
                group += self._of_kin(want, alike, needed, called if by_name else None)
            yield bound, group

    def _of_others(self, needed: Needed) -> Callable[[float], float] | None:
        """The most that statements about others can be worth, by what they were worth about the person; None where
        a message is about nobody else.
        """
        needs = self._reader.needs
        if not self._others.isdisjoint(needed.people):
            return needs.other_bonus.__add__
        if needed.aside:
            return float
        return needs.household.__mul__ if needed.household else None

    def _of_kin(
        self, want: Want, alike: Iterable[Kin], needed: Needed, called: _Called | None
    ) -> Iterator[Worth]:
        """What ``alike`` are worth, or those of them that are ``called`` by name, which come without it once more,
        for less; what is true of somebody else only when the message is about them too.
        """
        weight, by_name = want.weight, called is not None
        anyone = needed.household or needed.aside
        for kin in alike:
            if kin.numbers and (kin.own or anyone or kin.subject in needed.people):
                score = self._score(kin, weight, needed, called=by_name)
                if score >= self._reader.needs.floor:
                    numbers = kin.numbers if called is None else sorted(_NONE.union(*called[kin]))
                    yield Worth(score, want, numbers)

    def _called(self, needed: Needed, critical: Sequence[bool]) -> _Called:
        """The statements that the message calls by name, by their kin."""
        called: defaultdict[Kin, list[AbstractSet[int]]] = defaultdict(list)
        for naming in map(self._naming.__getitem__, critical):
            for word in needed.words & naming.keys():
                for kin, numbers in naming[word].items():
                    called[kin].append(numbers)
        return called

    def _concerned(
        self, needed: Needed, critical: Sequence[bool], named: Iterable[Kind]
    ) -> dict[Kind, tuple[float, str]]:
        """The kinds that a topic needs, how much and which topic most; and those that matter for safety if named."""
        best: dict[Kind, tuple[float, str]] = {}
        for asked in product(needed.topics, critical):
            for kind, need in self._wanted.get(asked, ()):
                known = best.get(kind)
                if known is None or need[0] > known[0]:
                    best[kind] = need
        if needed.tells:  # (decision D12)
            told = self._reader.needs.told
            for kind, (_, topic) in best.items():
                if (kind.name, topic) != ("allergy", told):
                    best[kind] = 0.0, topic
        if True in critical:
            for kind in named:
                if kind.safety:
                    best.setdefault(kind, (0.0, "named"))
        return best

    def _score(self, kin: Kin, weight: float, asked: Needed, *, called: bool = False) -> float:
        """What the statements of a kin are worth, and what those that are ``called`` by name."""
        needs, score = self._reader.needs, weight
        if called and (score or kin.kind.safety):
            score += needs.named_bonus
        return score if kin.own and not asked.aside else whose(kin, asked, needs, score)

    def _first(self, kind: Kind, reach: Reach | None) -> int:
        """The number of the first statement of a kind that may come back."""
        if kind.safety or reach is None or kind.name in reach.beyond or reach.latest >= len(self._log):
            return 0
        return self._log[-reach.latest].first if reach.latest else self._held.next


def _heard(stated: Stated, score: float) -> Recalled:
    return Recalled(stated.message_id, round(score, 3), OVERHEARD, safety=False)


def _tells_of(people: AbstractSet[str], stated: Stated) -> bool:
    return any(each.subject.lower() in people for each in stated.statements)
