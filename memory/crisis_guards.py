"""When words of danger mean no danger: said not to be, a figure of speech, a film, a lesson, long past.

A guard looks only at the sentence the words stand in, and each kind of phrase answers to its own guards
(``Rule.kind``): a plan in the first person is set aside by its own negation and hardly anything else, because
a film or a joke in the same breath does not make it less of a plan.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from memory.crisis_grammar import Alphabet
from memory.crisis_table import Guards, Rule
from memory.crisis_words import STOP, Spelled

_REACH = 5  # words before a phrase in which a negation is looked for


@dataclass(frozen=True)
class Found:
    """A phrase that was found: the rule it belongs to and the letters it covers."""

    rule: Rule
    start: int
    end: int


class Watch:
    """The guards of one language."""

    def __init__(self, guards: Guards, alphabet: Alphabet) -> None:
        any_of = partial(_any_of, alphabet)

        self.idioms = any_of(guards.idioms)
        self.denials = any_of(guards.denials, r"\Z")
        self.over = any_of(guards.over)
        self.past = any_of(guards.past)
        self.fiction = any_of(guards.fiction)
        self.games = any_of(guards.games)
        self.lessons = any_of(guards.lessons)
        self.jokes = any_of(guards.jokes)
        self.animals = any_of(guards.animals)
        self.negators = frozenset(alphabet.spelled(guards.negators))
        self.breakers = frozenset(alphabet.spelled(guards.breakers))
        self.first_person = frozenset(alphabet.spelled(guards.first_person))
        self.people = frozenset(alphabet.spelled(guards.people))
        self.still = frozenset(guards.still)

        self.alphabet = alphabet
        self.unless: dict[int, re.Pattern[str]] = {}

    def kept(self, found: Sequence[Found], spelled: Spelled) -> list[Found]:
        """Those of ``found`` that no guard sets aside."""
        if not found:
            return []
        return [each for each in found if not self._set_aside(each, spelled)]

    def _set_aside(self, found: Found, spelled: Spelled) -> bool:
        start, end = sentence(spelled.letters, found)
        if any(
            idiom.start() < found.end and found.start < idiom.end()
            for idiom in self.idioms.finditer(spelled.letters, start, end)
        ):
            return True
        if found.rule.unless and self._unless(found.rule).search(spelled.letters, start, found.end):
            return True
        return self._negated(found, spelled) or self._not_meant(found, spelled, start, end)

    def _unless(self, rule: Rule) -> re.Pattern[str]:
        known = self.unless.get(id(rule))
        if known is None:
            known = self.unless[id(rule)] = _any_of(self.alphabet, rule.unless)
        return known

    def _negated(self, found: Found, spelled: Spelled) -> bool:
        letters = spelled.letters
        if self.denials.search(letters, max(0, found.start - 2 * _REACH), found.start):
            return True
        for at in range(found.start - 1, max(-1, found.start - 1 - _REACH), -1):
            if letters[at] == STOP or spelled.comma_before(at + 1) or letters[at] in self.breakers:
                return False
            if letters[at] in self.negators:
                return True
        return False

    def _not_meant(self, found: Found, spelled: Spelled, start: int, end: int) -> bool:
        inside = spelled.letters[found.start : found.end]
        quoted = spelled.quotes[spelled.places[found.start]]
        mine = not quoted and not self.first_person.isdisjoint(inside)
        someone = not self.people.isdisjoint(inside)

        def here(pattern: re.Pattern[str]) -> bool:
            return pattern.search(spelled.letters, start, end) is not None

        if found.rule.kind == "plan" and (mine or quoted):
            return quoted and here(self.fiction)
        if here(self.past) and not self._goes_on(spelled, found):
            return True
        return (
            (not mine and (here(self.fiction) or here(self.lessons)))
            or (not someone and here(self.games))
            or (found.rule.kind == "loose" and here(self.jokes))
            or (not mine and not someone and here(self.animals))
            or self.over.search(spelled.letters, found.start, end) is not None
        )

    def _goes_on(self, spelled: Spelled, found: Found) -> bool:
        first = max(0, spelled.places[found.start] - _REACH)
        said = spelled.tokens[first : spelled.places[found.end - 1] + 2]
        return not self.still.isdisjoint(said)


def _any_of(alphabet: Alphabet, phrases: Iterable[str], tail: str = "") -> re.Pattern[str]:
    patterns = [alphabet.phrase(each).patterns[0] for each in phrases]
    return re.compile(f"(?:{'|'.join(patterns)}){tail}" if patterns else r"(?!)")


def sentence(letters: str, found: Found) -> tuple[int, int]:
    """Where the sentence around ``found`` begins and ends."""
    end = letters.find(STOP, found.end)
    return letters.rfind(STOP, 0, found.start) + 1, len(letters) if end < 0 else end
