"""What a person has stated so far, held so that what a message needs of it is found at once.

Statements that are needed alike are kin: of one kind, telling of the same groups, of the same part of the body, about
the same person. A recall in a history of thousands works out once what each kin is worth, and looks at single
statements only to name those that are needed. The index follows what was said: it grows with every message, and takes
back what is no longer said.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice, product, takewhile
from typing import NamedTuple

import msgspec

from memory.once import once
from memory.recall_ends import LOOKED_AT, MOST_CHANGES, Before, meant, turns
from memory.recall_topics import Needed, Needs, Reader, default_reader
from memory.recall_worth import HURT_BONUS, OF_A_PART, Group, Kin, Kind, Want, Worth, in_turn, near, whose
from memory.statements_ends import core
from memory.statements_held import Held
from memory.statements_kinds import Statement, StatementKind

MOST_CRITICAL = 60
"""Messages critical for safety that are brought back: more than any budget of a recall has room for."""
_NONE: frozenset[int] = frozenset()
_PARTS = frozenset({"lower", "upper", "trunk"})


class Stated(msgspec.Struct, frozen=True):
    """An earlier message of the person and what it states, read when it was said."""

    message_id: str
    position: int
    statements: tuple[Statement, ...]
    text: str


class Recalled(msgspec.Struct, frozen=True):
    """A message to bring back, why (topic and kind), and whether a budget may never drop it."""

    message_id: str
    score: float
    why: str
    safety: bool


class _Known(NamedTuple):
    """A statement that can come back: the message that says it, its kin, the words that name it."""

    stated: Stated
    kin: Kin
    named: frozenset[str]
    statement: Statement


_Called = Mapping[Kin, Sequence[AbstractSet[int]]]
"""Statements that a message calls by name: of each kin, those that each of its words names."""


class _Added(NamedTuple):
    """What one message changed: the first of its numbers, and what it ended."""

    first: int
    ended: list[tuple[int, _Known]]


class Reach(NamedTuple):
    """How far back everything matters, and what alone does from beyond: the latest messages that state something,
    and kinds of statement. What is critical for safety always does.
    """

    latest: int
    beyond: frozenset[StatementKind]


class Remembered:
    """What a person has stated so far, ready to be recalled from; grows by one message at a time."""

    def __init__(self, earlier: Iterable[Stated] = (), needs: Needs | None = None) -> None:
        self._needs = needs
        self._held = Held()
        self._known: dict[int, _Known] = {}
        self._kinds: dict[tuple[str, frozenset[str]], Kind] = {}
        self._kin: dict[tuple[Kind, frozenset[str], str], Kin] = {}
        self._wanted: dict[tuple[str, bool], list[tuple[Kind, tuple[float, str]]]] = {}
        """By topic, what it needs, and how much and by which topic: what is critical for safety by itself."""
        self._others: set[str] = set()  # whom statements are about, but for the person
        self._naming: dict[bool, dict[str, dict[Kin, set[int]]]] = {True: {}, False: {}}
        """Statements by the words that name them: those critical for safety by themselves."""
        self._log: list[_Added] = []
        self._said: list[Stated] = []  # what the log is of
        self._earlier: Sequence[Stated] = ()  # with what it begins
        for stated in sorted(earlier, key=lambda one: one.position):
            self.add(stated)

    @once
    def _reader(self) -> Reader:
        return Reader(self._needs) if self._needs is not None else default_reader()

    def add(self, stated: Stated) -> None:
        """Take in what the person's newest message states."""
        added = _Added(self._held.next, [])
        self._log.append(added)
        self._said.append(stated)
        for change in islice(filter(turns, stated.statements), MOST_CHANGES):
            self._turn(change, added, stated)
        for statement in stated.statements:
            if turns(statement):
                continue
            number, ended = self._held.add(statement)
            added.ended.extend((gone, self._remove(gone)) for gone in ended if gone in self._known)
            if _can_return(statement, bool(ended)):
                self._put(number, _Known(stated, self._kin_of(statement), core(statement.value), statement))

    def _turn(self, change: Statement, added: _Added, stated: Stated) -> None:
        """End what ``change`` means; its message stands in the place of the latest of that."""
        subject, first = change.subject.lower(), added.first
        known = ((number, self._known.get(number)) for number in range(first - 1, first - 1 - LOOKED_AT, -1))
        before = [
            Before(number, one.kin.kind.name, one.statement, one.stated.position)
            for number, one in known
            if one is not None and one.kin.subject == subject
        ]
        kinds = [one.kind for one in stated.statements if not one.negated and one.subject == change.subject]
        if gone := [one.number for one in meant(change, before, kinds, stated.position)]:
            ended = [(number, self._remove(number)) for number in gone]
            added.ended.extend(ended)
            number = self._held.end(gone)
            self._put(number, _Known(stated, ended[0][1].kin, frozenset(), change))
            for kin in self._beside(ended, before):
                self._put(self._held.end(()), _Known(stated, kin, frozenset(), change))

    def _beside(self, ended: Iterable[tuple[int, _Known]], before: Iterable[Before]) -> list[Kin]:
        """The kin of what ails somebody, told in one sentence with a medicine or a limit that was ``ended``: where
        that sentence still comes back for it, what was changed since comes before it.
        """
        said = {one.statement.words for _, one in ended if one.kin.kind.name in {"medication", "limit"}}
        found = (one for one in before if one.statement.words in said and one.kind in {"condition", "injury"})
        return [*dict.fromkeys(self._known[one.number].kin for one in found)]

    def _kin_of(self, statement: Statement) -> Kin:
        groups = self._reader.groups(statement)
        hurt = groups & _PARTS if statement.kind in OF_A_PART else frozenset[str]()
        kind = self._kind_of(statement.kind, self._reader.telling(statement, groups))
        alike = kind, hurt, statement.subject.lower()
        if alike not in self._kin:
            self._kin[alike] = Kin(*alike)
            if self._kin[alike].own:
                kind.own.append(self._kin[alike])
            else:
                kind.others.append(self._kin[alike])
                self._others.add(alike[2])
        return self._kin[alike]

    def _kind_of(self, name: StatementKind, telling: frozenset[str]) -> Kind:
        if (name, telling) not in self._kinds:
            self._kinds[name, telling] = kind = Kind(name)
            for topic, weight in self._reader.needing(name, telling):
                self._wanted.setdefault((topic, kind.safety), []).append((kind, (weight, topic)))
        return self._kinds[name, telling]

    def _put(self, number: int, known: _Known) -> None:
        self._known[number] = known
        numbers = known.kin.numbers
        earlier = bool(numbers) and number < next(reversed(numbers))
        numbers[number] = None
        if earlier:  # it holds again
            known.kin.numbers = dict.fromkeys(sorted(numbers))
        naming = self._naming[known.kin.kind.safety]
        for word in known.named:
            naming.setdefault(word, {}).setdefault(known.kin, set()).add(number)

    def _remove(self, number: int) -> _Known:
        known = self._known.pop(number)
        del known.kin.numbers[number]
        naming = self._naming[known.kin.kind.safety]
        for word in known.named:
            named = naming[word]
            named[known.kin].discard(number)
            if not named[known.kin]:
                del named[known.kin]
        return known

    def follow(self, earlier: Sequence[Stated], here: Sequence[Stated] = ()) -> None:
        """Be the index of what was stated ``earlier`` and then ``here``, both in the order they were said: what they
        have no more is taken back. ``earlier`` is looked through only when it is another than the last time.
        """
        begun = len(earlier) if earlier is self._earlier else 0
        stated = here if begun else (*earlier, *here)
        held = self._said[begun:]
        same = len(held)
        if held != [*stated[:same]]:  # seldom: usually more was said, or nothing
            same = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(held, stated, strict=False)))
        while len(self._log) > begun + same:
            self._take_back()
        for one in stated[same:]:
            self.add(one)
        self._earlier = earlier

    def _take_back(self) -> None:
        """As if the newest message had not been said: what it ended holds again."""
        gone = self._log.pop()
        self._said.pop()
        for number in range(gone.first, self._held.next):
            if number in self._known:
                self._remove(number)
        self._held.take_back(gone.first)
        for number, known in gone.ended:
            if number < gone.first:
                self._put(number, known)

    def recall(self, query: str, limit: int = 3, before: int | None = None) -> tuple[Recalled, ...]:
        """The messages that ``query`` needs, best first, at most ``limit``; usually none.

        Only messages at positions below ``before`` come back; what later ones ended still stays away.
        """
        needed = self._reader.asked(query)
        if needed is None:
            return ()
        later = {one.message_id for one in self._said if before is not None and one.position >= before}
        found = islice(self._told(self._worth(needed, None, (True, False)), later), limit)
        return tuple(each for each, _ in found)

    def bring_back(
        self, needed: Needed | None, *, most: int, reach: Reach, shown: AbstractSet[str] = frozenset()
    ) -> Iterator[tuple[Recalled, Stated]]:
        """What an answer should know of, by what its message ``needed``, but for messages that are ``shown`` anyway.

        What is critical for safety comes first and does not stop at ``most``, the rest does.
        """
        if needed is None:
            return
        critical: set[str] = set()
        safety = self._worth(needed, reach, (True,))
        for each in islice(self._told(safety, shown), MOST_CRITICAL):
            critical.add(each[0].message_id)
            yield each
        if len(critical) < most:
            rest = self._worth(needed, reach, (False,))
            yield from islice(self._told(rest, shown | critical), most - len(critical))

    def _told(self, worth: Iterable[Group], shown: AbstractSet[str]) -> Iterator[tuple[Recalled, Stated]]:
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
            best = weight + HURT_BONUS if kind.of_a_part and needed.regions else weight
            if kind in named:
                own, others = named[kind]
                if own:
                    most[best + needs.named_bonus].append((kind, own, True))
                if others and of_others is not None:
                    most[of_others(best + needs.named_bonus)].append((kind, others, True))
            if weight:
                most[best].append((kind, kind.own, False))
                if kind.others and of_others is not None:
                    most[of_others(best)].append((kind, kind.others, False))
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
        floor, weight, by_name = self._reader.needs.floor, want.weight, called is not None
        anyone = needed.household or needed.aside
        for kin in alike:
            if kin.numbers and (kin.own or anyone or kin.subject in needed.people):
                score = self._score(kin, weight, needed, called=by_name)
                if score >= floor:
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
        if kin.own and not (called or kin.hurt or asked.aside):
            return weight
        needs = self._reader.needs
        score = near(weight, kin.hurt, asked, needs) if kin.hurt and asked.regions else weight
        if called and (score or kin.kind.safety):
            score += needs.named_bonus
        return score if kin.own and not asked.aside else whose(kin, asked, needs, score)

    def _first(self, kind: Kind, reach: Reach | None) -> int:
        """The number of the first statement of a kind that may come back."""
        if kind.safety or reach is None or kind.name in reach.beyond or reach.latest >= len(self._log):
            return 0
        return self._log[-reach.latest].first if reach.latest else self._held.next


def _can_return(statement: Statement, ended: bool) -> bool:
    """Whether a statement is worth a recall: what holds now, and a denial only when it ended something."""
    if statement.negated:
        return ended or statement.kind == "equipment"
    return statement.tense != "past" or statement.kind in {"life_event", "condition"}
