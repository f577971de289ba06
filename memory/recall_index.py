"""What a message needs of all that a person has stated, the best first.

What is kept is in `memory.recall_kept`; here it is weighed: what a topic needs, whose it is, and which is the
latest word on its matter.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, islice, product
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from memory.recall_kept import Kept, Stated
from memory.recall_overheard import OVERHEARD
from memory.recall_people import akin
from memory.recall_topics import Needed
from memory.recall_worth import Group, Kin, Kind, Want, Worth, in_turn, whose
from memory.statements_kinds import StatementKind

MOST_CRITICAL = 60
"""Messages critical for safety that are brought back: more than any budget of a recall has room for."""
_NONE: frozenset[int] = frozenset()


class Recalled(msgspec.Struct, frozen=True):
    """A message to bring back, why (topic and kind), and whether a budget may never drop it."""

    message_id: str
    score: float
    why: str
    safety: bool


Found: TypeAlias = tuple[Recalled, Stated]
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
        later = {one.message_id for one in self._said if before is not None and one.position >= before}
        found = self._places(self._meant(needed), None, later, limit, (True, False))
        return tuple(each for each, _ in found)

    def _meant(self, needed: Needed) -> Needed:
        """``needed``, and by name whom it calls by a relation."""
        called = {alike for person in needed.people for alike in akin(person)}
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
        critical: set[str] = set()
        safety = islice(self._told(self._worth(needed, reach, (True,)), shown), MOST_CRITICAL)
        for each in chain(self._latest_word_first(islice(safety, most), needed, shown), safety):
            if each[0].message_id not in critical:
                critical.add(each[0].message_id)
                yield each
        yield from self._places(needed, reach, shown | critical, most - len(critical), (False,))

    def _places(
        self,
        needed: Needed,
        reach: Reach | None,
        shown: AbstractSet[str],
        most: int,
        critical: Sequence[bool],
    ) -> list[Found]:
        """What fills so many places: what rules find, then what is only heard."""
        if most <= 0:
            return []
        found = [*islice(self._told(self._worth(needed, reach, critical), shown), most)]
        found += self._heard(needed, reach, shown, found, most)
        return self._latest_word_first(found, needed, shown)[:most]

    def _latest_word_first(
        self, found: Iterable[Found], needed: Needed, shown: AbstractSet[str]
    ) -> list[Found]:
        """``found`` as it is, but that before each comes the latest word on its matter, and what is somebody else's
        after what is the person's own.
        """
        told: dict[str, Found] = {}
        for one, stated in found:
            latest = self._latest.latest(one.message_id, shown)
            if latest is not None and latest.message_id not in told:
                told[latest.message_id] = replace(one, message_id=latest.message_id), latest
            told.setdefault(one.message_id, (one, stated))
        return sorted(told.values(), key=lambda each: self._is_anothers(each[1], needed))

    def _is_anothers(self, stated: Stated, needed: Needed) -> bool:
        """Whether a message tells of somebody else, of whom none was asked."""
        if needed.aside or not self._latest.of_others(stated.message_id):
            return False
        return needed.people.isdisjoint(one.subject.lower() for one in stated.statements)

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
