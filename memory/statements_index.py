"""Which patterns can match in a sentence at all, told by its words before any of them is tried.

Each pattern is one bit, once for each thing it must find: a cue of its frame, a word of the frame's company, and the
words it needs itself. A word's number says what it serves; or-ing the numbers of a sentence and laying the ranks over
one another leaves the few patterns that have all they need, usually none.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from operator import itemgetter
from typing import Final, Literal, NamedTuple

from memory import statements_rules, statements_senses, statements_values
from memory.bits import union
from memory.expressions import Expression
from memory.statements_frames import CALLED, frames
from memory.statements_needs import DIGITS, MOST_NEEDS, needs
from memory.statements_pieces import taken_apart
from memory.statements_reading import reading
from memory.statements_words import Affixes, known_words
from memory.text import Remembered

_RANKS = 3 + MOST_NEEDS
_CUE, _COMPANY, _VALUE = 5, 0, 1
_NEEDS = (4, 2, 3)
"""Where the bits of each thing that a pattern must find stand: the two that are seldomest there stand highest."""
_RUN = Expression(r"\w+")
_DIGIT = Expression(r"\d")
_PEOPLE = ("relation", "name")
_NAMES_SOMEBODY = 1
_OPENS_PHRASE = 2


def _run_of(word: str) -> str:
    """What of a word or group that a value must have is looked for: of a word its first letters and digits in a row."""
    return word if word.startswith("@") else _RUN.findall(word)[0]


class Possible(NamedTuple):
    """What a text may hold, as bits: patterns of frames, loose rules, wide rules, patterns of sense (`senses`, in the
    order of `sense_sources`); ``people``: that it names somebody; ``phrases``: that a phrase may begin in it.
    """

    patterns: int
    loose: int
    wide: int
    senses: int
    people: int
    phrases: int


NOTHING: Final = Possible(0, 0, 0, 0, 0, 0)
_possible: Final = partial(tuple.__new__, Possible)  # pyright: ignore[reportUnknownMemberType]  # its stub
"""`Possible` of all its parts at once: half of what it costs to make one by naming them."""


class Met(NamedTuple):
    """A piece of a sentence as it was met before: what it may serve, as bits, and its tokens, as in `Piece`."""

    serves: int
    said: tuple[str, ...]
    names: tuple[str, ...]
    opening: tuple[str, ...]


_serves: Callable[[Met], int] = itemgetter(0)
_names: Callable[[Met], tuple[str, ...]] = itemgetter(2)


def sense_sources() -> tuple[str, ...]:
    """The patterns that say in what sense something is said, then those of values, of loose rules, and of idioms."""
    return (
        *statements_senses.sources(),
        *statements_values.sources(),
        *statements_rules.without_sources(),
        *reading().idioms,
    )


@cache
def sense_at(name: Literal["senses", "values", "without"]) -> int:
    """The number of the first pattern of a part of the patterns of sense."""
    before = {"senses": 0, "values": len(statements_senses.sources())}
    return before[name] if name in before else before["values"] + len(statements_values.sources())


class Index:
    """The patterns of all frames, then the loose rules, the wide ones, and the patterns of sense, as bits in that
    order.
    """

    def __init__(self) -> None:
        self.first = [0]
        for frame in frames().all:
            self.first.append(self.first[-1] + len(frame.patterns))
        self._frame_of = [number for number, frame in enumerate(frames().all) for _ in frame.patterns]
        self._rules = (*statements_rules.rules(), *statements_rules.wide_rules())
        self._loose = self.first[-1]
        self._wide = self._loose + len(statements_rules.rules())
        self._senses = self._loose + len(self._rules)
        self._size = self._senses + len(sense_sources())
        self._patterns = (1 << self._loose) - 1
        self._wanted = (1 << self._senses) - 1
        self._most = (1 << self._size) - 1
        self._only_loose = (1 << self._wide - self._loose) - 1
        self._only_wide = (1 << self._senses - self._wide) - 1
        self._people = _NAMES_SOMEBODY << self._size * _RANKS
        self._phrases = _OPENS_PHRASE << self._size * _RANKS
        self.idioms = (1 << self._size) - (1 << self._size - len(reading().idioms)) >> self._senses
        self._enter_all()
        self._words = Remembered(self._of)
        self._met = Remembered(self._of_piece)

    def _enter_all(self) -> None:
        self._always = 0
        self._whole: dict[str, int] = {}  # by words as they stand
        self._exact: dict[str, int] = {}  # by their runs of letters, in which patterns see them
        self._groups: dict[str, int] = dict.fromkeys(_PEOPLE, self._people)
        starts: dict[str, int] = {}
        ends: dict[str, int] = {}
        cue_starts: dict[str, int] = {}
        cue_ends: dict[str, int] = {}
        for number, frame in enumerate(frames().all):
            bits = (1 << self.first[number + 1]) - (1 << self.first[number])
            self._enter(
                bits << _CUE * self._size, frame.frame.cues.split(), self._whole, cue_starts, cue_ends
            )
            self._enter(bits << _COMPANY * self._size, frame.company, self._whole, {}, {})
            of_value = () if frame.frame.value else map(_run_of, frame.need)
            self._enter(bits << _VALUE * self._size, of_value, self._exact, {}, {})
            for at, pattern in enumerate(frame.patterns, self.first[number]):
                self._enter_needs(at, pattern.source, starts, ends)
        for at, rule in enumerate(self._rules, self._loose):
            self._always |= 1 << at + _COMPANY * self._size | 1 << at + _VALUE * self._size
            groups = [f"@{rule.group}"] if rule.group else ()
            self._enter(1 << at + _CUE * self._size, groups, self._whole, starts, ends)
            self._enter_needs(at, rule.beside, starts, ends)
        for at, source in enumerate(sense_sources(), self._senses):
            self._always |= union(1 << at + rank * self._size for rank in (_CUE, _COMPANY, _VALUE))
            self._enter_needs(at, source, starts, ends)
        self._starts, self._ends = Affixes(starts), Affixes(ends, ends=True)
        self._called = self._groups.get(CALLED, 0)
        self._cue_starts, self._cue_ends = Affixes(cue_starts), Affixes(cue_ends, ends=True)

    def _enter_needs(self, at: int, source: str, starts: dict[str, int], ends: dict[str, int]) -> None:
        found = needs(source)
        for rank in range(MOST_NEEDS):
            words = found[rank] if rank < len(found) else ()
            self._enter(1 << at + _NEEDS[rank] * self._size, words, self._exact, starts, ends)

    def _enter(
        self,
        bits: int,
        words: Iterable[str],
        exact: dict[str, int],
        starts: dict[str, int],
        ends: dict[str, int],
    ) -> None:
        """Note that each of ``words`` serves ``bits``; when there are none, everything does."""
        some = False
        for word in words:
            some = True
            table, entry = exact, word
            if word.startswith("@"):
                table, entry = self._groups, word[1:]
            elif word.startswith("*"):
                table, entry = ends, word[1:]
            elif word.endswith("*"):
                table, entry = starts, word[:-1]
            table[entry] = table.get(entry, 0) | bits
        if not some:
            self._always |= bits

    def _of_groups(self, groups: Iterable[str]) -> int:
        return union([self._groups.get(group, 0) for group in groups])

    def _of(self, word: str) -> int:
        """What a word serves."""
        found = union((*self._cue_starts.of(word), *self._cue_ends.of(word)), self._whole.get(word, 0))
        if groups := known_words().of(word):
            found |= self._of_groups(groups)
        if word in known_words().openers:
            found |= self._phrases
        if word.isalpha():
            return found | self._of_run(word)
        if _DIGIT.search(word):
            found |= self._exact.get(DIGITS, 0)
        runs = {*_RUN.findall(word)}
        values = (
            union(self._of_groups(known_words().of(run)) for run in runs) & self._most << _VALUE * self._size
        )
        return union(map(self._of_run, runs), found | values)

    def _of_run(self, run: str) -> int:
        """What the letters and digits of a word serve, as patterns see them."""
        return union((*self._starts.of(run), *self._ends.of(run)), self._exact.get(run, 0))

    def _of_piece(self, run: str) -> Met:
        """A piece of a text as written: a phrase is taken as there when its first word is."""
        found = 0
        piece = taken_apart(run)
        for word in piece.said:
            found |= self._words[word]
            if found & self._phrases:
                found |= union(map(self._of_groups, known_words().openers.get(word, ())))
        return Met(found, *piece)

    def met(self, pieces: Iterable[str]) -> list[Met]:
        """The pieces of a sentence."""
        return [*map(self._met.__getitem__, pieces)]

    def written(self, met: Sequence[Met]) -> Possible:
        """What may be in a sentence of these pieces: a phrase is taken as there when its first word is."""
        always = self._always
        if any(map(_names, met[1:])) or (met and met[0].opening):
            always |= self._called
        return self._laid_over(union(filter(None, map(_serves, met)), always))

    def possible(self, said: Sequence[str], named: bool = True) -> Possible:
        """What can be in a text of the tokens ``said``; ``named``: some of them may be written like names."""
        each: Iterable[int] = filter(None, map(self._words.__getitem__, said))  # pyright: ignore[reportUnknownArgumentType]  # its stub
        served = union(each, self._always | self._called if named else self._always)
        if served & self._phrases:
            groups = (groups for _, _, groups in known_words().phrases(said))
            served = union(map(self._of_groups, groups), served)
        return self._laid_over(served)

    def _laid_over(self, served: int) -> Possible:
        """What has all it needs. The rarest of a pattern's words come first, because few sentences go on from there."""
        size = self._size
        seldom = served >> _NEEDS[0] * size
        bits = seldom & seldom >> size & self._most
        if bits & self._wanted:
            bits &= served & served >> size & served >> 2 * size & served >> 3 * size
        if not (bits & self._wanted or served & self._people):
            return NOTHING
        return _possible(
            (
                bits & self._patterns,
                bits >> self._loose & self._only_loose,
                bits >> self._wide & self._only_wide,
                bits >> self._senses,
                served & self._people,
                served & self._phrases,
            )
        )

    def called(self, patterns: int) -> list[tuple[int, int]]:
        """The frames with a pattern among ``patterns``, in order of precedence, with their own as bits."""
        found: list[tuple[int, int]] = []
        while patterns:
            number = self._frame_of[(patterns & -patterns).bit_length() - 1]
            first, last = self.first[number], self.first[number + 1]
            found.append((number, patterns >> first & (1 << last - first) - 1))
            patterns = patterns >> last << last
        return found


@cache
def index() -> Index:
    """The index over all tables, made on first use."""
    return Index()
