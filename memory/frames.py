"""What is asked or said, and about whom: patterns over sentences read by concepts.

Each frame of the table `questions.toml` is one aspect (where somebody is, when a meal comes, that one
wants to go home) with the patterns of words that express it. A pattern becomes one regular expression with
bounded gaps and is only tried on sentences that hold the words it needs, so the cost stays linear and small.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import pairwise, product
from typing import Final, TypeAlias

import msgspec

from memory.bits import union
from memory.data import table
from memory.phrasing import Sentence, concepts
from memory.vocabulary import OTHER, PERSON, PRONOUN, opened

Said: TypeAlias = str | tuple[str, str]
"""A concept, or two side by side."""

_SLOTS: Final[Mapping[str, str]] = {
    "person": PERSON + PRONOUN,
    "animal": "A",
    "thing": "T",
    "place": "L",
    "meal": "M",
    "body": "B",
    "event": "E",
    "any": "ATLMBE" + OTHER,
}
_GAP = r"(?:\S+ ){0,3}?"
_BEGINS: Final = "^"
_ENDS: Final = "$"
_MOST_PAIRS: Final = 64


class Frame(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"unless": "not"}):
    """One aspect of the table; see the table's head for the language of its patterns."""

    aspect: str
    patterns: list[str]
    unless: list[str] = []
    object: bool = False
    of_person: bool = False
    any_tense: bool = False
    asked_only: bool = False
    aside: bool = False
    told: bool = True
    implied: str = ""


class Frames(msgspec.Struct, frozen=True):
    """The frames in their order: of several that fit, the first names what a message is about."""

    frame: list[Frame]


class Ask(msgspec.Struct, frozen=True):
    """One thing a message asks or says: ``aspect`` of ``objects`` (none: of nothing in particular)."""

    aspect: str
    objects: frozenset[str]
    past: bool


class Pattern(msgspec.Struct, frozen=True):
    """A pattern as a regular expression, compiled when it is first tried, and the frame it belongs to.

    ``needs`` are the concepts, and pairs of them side by side, of which a sentence must have one of each set, the
    rarest first.
    """

    frame: int
    code: str
    needs: tuple[frozenset[Said], ...] = ()


def asks(sentence: Sentence, persons: frozenset[str]) -> Iterator[tuple[int, Frame, Ask]]:
    """The frames ``sentence`` fits, with their places in the table; ``persons``: those named."""
    line = sentence.line
    matches = _matches(sentence, line)
    frames = _frames()
    for number in sorted(matches):
        frame = frames[number]
        if frame.asked_only and not sentence.asks:
            continue
        if not frame.told and sentence.past and not sentence.asks:
            continue
        if any(search(line) for search in _exceptions(number)):
            continue
        objects = _objects(frame, matches[number], persons)
        yield number, frame, Ask(frame.aspect, objects, _past(frame, sentence))


def _past(frame: Frame, sentence: Sentence) -> bool:
    return sentence.past and not frame.any_tense


def _objects(frame: Frame, match: re.Match[str], persons: frozenset[str]) -> frozenset[str]:
    slot: str = match.groupdict().get("o") or ""
    concept, _, kind = slot.partition("/")
    if not frame.object:
        return frozenset()
    if kind in (PERSON, PRONOUN) or (frame.of_person and persons):
        return persons
    if not concept and frame.implied:
        return frozenset((frame.implied,))
    return frozenset((concept,)) - {"", "food"}


def _matches(sentence: Sentence, line: str) -> dict[int, re.Match[str]]:
    found: dict[int, re.Match[str]] = {}
    row = [_BEGINS, *[token.concept for token in sentence.tokens], _ENDS]
    said: set[Said] = {*row, *pairwise(row)}
    for pattern in _anchors().possible(said):
        if pattern.frame not in found and (match := _search(pattern.code)(line)):
            found[pattern.frame] = match
    return found


class Anchors:
    """The patterns by what they need. Each is one bit, entered under the words of the two rarest things it needs: for
    the rarest as it is, for the other beyond all of these.
    """

    def __init__(self, patterns: Sequence[Pattern]) -> None:
        self.patterns = patterns
        self.serves: dict[Said, int] = {}
        self.need_one = 0
        for at, pattern in enumerate(patterns):
            self.need_one |= (len(pattern.needs) == 1) << at + len(patterns)
            for rank, words in enumerate(pattern.needs[:2]):
                for word in words:
                    self.serves[word] = self.serves.get(word, 0) | 1 << at + rank * len(patterns)

    def possible(self, said: AbstractSet[Said]) -> Iterator[Pattern]:
        """The patterns whose needs are all among ``said``, concepts and pairs of them, in the order of the table."""
        served = union(filter(None, map(self.serves.get, said)), self.need_one)
        possible = served & served >> len(self.patterns)
        while possible:
            bit = possible & -possible
            possible ^= bit
            pattern = self.patterns[bit.bit_length() - 1]
            for words in pattern.needs[2:]:
                if said.isdisjoint(words):
                    break
            else:
                yield pattern


def warm() -> None:
    """Compile every pattern now, so that no message waits for those it is the first to need."""
    for pattern in _anchors().patterns:
        _search(pattern.code)
    for number in range(len(_frames())):
        _exceptions(number)


@cache
def _frames() -> Sequence[Frame]:
    found: Frames = table("questions.toml", Frames)
    return found.frame


@cache
def _exceptions(number: int) -> tuple[Callable[[str], re.Match[str] | None], ...]:
    return tuple(_search(_code(_items(text))) for text in _frames()[number].unless)


@cache
def _anchors() -> Anchors:
    read = [(number, _items(text)) for number, frame in enumerate(_frames()) for text in frame.patterns]
    common = Counter(word for _, items in read for item in items for word in item.words)
    return Anchors([Pattern(number, _code(items), _needs(items, common)) for number, items in read])


def _needs(items: Sequence["_Item"], common: Mapping[str, int]) -> tuple[frozenset[Said], ...]:
    """What a pattern needs: pairs of words side by side, where it names them and they are few, else single words."""
    pairs: list[frozenset[Said]] = []
    paired: set[int] = set()
    for at, (one, other) in enumerate(pairwise(items)):
        firsts, seconds = one.sides(_BEGINS if not at else ""), other.sides(_ENDS)
        if 0 < len(firsts) * len(seconds) <= _MOST_PAIRS:
            pairs.append(frozenset(product(firsts, seconds)))
            paired |= {at, at + 1}
    single = [frozenset(item.words) for at, item in enumerate(items) if item.anchors and at not in paired]
    rarest = sorted(single, key=lambda words: sum(common[word] for word in words))
    return (*sorted(pairs, key=len), *map(frozenset[Said], rarest))


class _Item(msgspec.Struct, frozen=True):
    """A piece of a pattern: words one of which must stand here, or ready-made ``code``."""

    words: tuple[str, ...] = ()
    optional: bool = False
    code: str = ""

    @property
    def anchors(self) -> bool:
        return bool(self.words) and not self.optional

    def sides(self, edge: str) -> Sequence[str]:
        """What must stand here: a word, or the ``edge`` of the sentence that it is; nothing if none need."""
        if self.code:
            return (edge,) if self.code == edge else ()
        return () if self.optional else self.words

    @property
    def regex(self) -> str:
        if self.code:
            return self.code
        words = "|".join(re.escape(word) for word in self.words)
        return rf"(?:(?:{words})/\S ){'?' if self.optional else ''}"


@cache
def _search(code: str) -> Callable[[str], re.Match[str] | None]:
    """How to look for an expression; one that begins with the sentence can stand nowhere else."""
    compiled = re.compile(code)
    return compiled.match if code.startswith("^") else compiled.search


def _code(items: Sequence[_Item]) -> str:
    start = "^ " if items[0].code == "^" else " "
    return start + "".join(item.regex for item in items if item.code != "^")


def _items(text: str) -> list[_Item]:
    out: list[_Item] = []
    plain: list[str] = []
    slots = 0
    for piece in [*text.split(), ""]:
        if piece.isalpha() or piece.isdigit():
            plain.extend(opened(piece))
            continue
        out.extend(_Item((token.concept,)) for token in concepts(plain))
        plain.clear()
        if piece:
            slots += piece.startswith("{")
            out.extend(_special(piece, named=slots == 1))
    return out


def _special(piece: str, *, named: bool) -> Iterator[_Item]:
    if piece == "...":
        yield _Item(code=_GAP)
    elif piece in ("^", "$"):
        yield _Item(code=piece)
    elif piece.startswith("{"):
        kinds = f"[{_SLOTS[piece.strip('{}')]}]"
        yield _Item(code=rf"(?P<o>\S+/{kinds}) " if named else rf"\S+/{kinds} ")
    else:
        yield from _choice(piece)


def _choice(piece: str) -> Iterator[_Item]:
    optional = piece.endswith("?")
    found: list[str] = []
    end = False
    for choice in piece.split("|"):
        word = choice.rstrip("?")
        if word == "$":
            end = True
        elif "_" in word:
            found.append(word)
        else:
            tokens = [token.concept for token in concepts(opened(word))]
            found.extend(tokens)
            optional = optional or not tokens
    if end and found:
        words = "|".join(re.escape(word) for word in found)
        yield _Item(code=rf"(?:(?:{words})/\S |$)")
    elif end:
        yield _Item(code="$")
    elif found:
        yield _Item(tuple(found), optional)
