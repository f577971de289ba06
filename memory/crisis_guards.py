"""When words of danger mean no danger: said not to be, a figure of speech, a film, a lesson, long past.

A guard looks only at the sentence the words stand in, and each kind of phrase answers to its own guards
(``Rule.kind``): a plan in the first person is set aside by its own negation and hardly anything else, because
a film or a joke in the same breath does not make it less of a plan.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from memory.crisis_grammar import Alphabet
from memory.crisis_index import Index
from memory.crisis_rows import Row
from memory.crisis_sentences import Span
from memory.crisis_table import Guards, Rule
from memory.crisis_words import STOP, Spelled

_REACH = 5  # words before a phrase in which a negation is looked for
_NEAR = 3  # words before a phrase in which the one who is spoken to is looked for


class Found(NamedTuple):
    """A phrase that was found: the rule it belongs to, the letters it covers, and those of its sentence."""

    rule: Rule
    start: int
    end: int
    sentence: Span


class Watch:
    """The guards of one language."""

    def __init__(self, guards: Guards, alphabet: Alphabet) -> None:
        self.alphabet = alphabet
        self.denials = self._index(guards.denials)
        self.indexes = {name: self._index(phrases) for name, phrases in guards.phrases().items()}
        self.unless: dict[int, Index] = {}
        self.negators = frozenset(alphabet.spelled(guards.negators))
        self.breakers = frozenset(alphabet.spelled(guards.breakers))
        self.addressed = frozenset(alphabet.spelled(guards.addressed))
        self.markers = frozenset(alphabet.spelled(guards.markers))
        self.asking = frozenset(alphabet.spelled(guards.asking))
        self.first_person = frozenset(alphabet.spelled(guards.first_person))
        self.people = frozenset(alphabet.spelled(guards.people))
        self.looking_back = frozenset(alphabet.spelled(guards.looking_back))
        self.still = frozenset(guards.still)

    def _index(self, phrases: Iterable[str]) -> Index:
        return Index([self.alphabet.phrase(each) for each in phrases])

    def warm(self, rules: Iterable[Rule]) -> None:
        """Lay out the phrases of every guard, and what takes words away from ``rules``."""
        unless = (self.before(rule) for rule in rules if rule.unless)
        for index in (self.denials, *self.indexes.values(), *unless):
            index.lay_out()

    def before(self, rule: Rule) -> Index:
        """The phrases that take words away from ``rule``."""
        known = self.unless.get(id(rule))
        if known is None:
            known = self.unless[id(rule)] = self._index(rule.unless)
        return known

    def over(self, row: Row, spelled: Callable[[Span], Spelled]) -> "Over":
        """The guards, set over one message in letters; ``spelled`` traces a part of it to its words."""
        return Over(self, row, spelled)


class Over:
    """The guards over one message: called with what was found, says whether it is meant."""

    def __init__(self, watch: Watch, row: Row, spelled: Callable[[Span], Spelled]) -> None:
        self.watch = watch
        self.spelled = spelled
        self.row = row
        self.letters = row.letters
        self.known: dict[tuple[str, int], list[tuple[int, int]]] = {}

    def __call__(self, found: Found) -> bool:
        """Whether no guard sets ``found`` aside."""
        start, end = found.sentence
        if any(first < found.end and found.start < last for first, last in self._spans("idioms", start, end)):
            return False
        if found.rule.unless and any(self.watch.before(found.rule).found(self.row, start, found.end)):
            return False
        return not self._negated(found) and not self.told_as_such(found)

    def _spans(self, guard: str, start: int, end: int) -> list[tuple[int, int]]:
        """Where phrases of ``guard`` stand in the sentence, looked for once."""
        known = self.known.get((guard, start))
        if known is None:
            found = self.watch.indexes[guard].found(self.row, start, end)
            known = self.known[guard, start] = [(first, last) for _, first, last in found]
        return known

    def _negated(self, found: Found) -> bool:
        letters, first = self.letters, max(0, found.start - 2 * _REACH)
        if any(last == found.start for _, _, last in self.watch.denials.found(self.row, first, found.start)):
            return True
        spelled = self.spelled(found.sentence)
        for at in range(found.start - 1, max(-1, found.start - 1 - _REACH), -1):
            if letters[at] == STOP or letters[at] in self.watch.breakers or spelled.comma_before(at + 1):
                return False
            if letters[at] in self.watch.negators:
                return True
        return False

    def told_as_such(self, found: Found) -> bool:
        """Whether the sentence tells of a film, a lesson, a game, a joke, an animal or of what is long over."""
        start, end = found.sentence
        inside = self.letters[found.start : found.end]
        quoted = self.spelled(found.sentence).between_quotes(found.start)
        mine = not quoted and not self.watch.first_person.isdisjoint(inside)
        someone = not self.watch.people.isdisjoint(inside)

        def here(guard: str) -> bool:
            return bool(self._spans(guard, start, end))

        if found.rule.kind == "plan" and (mine or quoted):
            return (quoted and here("fiction")) or (self._looks_back(found) and here("past"))
        return (
            (here("past") and not self._goes_on(found))
            or (not mine and (here("fiction") or here("lessons")))
            or (not someone and here("games"))
            or (found.rule.kind in ("loose", "plan") and here("jokes"))
            or (not mine and not someone and (here("animals") or self._yours(found)))
            or any(first >= found.start for first, _ in self._spans("over", start, end))
        )

    def _yours(self, found: Found) -> bool:
        """Whether an illness is that of the one who is spoken to: "you are dehydrated", "if you have chest pain".

        Whoever asks for help says "can you" as well, and one who speaks of oneself or a third between is believed.
        """
        letters, watch, first = self.letters, self.watch, max(found.start - _NEAR, found.sentence[0])
        said = letters[found.sentence[0] : found.end]
        if found.rule.category != "medical" or not watch.first_person.isdisjoint(said):
            return False
        spelled = self.spelled(found.sentence)
        for at in range(found.end - 1, first - 1, -1):
            if letters[at] in watch.addressed and letters[at + 1 : at + 2] not in watch.markers:
                return at == found.sentence[0] or letters[at - 1] not in watch.asking
            if at < found.start and (letters[at] in watch.breakers or spelled.comma_before(at + 1)):
                return False
        return False

    def _looks_back(self, found: Found) -> bool:
        """Whether the plan is told as one that was: "I wanted to", years ago."""
        said = self.letters[max(0, found.start - _REACH) : found.end]
        return not self.watch.looking_back.isdisjoint(said) and not self._goes_on(found)

    def _goes_on(self, found: Found) -> bool:
        """Whether the words say that what was begun long ago is not over."""
        said = self.spelled(found.sentence).tokens_around(found.start, found.end, _REACH)
        return not self.watch.still.isdisjoint(said)
