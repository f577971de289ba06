"""The crisis reader's phrases: a sentence is a string of one letter per word, a phrase a pattern over it.

So a set of words is a set of letters, a gap is a bounded number of letters, and reading stays linear in the
message however many synonyms the tables name.

A phrase is written as words with spaces between::

    want|wish        one of these            pain?    may be left out
    <kill>           a class of the table    ~  ~4    up to 2 (4, at most 9) other words, no negation
    hit+             with its inflections    !all     not followed by this
    wake_up          two words in one place  ^  $     the sentence begins, ends here
    a b & c d        both in one sentence, in whatever order
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, pairwise, product

from memory.crisis_match import Laid, Place, spans
from memory.crisis_table import Language
from memory.crisis_words import NUMBER, STOP, plain
from memory.expressions import Expression
from memory.once import once

_FIRST_LETTER, _LAST_LETTER = 0x3400, 0xD7FF  # of two bytes each (`memory.crisis_rows`)
_COMMON, _RARE = 0.01, 0.00025  # how often a word is met, where only the table says which ones are common
_TOGETHER = 5  # so much more often than by chance two words stand side by side
_MOST_PAIRS = 64
_GAP = Expression(r"~(\d?)")
_GAP_WORDS = 2


class Phrase:
    """A phrase as places in a row, and for each word it needs the letters that may stand there.

    What it needs are letters, and pairs of letters side by side, which say more.
    """

    def __init__(
        self, source: str, needs: tuple[frozenset[str], ...], placed: Callable[[str], Place]
    ) -> None:
        self.source = source
        self.needs = needs
        self._placed = placed

    @once
    def rows(self) -> list[list[Place]]:
        """The rows of places that must all be found; most phrases are never looked for."""
        return [[self._placed(element) for element in part.split()] for part in self.source.split(" & ")]

    def lay_out(self) -> None:
        """Find the places now, not when the phrase is first looked for."""
        assert self.rows

    def found(self, letters: str, start: int, end: int, laid: Laid) -> Iterator[tuple[int, int]]:
        """Where the phrase stands in the sentence of ``letters`` from ``start`` to ``end``, also ``laid`` out."""
        if not all(map(laid.holds, self.rows)):
            return
        if len(self.rows) == 1:
            yield from spans(self.rows[0], letters, start, end)
            return
        found = [next(spans(row, letters, start, end)) for row in self.rows]
        yield min(span[0] for span in found), max(span[1] for span in found)


class Alphabet:
    """The letters of one language's words, and its classes of words."""

    def __init__(self, tables: Language) -> None:
        self.letters: dict[str, str] = {}
        self.classes = tables.classes
        self._sequences = cache(self._sequences_of)
        self._members = cache(self._members_of)
        self._edges = cache(self._edges_of)
        self._needed = cache(self._needed_by)
        self._weight = cache(self._weight_of)
        self._placed = cache(self._place)
        spelling = tables.spelling
        for phrase in [*spelling.rewrites, *spelling.rewrites.values(), *spelling.variants.values(), NUMBER]:
            self.spelled(phrase.split())
        self.rare = _RARE
        self.often = {self.letter(plain(word)): _COMMON for word in spelling.common}
        self.barred = [STOP, *self.spelled(tables.guards.negators)]

    def spelled(self, words: Iterable[str]) -> str:
        """One letter per word."""
        return "".join(self.letter(plain(word)) for word in words)

    def letter(self, word: str) -> str:
        """The letter of ``word``, a new one when it has none; ``ValueError`` when there are no more."""
        found = self.letters.get(word)
        if found is None:
            if _FIRST_LETTER + len(self.letters) > _LAST_LETTER:
                raise ValueError(f"no letter is left for {word!r}: learn fewer features or name fewer words")
            found = self.letters[word] = chr(_FIRST_LETTER + len(self.letters))
        return found

    def phrase(self, source: str) -> Phrase:
        """``source`` as patterns; ``ValueError`` names an unknown class."""
        needs = sorted(self._needs(source.split()), key=self._weight)
        if not needs:
            raise ValueError(f"no word is needed in {source!r}")
        return Phrase(source, tuple(needs), self._placed)

    def _needs(self, elements: Sequence[str]) -> Iterator[frozenset[str]]:
        """What a phrase of ``elements`` needs: of each set one, a letter or two that stand side by side."""
        before: str | None = None
        for element in elements:
            needed = None if element == "&" else self._needed(element)  # words not to follow get letters too
            if element.startswith("!"):
                continue
            if needed is not None:
                yield needed
                if before is not None and (pairs := self._side_by_side(before, element)):
                    yield pairs
            before = element if needed is not None else None

    def _side_by_side(self, one: str, other: str) -> frozenset[str]:
        """The last letters of ``one`` with the first of ``other``; none when there are too many."""
        (_, lasts), (firsts, _) = self._edges(one), self._edges(other)
        if len(lasts) * len(firsts) > _MOST_PAIRS:
            return frozenset()
        return frozenset(map("".join, product(lasts, firsts)))

    def _needed_by(self, element: str) -> frozenset[str] | None:
        """The letters, and the pairs of them, of which ``element`` needs one; None when it can do without."""
        if element in ("^", "$") or _GAP.fullmatch(element):
            return None
        sequences = self._sequences(_words_of(element))
        if element.endswith("?") or element.startswith("!") or _may_be_empty(element):
            return None
        return frozenset([each if len(each) == 1 else self._rarest(each) for each in sequences])

    def _place(self, element: str) -> Place:
        """The place that ``element`` describes."""
        if element in ("^", "$"):
            return Place("begins" if element == "^" else "ends")
        if gap := _GAP.fullmatch(element):
            return Place("gap", self.barred, int(gap[1] or _GAP_WORDS))
        words = self._sequences(_words_of(element))
        if element.startswith("!"):
            return Place("not", words)
        parts = element.removesuffix("?").split("|")
        if element.endswith("?") or "" in parts:
            return Place("perhaps", words)
        return Place("or_end" if "$" in parts else "once", words)

    def _rarest(self, sequence: str) -> str:
        """The two neighbours that are met least."""
        return min(map("".join, pairwise(sequence)), key=self._cost)

    def _cost(self, letters: str) -> float:
        """About how often ``letters``, one or two, are met."""
        often, rare = self.often.get, self.rare
        first = often(letters[0], rare)
        return _TOGETHER * first * often(letters[1], rare) if len(letters) > 1 else first

    def _weight_of(self, letters: frozenset[str]) -> float:
        return sum(map(self._cost, letters))

    def _edges_of(self, element: str) -> tuple[frozenset[str], frozenset[str]]:
        """The letters that ``element`` may begin with, and those that it may end with."""
        sequences = self._sequences(_words_of(element))
        return frozenset(each[0] for each in sequences), frozenset(each[-1] for each in sequences)

    def _sequences_of(self, words: str) -> list[str]:
        """The letters of each of the words that may stand in one place."""
        return [*chain.from_iterable(map(self._members, words.split("|")))]

    def _members_of(self, part: str) -> list[str]:
        """The letters of a word, a class or several words in one place."""
        return [*map("".join, product(*map(self._forms, part.split("_"))))]

    def _forms(self, word: str) -> list[str]:
        if word.startswith("<") and word.endswith(">"):
            return self._class(word[1:-1].replace("-", "_"))
        if word.endswith("+"):
            return [self.letter(plain(form)) for form in inflected(word[:-1])]
        return [self.letter(plain(word))]

    def _class(self, name: str) -> list[str]:
        if name not in self.classes:
            raise ValueError(f"no class is called {name!r}")
        return self._sequences("|".join(self.classes[name]).replace(" ", "_"))


def _words_of(element: str) -> str:
    """``element`` without the marks that say how it is to be found."""
    parts = element.removeprefix("!").removesuffix("?").split("|")
    return "|".join(part for part in parts if part not in ("", "$"))


def _may_be_empty(element: str) -> bool:
    return not {"", "$"}.isdisjoint(element.split("|"))


def inflected(verb: str) -> Iterator[str]:
    """An English verb and its regular forms: ``stab``, ``stabs``, ``stabbed``, ``stabbing``."""
    yield verb
    if _ends_in_consonant_y(verb):
        yield f"{verb[:-1]}ies"
    else:
        yield f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "z")) else f"{verb}s"
    if verb.endswith("e"):
        yield from (f"{verb}d", f"{verb[:-1]}ing")
    elif _ends_in_consonant_y(verb):
        yield from (f"{verb[:-1]}ied", f"{verb}ing")
    else:
        last = verb[-1] if re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", verb) else ""
        yield from (f"{verb}{last}ed", f"{verb}{last}ing", f"{verb}{last}in")


def _ends_in_consonant_y(verb: str) -> bool:
    return verb.endswith("y") and verb[-2:-1] not in "aeiou"
