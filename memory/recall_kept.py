"""What a person has stated so far, held so that what a message needs of it is found at once.

Statements that are needed alike are kin: of one kind, telling of the same groups, about the same person. A recall in a
history of thousands works out once what each kin is worth, and looks at single statements only to name those that are
needed. The index follows what was said: it grows with every message, and takes back what is no longer said.

Where a message ends an earlier statement, or may do so, it is put into that one's kin: it comes in its place, or before
it, wherever that would come.
"""

from collections.abc import Iterable, Sequence
from itertools import islice, takewhile
from typing import NamedTuple

import msgspec

from memory.once import once
from memory.recall_ends import LOOKED_AT, MOST_CHANGES, Before, meant, overtakes
from memory.recall_latest import Latest
from memory.recall_people import relation_of
from memory.recall_told import is_read, told_in, turns
from memory.recall_topics import Needs, Reader, default_reader
from memory.statements_held import Held
from memory.statements_kinds import SAFETY, Statement, StatementKind
from memory.statements_subjects import is_relation


class Stated(msgspec.Struct, frozen=True):
    """An earlier message of the person and what it states, read when it was said."""

    message_id: str
    position: int
    statements: tuple[Statement, ...]
    text: str


class Kind:
    """Kin that a topic needs alike: of one kind, with the same that tells about it."""

    __slots__ = ("name", "others", "own", "safety")

    def __init__(self, name: StatementKind) -> None:
        self.name: StatementKind = name
        self.safety = name in SAFETY
        self.own: list[Kin] = []  # about the person
        self.others: list[Kin] = []


class Kin:
    """Statements that are needed alike, by their numbers, the latest last."""

    __slots__ = ("kind", "numbers", "own", "related", "subject")

    def __init__(self, kind: Kind, subject: str) -> None:
        self.kind = kind
        self.subject = subject
        self.own = subject == "user"
        self.related = is_relation(subject)
        self.numbers: dict[int, None] = {}


class Known(NamedTuple):
    """A statement that can come back: the message that says it, and its kin."""

    stated: Stated
    kin: Kin
    statement: Statement


class _Said(NamedTuple):
    """A message that was taken in, the first of the numbers of its statements, and what it ended."""

    stated: Stated
    first: int
    ended: list[tuple[int, Known]]


class Kept:
    """What a person has stated so far; grows by one message at a time."""

    def __init__(
        self, earlier: Iterable[Stated] = (), needs: Needs | None = None, latest: Sequence[float] = ()
    ) -> None:
        self._needs = needs
        self._held = Held()
        self._latest = Latest[Stated](latest)
        self._known: dict[int, Known] = {}
        self._kinds: dict[tuple[str, frozenset[str]], Kind] = {}
        self._kin: dict[tuple[Kind, str], Kin] = {}
        self._wanted: dict[tuple[str, bool], list[tuple[Kind, tuple[float, str]]]] = {}
        """By topic, what it needs, and how much and by which topic: what is critical for safety by itself."""
        self._others: set[str] = set()  # whom statements are about, but for the person
        self._related: dict[str, set[str]] = {}  # by a relation, who of them was called so ("my son Owen")
        self._said: list[_Said] = []
        self._earlier: Sequence[Stated] = ()  # with what it begins
        for stated in sorted(earlier, key=lambda one: one.position):
            self.add(stated)

    @once
    def _reader(self) -> Reader:
        return Reader(self._needs) if self._needs is not None else default_reader()

    def add(self, stated: Stated) -> None:
        """Take in what the person's newest message states."""
        said = _Said(stated, self._held.next, [])
        self._said.append(said)
        self._latest.add(stated.message_id, stated, told_in(stated.text, stated.statements))
        for change in islice(filter(turns, stated.statements), MOST_CHANGES):
            self._turn(change, said)
        for statement in filter(is_read, stated.statements):
            number, ended = self._held.add(statement)
            said.ended.extend((gone, self._remove(gone)) for gone in ended if gone in self._known)
            if statement.subject != "user" and (related := relation_of(statement)):
                self._related.setdefault(related, set()).add(statement.subject.lower())
            if _can_return(statement, bool(ended)):
                self._put(number, Known(stated, self._kin_of(statement), statement))

    def _turn(self, change: Statement, said: _Said) -> None:
        """End what ``change`` means, or overtake what of it may hold still: its message comes in its place, or before
        it, wherever that would come.
        """
        subject, stated = change.subject.lower(), said.stated
        known = (
            (number, self._known.get(number))
            for number in range(said.first - 1, said.first - 1 - LOOKED_AT, -1)
        )
        before = [
            Before(number, one.kin.kind.name, one.statement, one.stated.position)
            for number, one in known
            if one is not None and one.kin.subject == subject
        ]
        kinds = [one.kind for one in stated.statements if not one.negated and one.subject == change.subject]
        found = meant(change, before, kinds, stated.position)
        for kin in dict.fromkeys(self._known[one.number].kin for one in found):
            self._put(self._held.end(()), Known(stated, kin, change))
        if gone := [] if overtakes(change) else [one.number for one in found if _may_end(one)]:
            said.ended.extend((number, self._remove(number)) for number in gone)
            self._held.end(gone)

    def _holds(self, at: int) -> bool:
        """Whether the message in that place is one that no rule reads, or says something that holds of the person
        still.
        """
        stated, first, _ = self._said[at]
        if not any(map(is_read, stated.statements)):
            return True
        end = self._said[at + 1].first if at + 1 < len(self._said) else self._held.next
        known = map(self._known.get, range(first, end))
        return any(one is not None and one.kin.own for one in known)

    def _kin_of(self, statement: Statement) -> Kin:
        groups = self._reader.groups(statement)
        kind = self._kind_of(statement.kind, self._reader.telling(statement, groups))
        alike = kind, statement.subject.lower()
        if alike not in self._kin:
            self._kin[alike] = Kin(*alike)
            if self._kin[alike].own:
                kind.own.append(self._kin[alike])
            else:
                kind.others.append(self._kin[alike])
                self._others.add(alike[1])
        return self._kin[alike]

    def _kind_of(self, name: StatementKind, telling: frozenset[str]) -> Kind:
        if (name, telling) not in self._kinds:
            self._kinds[name, telling] = kind = Kind(name)
            for topic, weight in self._reader.needing(name, telling):
                self._wanted.setdefault((topic, kind.safety), []).append((kind, (weight, topic)))
        return self._kinds[name, telling]

    def _put(self, number: int, known: Known) -> None:
        self._known[number] = known
        numbers = known.kin.numbers
        earlier = bool(numbers) and number < next(reversed(numbers))
        numbers[number] = None
        if earlier:  # it holds again
            known.kin.numbers = dict.fromkeys(sorted(numbers))

    def _remove(self, number: int) -> Known:
        known = self._known.pop(number)
        del known.kin.numbers[number]
        return known

    def follow(self, earlier: Sequence[Stated], here: Sequence[Stated] = ()) -> None:
        """Be the index of what was stated ``earlier`` and then ``here``, both in the order they were said: what they
        have no more is taken back. ``earlier`` is looked through only when it is another than the last time.
        """
        begun = len(earlier) if earlier is self._earlier else 0
        stated = here if begun else (*earlier, *here)
        held = [one.stated for one in self._said[begun:]]
        same = len(held)
        if held != [*stated[:same]]:  # seldom: usually more was said, or nothing
            same = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(held, stated, strict=False)))
        while len(self._said) > begun + same:
            self._take_back()
        for one in stated[same:]:
            self.add(one)
        self._earlier = earlier

    def _take_back(self) -> None:
        """As if the newest message had not been said: what it ended holds again."""
        stated, first, ended = self._said.pop()
        self._latest.take_back(stated.message_id)
        for number in range(first, self._held.next):
            if number in self._known:
                self._remove(number)
        self._held.take_back(first)
        for number, known in ended:
            if number < first:
                self._put(number, known)


def _may_end(one: Before) -> bool:
    """Whether what a person gives up may end a statement: of what is critical for safety, only a medicine."""
    return one.kind not in SAFETY or one.kind == "medication"


def _can_return(statement: Statement, ended: bool) -> bool:
    """Whether a statement is worth a recall: what holds now, and a denial only when it ended something."""
    if statement.negated:
        return ended or statement.kind == "equipment"
    return statement.tense != "past" or statement.kind in {"life_event", "condition"}
