"""The crisis reader's phrases: a sentence is a string of one letter per word, a phrase a pattern over it.

So a set of words is a set of letters, a gap is a bounded number of letters, and reading stays linear in the
message however many synonyms the tables name.

A phrase is written as words with spaces between::

    want|wish        one of these            pain?    may be left out
    <kill>           a class of the table    ~  ~4    up to 2 (4) other words, none of them a negation
    hit+             with its inflections    !all     not followed by this
    wake_up          two words in one place  ^  $     the sentence begins, ends here
    a b & c d        both in one sentence, in whatever order
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product

from memory.crisis_table import Language
from memory.crisis_words import NUMBER, STOP, plain

_FIRST_LETTER = 0xE100
_COMMON = 40  # a common word costs as many letters as this when the rarest part of a phrase is looked for
_GAP = re.compile(r"~(\d?)")


@dataclass(frozen=True)
class Phrase:
    """A phrase as a pattern over letters, and for each word it needs the letters that may stand there."""

    source: str
    patterns: tuple[str, ...]
    needs: tuple[frozenset[str], ...]

    @cached_property
    def regexes(self) -> tuple[re.Pattern[str], ...]:
        """The compiled patterns, made on first use."""
        return tuple(re.compile(pattern) for pattern in self.patterns)

    def found(self, letters: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Where the phrase stands in the sentence of ``letters`` from ``start`` to ``end``."""
        first, *others = self.regexes
        if not others:
            yield from (match.span() for match in first.finditer(letters, start, end))
            return
        spans = [match.span() for each in self.regexes if (match := each.search(letters, start, end))]
        if len(spans) == len(self.regexes):
            yield min(span[0] for span in spans), max(span[1] for span in spans)


class Alphabet:
    """The letters of one language's words, and its classes of words."""

    def __init__(self, tables: Language) -> None:
        self.letters: dict[str, str] = {}
        self.classes = tables.classes
        self.expanded: dict[str, list[tuple[str, ...]]] = {}
        self.elements: dict[str, list[str]] = {}
        spelling = tables.spelling
        for phrase in [*spelling.rewrites, *spelling.rewrites.values(), *spelling.variants.values(), NUMBER]:
            self.spelled(phrase.split())
        self.common = {self.letter(plain(word)) for word in spelling.common}
        self.gap = f"[^{STOP}{''.join(self.letter(plain(word)) for word in tables.guards.negators)}]"

    def spelled(self, words: Iterable[str]) -> str:
        """One letter per word."""
        return "".join(self.letter(plain(word)) for word in words)

    def letter(self, word: str) -> str:
        """The letter of ``word``, a new one when it has none."""
        found = self.letters.get(word)
        if found is None:
            found = self.letters[word] = chr(_FIRST_LETTER + len(self.letters))
        return found

    def phrase(self, source: str) -> Phrase:
        """``source`` as patterns; ``ValueError`` names an unknown class."""
        patterns: list[str] = []
        needs: list[frozenset[str]] = []
        for part in source.split(" & "):
            pieces = [self._piece(element) for element in part.split()]
            patterns.append("".join(piece for piece, _ in pieces))
            needs += [needed for _, needed in pieces if needed is not None]
        if not needs:
            raise ValueError(f"no word is needed in {source!r}")
        return Phrase(source, tuple(patterns), tuple(sorted(needs, key=self._weight)))

    def _piece(self, element: str) -> tuple[str, frozenset[str] | None]:
        if element == "^":
            return f"(?<![^{STOP}])", None
        if element == "$":
            return f"(?![^{STOP}])", None
        if gap := _GAP.fullmatch(element):
            return f"{self.gap}{{0,{gap[1] or 2}}}?", None
        if element.startswith("!"):
            return f"(?!{self._choice(self._sequences(element[1:]))})", None
        parts = element.removesuffix("?").split("|")
        words = "|".join(part for part in parts if part not in ("", "$"))
        sequences = self._sequences(words)
        choice = self._choice(sequences)
        if element.endswith("?") or "" in parts:
            return f"(?:{choice})?", None
        if "$" in parts:
            return f"(?:{choice}|(?![^{STOP}]))", None
        return choice, frozenset(min(each, key=self._cost) for each in sequences)

    def _cost(self, letter: str) -> int:
        return _COMMON if letter in self.common else 1

    def _weight(self, letters: frozenset[str]) -> int:
        return sum(map(self._cost, letters))

    def _sequences(self, element: str) -> list[str]:
        found = self.elements.get(element)
        if found is None:
            members = (each for part in element.split("|") for each in self._members(part))
            found = self.elements[element] = ["".join(map(self.letter, each)) for each in members]
        return found

    def _members(self, part: str) -> list[tuple[str, ...]]:
        places = [self._forms(word) for word in part.split("_")]
        return [tuple(chain.from_iterable(each)) for each in product(*places)]

    def _forms(self, word: str) -> list[tuple[str, ...]]:
        if word.startswith("<") and word.endswith(">"):
            return self._class(word[1:-1].replace("-", "_"))
        if word.endswith("+"):
            return [(plain(form),) for form in inflected(word[:-1])]
        return [(plain(word),)]

    def _class(self, name: str) -> list[tuple[str, ...]]:
        if name not in self.expanded:
            if name not in self.classes:
                raise ValueError(f"no class is called {name!r}")
            members = [part.replace(" ", "_") for part in self.classes[name]]
            self.expanded[name] = [each for part in members for each in self._members(part)]
        return self.expanded[name]

    def _choice(self, sequences: list[str]) -> str:
        single = "".join(sorted({each for each in sequences if len(each) == 1}))
        longer = sorted({each for each in sequences if len(each) > 1}, key=len, reverse=True)
        if single:
            longer.append(f"[{single}]" if len(single) > 1 else single)
        return longer[0] if len(longer) == 1 else f"(?:{'|'.join(longer)})"


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
