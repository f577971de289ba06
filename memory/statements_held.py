"""Which statements still hold while more are made, without comparing each with all.

What a statement can end shares a word of its value, its attribute, or its kind with it; only those are
compared.
"""

from collections.abc import Iterable

from memory.statements_ends import core, ends, single_valued
from memory.statements_kinds import Statement

_EATEN = ("allergy", "limit")
_BY_WORD = frozenset({"likes", "dislikes"})


class Held:
    """The statements of one history that still hold, numbered in the order in which they were added."""

    def __init__(self) -> None:
        self._alive: dict[int, Statement] = {}
        self.next = 0  # the number that the next one gets
        self._ended: list[tuple[int, int, Statement]] = []  # by which, which, in that order
        self._by: dict[tuple[str, str, str], set[int]] = {}

    def add(self, statement: Statement) -> tuple[int, list[int]]:
        """The number of the new statement, and the numbers of those it ends."""
        number = self.next
        self.next += 1
        ended = [one for one in sorted(self._near(statement)) if ends(statement, self._alive[one])]
        for gone in ended:
            self._ended.append((number, gone, self._alive[gone]))
            self._forget(gone)
        if not statement.negated:
            self._hold(number, statement)
        return number, ended

    def end(self, numbers: Iterable[int]) -> int:
        """The number of a change that ends statements of these numbers, as far as they hold."""
        number = self.next
        self.next += 1
        for gone in numbers:
            if gone in self._alive:
                self._ended.append((number, gone, self._alive[gone]))
                self._forget(gone)
        return number

    def take_back(self, first: int) -> None:
        """As if the statements from the number ``first`` on had not been made: what they ended holds again."""
        for number in range(first, self.next):
            if number in self._alive:
                self._forget(number)
        while self._ended and self._ended[-1][0] >= first:
            _, gone, statement = self._ended.pop()
            if gone < first:
                self._hold(gone, statement)
        self.next = first

    def _hold(self, number: int, statement: Statement) -> None:
        self._alive[number] = statement
        for key in self._keys(statement):
            self._by.setdefault(key, set()).add(number)

    def _keys(self, statement: Statement) -> list[tuple[str, str, str]]:
        subject = statement.subject.lower()
        words = [(subject, "word", word) for word in core(statement.value)]
        return [*words, (subject, "attribute", statement.attribute), (subject, "kind", statement.kind)]

    def _near(self, statement: Statement) -> set[int]:
        """The numbers of statements that ``statement`` could end."""
        subject = statement.subject.lower()
        near: set[int] = set()
        if statement.negated or statement.tense == "past" or statement.attribute in _BY_WORD:
            for word in core(statement.value):
                near |= self._by.get((subject, "word", word), set())
        if statement.attribute in single_valued() or statement.negated:
            near |= self._by.get((subject, "attribute", statement.attribute), set())
        if statement.attribute == "eats" or statement.negated:
            for kind in (statement.kind, *(_EATEN if statement.attribute == "eats" else ())):
                near |= self._by.get((subject, "kind", kind), set())
        return near

    def _forget(self, number: int) -> None:
        for key in self._keys(self._alive.pop(number)):
            self._by[key].discard(number)
