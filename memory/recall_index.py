"""What a person has stated so far, held so that what a message needs of it is found at once.

Statements that are needed alike are kin: of one kind, telling of the same groups, of the same part of the body, about
the same person. A recall in a history of thousands works out once what each kin is worth, and looks at single
statements only to name those that are needed. The index follows what was said: it grows with every message, and takes
back what is no longer said.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import chain, islice, takewhile
from typing import NamedTuple

import msgspec

from memory.recall_topics import Needed, Needs, Reader, default_reader
from memory.statements_ends import core
from memory.statements_held import Held
from memory.statements_kinds import SAFETY, Statement, StatementKind
from memory.statements_subjects import is_relation

MOST_CRITICAL = 60
"""Messages critical for safety that are brought back: more than any budget of a recall has room for."""
HURT_BONUS = 0.1  # for an injury or limit of the very part of the body that is asked about
A_HAIR = 1e-9  # more than sums of the same weights in another order differ by
_NONE: frozenset[int] = frozenset()
_PARTS = frozenset({"lower", "upper", "trunk"})
_OF_A_PART: frozenset[StatementKind] = frozenset({"injury", "limit"})


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


class _Kind:
    """Kin that a topic needs alike: of one kind, with the same that tells about it."""

    __slots__ = ("kin", "name", "own")

    def __init__(self, name: StatementKind) -> None:
        self.name: StatementKind = name
        self.kin: list[_Kin] = []
        self.own: list[_Kin] = []  # those of them that are about the person


class _Kin:
    """Statements that are needed alike, by their numbers, the latest last; ``hurt`` are parts of the body, where it
    matters which.
    """

    __slots__ = ("hurt", "kind", "numbers", "own", "related", "subject")

    def __init__(self, kind: _Kind, hurt: frozenset[str], subject: str) -> None:
        self.kind = kind
        self.hurt = hurt
        self.subject = subject
        self.own = subject == "user"
        self.related = is_relation(subject)
        self.numbers: dict[int, None] = {}


class _Known(NamedTuple):
    """A statement that can come back: the message that says it, its kin, the words that name it."""

    stated: Stated
    kin: _Kin
    named: frozenset[str]


_Called = Mapping[_Kin, Sequence[AbstractSet[int]]]
"""Statements that a message calls by name: of each kin, those that each of its words names."""


class _Worth(NamedTuple):
    """How much statements are needed, by what, and which: those from ``first`` on."""

    score: float
    safety: bool
    kind: StatementKind
    topic: str
    numbers: Iterable[int]
    first: int = 0


_Group = tuple[float, Sequence[_Worth]]
"""What some statements are worth, and the most that one of them or of those in later groups can be worth."""


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
        self._kinds: dict[tuple[str, frozenset[str]], _Kind] = {}
        self._kin: dict[tuple[_Kind, frozenset[str], str], _Kin] = {}
        self._wanted: dict[tuple[str, bool], list[tuple[_Kind, float]]] = {}
        """By topic, what it needs and how much: what is critical for safety by itself."""
        self._others: set[str] = set()  # whom statements are about, but for the person
        self._naming: dict[str, dict[_Kin, set[int]]] = {}  # statements by the words that name them
        self._log: list[_Added] = []
        self._said: list[Stated] = []  # what the log is of
        for stated in sorted(earlier, key=lambda one: one.position):
            self.add(stated)

    @cached_property
    def _reader(self) -> Reader:
        return Reader(self._needs) if self._needs is not None else default_reader()

    def add(self, stated: Stated) -> None:
        """Take in what the person's newest message states."""
        added = _Added(self._held.next, [])
        self._log.append(added)
        self._said.append(stated)
        for statement in stated.statements:
            number, ended = self._held.add(statement)
            added.ended.extend((gone, self._remove(gone)) for gone in ended if gone in self._known)
            if _can_return(statement, bool(ended)):
                self._put(number, _Known(stated, self._kin_of(statement), core(statement.value)))

    def _kin_of(self, statement: Statement) -> _Kin:
        groups = self._reader.groups(statement)
        hurt = groups & _PARTS if statement.kind in _OF_A_PART else frozenset[str]()
        kind = self._kind_of(statement.kind, self._reader.telling(statement, groups))
        alike = kind, hurt, statement.subject.lower()
        if alike not in self._kin:
            self._kin[alike] = _Kin(*alike)
            kind.kin.append(self._kin[alike])
            if self._kin[alike].own:
                kind.own.append(self._kin[alike])
            else:
                self._others.add(alike[2])
        return self._kin[alike]

    def _kind_of(self, name: StatementKind, telling: frozenset[str]) -> _Kind:
        if (name, telling) not in self._kinds:
            self._kinds[name, telling] = kind = _Kind(name)
            for topic, weight in self._reader.needing(name, telling):
                self._wanted.setdefault((topic, name in SAFETY), []).append((kind, weight))
        return self._kinds[name, telling]

    def _put(self, number: int, known: _Known) -> None:
        self._known[number] = known
        numbers = known.kin.numbers
        earlier = bool(numbers) and number < next(reversed(numbers))
        numbers[number] = None
        if earlier:  # it holds again
            known.kin.numbers = dict.fromkeys(sorted(numbers))
        for word in known.named:
            self._naming.setdefault(word, {}).setdefault(known.kin, set()).add(number)

    def _remove(self, number: int) -> _Known:
        known = self._known.pop(number)
        del known.kin.numbers[number]
        for word in known.named:
            named = self._naming[word]
            named[known.kin].discard(number)
            if not named[known.kin]:
                del named[known.kin]
        return known

    def follow(self, stated: Sequence[Stated]) -> None:
        """Be the index of ``stated``, which is in the order it was said: what it has no more is taken back."""
        same = len(self._log)
        if self._said != [*stated[:same]]:  # seldom: usually more was said, or nothing
            same = sum(
                1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(self._said, stated, strict=False))
            )
        while len(self._log) > same:
            self._take_back()
        for one in stated[same:]:
            self.add(one)

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
        found = islice(self._told(self._worth(needed, None, self._called(needed)), later), limit)
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
        called = self._called(needed)
        safety = self._worth(needed, reach, called, (True,))
        for each in islice(self._told(safety, shown), MOST_CRITICAL):
            critical.add(each[0].message_id)
            yield each
        if len(critical) < most:
            rest = self._worth(needed, reach, called, (False,))
            yield from islice(self._told(rest, shown | critical), most - len(critical))

    def _told(self, worth: Iterable[_Group], shown: AbstractSet[str]) -> Iterator[tuple[Recalled, Stated]]:
        """Messages by what they are worth, the latest of equals first, each once and none that is ``shown``."""
        told = set(shown)
        for each, number in _in_turn(worth):
            stated = self._known[number].stated
            message = stated.message_id
            if message not in told:
                told.add(message)
                why = f"{each.topic}: {each.kind}"
                yield Recalled(message, round(each.score, 3), why, each.safety), stated

    def _worth(
        self, needed: Needed, reach: Reach | None, called: _Called, critical: Sequence[bool] = (True, False)
    ) -> Iterator[_Group]:
        """The statements that a topic needs, or that are named and matter for safety, if they are worth it: those
        that are critical for safety, or those that are not, or both. What can be worth most comes first, so that
        the rest is looked at only by who goes on.
        """
        concerned = self._concerned(needed, critical, called)
        named = {kin.kind for kin in called}
        most: dict[float, list[_Kind]] = {}
        for kind, (weight, _) in concerned.items():
            most.setdefault(self._most(kind, weight, needed, named=kind in named), []).append(kind)
        for bound in sorted(most, reverse=True):
            found = (self._of_kind(kind, *concerned[kind], needed, reach, called) for kind in most[bound])
            yield bound, [*chain.from_iterable(found)]

    def _most(self, kind: _Kind, weight: float, needed: Needed, *, named: bool) -> float:
        """What a statement of a kind can be worth at most."""
        needs = self._reader.needs
        most = weight + needs.named_bonus if named else weight
        if needed.regions and kind.name in _OF_A_PART:
            most += HURT_BONUS
        return most + needs.other_bonus if len(kind.kin) > len(kind.own) else most

    def _of_kind(
        self, kind: _Kind, weight: float, topic: str, needed: Needed, reach: Reach | None, called: _Called
    ) -> Iterator[_Worth]:
        """Those of one kind; what is true of somebody else only when the message is about them too."""
        name, safety, floor = kind.name, kind.name in SAFETY, self._reader.needs.floor
        first = 0 if safety or reach is None or name in reach.beyond else self._nearest(reach)
        anyone = needed.household or needed.aside
        alike = kind.kin if anyone or not self._others.isdisjoint(needed.people) else kind.own
        for kin in alike if weight else called.keys() & alike:
            if not kin.numbers or not (kin.own or anyone or kin.subject in needed.people):
                continue
            others: Iterable[int] = kin.numbers
            if kin in called:
                named = _NONE.union(*called[kin])
                others = kin.numbers.keys() - named
                if (score := self._score(kin, weight, needed, called=True)) >= floor:
                    yield _Worth(score, safety, name, topic, named, first)
            if weight and (score := self._score(kin, weight, needed)) >= floor:
                yield _Worth(score, safety, name, topic, others, first)

    def _called(self, needed: Needed) -> _Called:
        """The statements that the message calls by name, by their kin."""
        called: dict[_Kin, list[AbstractSet[int]]] = {}
        for word in needed.words & self._naming.keys():
            for kin, numbers in self._naming[word].items():
                if kin in called:
                    called[kin].append(numbers)
                else:
                    called[kin] = [numbers]
        return called

    def _concerned(
        self, needed: Needed, critical: Sequence[bool], called: Iterable[_Kin]
    ) -> dict[_Kind, tuple[float, str]]:
        """The kinds that a topic needs, how much and which topic most; and those that matter for safety if named."""
        best: dict[_Kind, tuple[float, str]] = {}
        for topic in needed.topics:
            for kind, weight in chain.from_iterable(self._wanted.get((topic, safe), ()) for safe in critical):
                if kind not in best or weight > best[kind][0]:
                    best[kind] = weight, topic
        if needed.tells:  # (decision D12)
            told = self._reader.needs.told
            for kind, (_, topic) in best.items():
                if (kind.name, topic) != ("allergy", told):
                    best[kind] = 0.0, topic
        if True in critical:
            for kin in called:
                if kin.kind.name in SAFETY:
                    best.setdefault(kin.kind, (0.0, "named"))
        return best

    def _score(self, kin: _Kin, weight: float, asked: Needed, *, called: bool = False) -> float:
        """What the statements of a kin are worth, and what those that are ``called`` by name."""
        if kin.own and not (called or kin.hurt or asked.aside):
            return weight
        needs = self._reader.needs
        score = _near(weight, kin.hurt, asked, needs) if kin.hurt and asked.regions else weight
        if called and (score or kin.kind.name in SAFETY):
            score += needs.named_bonus
        return score if kin.own and not asked.aside else _whose(kin, asked, needs, score)

    def _nearest(self, reach: Reach | None) -> int:
        """The number of the first statement among the latest messages."""
        if reach is None or reach.latest >= len(self._log):
            return 0
        return self._log[-reach.latest].first if reach.latest else self._held.next


def _can_return(statement: Statement, ended: bool) -> bool:
    """Whether a statement is worth a recall: what holds now, and a denial only when it ended something."""
    if statement.negated:
        return ended or statement.kind == "equipment"
    return statement.tense != "past" or statement.kind in {"life_event", "condition"}


def _in_turn(groups: Iterable[_Group]) -> Iterator[tuple[_Worth, int]]:
    """The numbers of statements, the best first, and the latest among those that are worth the same."""
    ranks: dict[tuple[float, bool], list[_Worth]] = {}
    for most, group in groups:
        while ranks and (best := max(ranks))[0] > most + A_HAIR:  # nothing that comes is worth as much
            yield from _latest_first(ranks.pop(best))
        for each in group:
            ranks.setdefault((each.score, each.safety), []).append(each)
    for rank in sorted(ranks, reverse=True):
        yield from _latest_first(ranks[rank])


def _latest_first(alike: Iterable[_Worth]) -> Iterator[tuple[_Worth, int]]:
    together: dict[int, _Worth] = {}
    for each in alike:
        together |= dict.fromkeys(each.numbers, each)
    for number in sorted(together, reverse=True):
        if number >= together[number].first:
            yield together[number], number


def _near(score: float, hurt: frozenset[str], asked: Needed, needs: Needs) -> float:
    """The score with regard to the part of the body: a movement that spares it matters less."""
    if not asked.regions or not hurt:
        return score
    return score + HURT_BONUS if score and hurt & asked.regions else score * needs.elsewhere


def _whose(kin: _Kin, asked: Needed, needs: Needs, score: float) -> float:
    """The score with regard to whom the statement is about: somebody else only when the message is too."""
    if kin.own:
        return score * needs.own_aside if asked.aside else score
    if kin.subject in asked.people:
        return score + needs.other_bonus if score else 0.0
    if asked.aside and kin.related:
        return score
    return score * needs.household if asked.household and kin.related else 0.0
