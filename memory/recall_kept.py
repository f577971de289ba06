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
from memory.recall_ends import LOOKED_AT, MOST_CHANGES, Before, meant, overtakes, turns
from memory.recall_latest import Latest, told_in
from memory.recall_overheard import OVERHEARD, Overheard
from memory.recall_people import relation_of
from memory.recall_topics import Needs, Reader, default_reader
from memory.recall_worth import Kin, Kind
from memory.statements_ends import core
from memory.statements_held import Held
from memory.statements_kinds import SAFETY, Statement, StatementKind


class Stated(msgspec.Struct, frozen=True):
    """An earlier message of the person and what it states, read when it was said."""

    message_id: str
    position: int
    statements: tuple[Statement, ...]
    text: str


class Known(NamedTuple):
    """A statement that can come back: the message that says it, its kin, the words that name it."""

    stated: Stated
    kin: Kin
    named: frozenset[str]
    statement: Statement


class _Added(NamedTuple):
    """What one message changed: the first of its numbers, and what it ended."""

    first: int
    ended: list[tuple[int, Known]]


class Kept:
    """What a person has stated so far; grows by one message at a time."""

    def __init__(self, earlier: Iterable[Stated] = (), needs: Needs | None = None) -> None:
        self._needs = needs
        self._held = Held()
        self._overheard = Overheard[Stated]()
        self._latest = Latest[Stated]()
        self._known: dict[int, Known] = {}
        self._kinds: dict[tuple[str, frozenset[str]], Kind] = {}
        self._kin: dict[tuple[Kind, str], Kin] = {}
        self._wanted: dict[tuple[str, bool], list[tuple[Kind, tuple[float, str]]]] = {}
        """By topic, what it needs, and how much and by which topic: what is critical for safety by itself."""
        self._others: set[str] = set()  # whom statements are about, but for the person
        self._related: dict[str, set[str]] = {}  # by a relation, who of them was called so ("my son Owen")
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
        self._latest.add(stated.message_id, stated, told_in(stated.text, stated.statements))
        for change in islice(filter(turns, stated.statements), MOST_CHANGES):
            self._turn(change, added, stated)
        for statement in stated.statements:
            if statement.attribute == OVERHEARD:
                self._overheard.add(len(self._log), stated, statement)
            if turns(statement) or statement.attribute == OVERHEARD:
                continue
            number, ended = self._held.add(statement)
            added.ended.extend((gone, self._remove(gone)) for gone in ended if gone in self._known)
            if statement.subject != "user" and (related := relation_of(statement)):
                self._related.setdefault(related, set()).add(statement.subject.lower())
            if _can_return(statement, bool(ended)):
                self._put(number, Known(stated, self._kin_of(statement), core(statement.value), statement))

    def _turn(self, change: Statement, added: _Added, stated: Stated) -> None:
        """End what ``change`` means, or overtake what of it may hold still: its message comes in its place, or before
        it, where that would come.
        """
        subject, first = change.subject.lower(), added.first
        known = ((number, self._known.get(number)) for number in range(first - 1, first - 1 - LOOKED_AT, -1))
        before = [
            Before(number, one.kin.kind.name, one.statement, one.stated.position)
            for number, one in known
            if one is not None and one.kin.subject == subject
        ]
        kinds = [one.kind for one in stated.statements if not one.negated and one.subject == change.subject]
        found = meant(change, before, kinds, stated.position)
        gone = (
            []
            if overtakes(change)
            else [one.number for one in found if one.kind not in SAFETY or one.kind == "medication"]
        )
        self._overtake(stated, change, [self._known[one.number] for one in found])
        added.ended.extend((number, self._remove(number)) for number in gone)
        if gone:
            self._held.end(gone)

    def _overtake(self, stated: Stated, change: Statement, places: Iterable[Known]) -> None:
        """Let a message come before each of ``places``, wherever that would come."""
        for kin, named in {place.kin: place.named for place in places}.items():
            self._put(self._held.end(()), Known(stated, kin, named, change))

    def _holds(self, number: int, stated: Stated) -> bool:
        """Whether the message that was the ``number``-th to be taken in is one that no rule reads, or says something
        that holds of the person still.
        """
        if not any(map(_is_read, stated.statements)):
            return True
        last = self._log[number].first if number < len(self._log) else self._held.next
        known = map(self._known.get, range(self._log[number - 1].first, last))
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
        naming = self._naming[known.kin.kind.safety]
        for word in known.named:
            naming.setdefault(word, {}).setdefault(known.kin, set()).add(number)

    def _remove(self, number: int) -> Known:
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
        self._overheard.take_back(len(self._log))
        self._latest.take_back(self._said.pop().message_id)
        gone = self._log.pop()
        for number in range(gone.first, self._held.next):
            if number in self._known:
                self._remove(number)
        self._held.take_back(gone.first)
        for number, known in gone.ended:
            if number < gone.first:
                self._put(number, known)


def _is_read(statement: Statement) -> bool:
    """Whether a rule says what a statement is: it is not only heard, and does not only say of a change."""
    return statement.attribute != OVERHEARD and not turns(statement)


def _can_return(statement: Statement, ended: bool) -> bool:
    """Whether a statement is worth a recall: what holds now, and a denial only when it ended something."""
    if statement.negated:
        return ended or statement.kind == "equipment"
    return statement.tense != "past" or statement.kind in {"life_event", "condition"}
