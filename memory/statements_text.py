"""A message cut into stretches that can each hold one statement.

What is quoted, code, or handed over to be worked on ("translate this: …") is left out. Contractions are
written out, so that a pattern need not know them. A stretch knows whether it asks, supposes or tells a
story, because a question about an allergy states none.

Most sentences state nothing, and their words alone tell so: what else it takes to read a sentence is worked out
when it is asked for, and once.
"""

import re
from collections.abc import Callable, Sequence
from itertools import chain, repeat
from operator import itemgetter

from memory.expressions import Expression
from memory.statements_index import NOTHING, Met, Possible, index
from memory.statements_pieces import DASH, pieces, taken_apart
from memory.statements_reading import Breaks, breaks, cues, pattern
from memory.statements_subjects import mentioned
from memory.statements_words import known_words
from memory.text import compatible, sentences

_QUOTED = Expression(
    r'"[^"\n]{3,}"|«[^»\n]{3,}»|“[^”\n]{3,}”|„[^“”\n]{3,}[“”]|```.*?```|^>[^\n]*', re.DOTALL | re.MULTILINE
)
_LONGEST_LEAD = 12
"""Words before a comma that still belong to what follows ("when …, …")."""
_APOSTROPHES = ("’", "‘", "ʼ", "`", "´")
_ENDS = frozenset({"!", "?", "."})
_NO_NAMES: frozenset[str] = frozenset()


def _own_words(text: str) -> str:
    """``text`` without what is quoted or handed over as material."""
    if not text.isascii():
        text = compatible(text)
        for written in _APOSTROPHES:
            text = text.replace(written, "'")
    if '"' in text or "“" in text or "„" in text or "«" in text or ">" in text or "```" in text:
        text = _QUOTED.sub(" … ", text)
    return text[: _handed_over(text)] if ":" in text else text


def _handed_over(text: str) -> int:
    """Where the material begins that a message hands over; its end when it hands over none.

    The words that do so stand before a colon, in its own sentence, so no other part of the text is looked at.
    """
    colon = text.find(":")
    while colon >= 0:
        start = max(text.rfind(".", 0, colon), text.rfind("\n", 0, colon), text.rfind(":", 0, colon)) + 1
        if handed := pattern("material").search(text, start, colon + 1):
            return handed.start()
        colon = text.find(":", colon + 1)
    return len(text)


_said: Callable[[Met], tuple[str, ...]] = itemgetter(1)
_names: Callable[[Met], tuple[str, ...]] = itemgetter(2)


class Stretch:
    """A part of a sentence: ``text`` in lower case with contractions written out, its tokens ``said`` apart by one
    space.
    """

    __slots__ = ("_named", "_possible", "asks", "said", "supposes", "tells", "text")

    def __init__(
        self, text: str, said: list[str], named: bool, asks: bool, supposes: bool, tells: bool
    ) -> None:
        self.text = text
        self._named = named
        self.said = said
        self.asks = asks
        self.supposes = supposes
        self.tells = tells
        self._possible: Possible | None = None

    @property
    def possible(self) -> Possible:
        """What its own words can state."""
        if self._possible is None:
            self._possible = index().possible(self.said, self._named)
        return self._possible

    @possible.setter
    def possible(self, known: Possible) -> None:
        self._possible = known


class Plain:
    """The words of a sentence that neither ask nor suppose nor tell a story, a comma after each stretch of them."""

    __slots__ = ("_groups", "said", "text")

    def __init__(self, stretches: Sequence[Stretch]) -> None:
        plain = [one.said for one in stretches if not (one.asks or one.supposes or one.tells)]
        self.said = [word for words in plain for word in (*words, ",")]
        self.text = " ".join(self.said)
        self._groups: frozenset[str] | None = None

    @property
    def groups(self) -> frozenset[str]:
        """The groups that any of them belongs to."""
        if self._groups is None:
            self._groups = known_words().groups_of(self.said)
        return self._groups


class Sentence:
    """A sentence of the person's own; what it takes to read it is made when asked."""

    __slots__ = ("_met", "_names", "_person", "_plain", "_stretches", "_tokens", "possible", "text")

    def __init__(self, text: str, met: list[Met], possible: Possible) -> None:
        self.text = text
        self.possible = possible
        self._met = met
        self._tokens: list[str] | None = None
        self._names: frozenset[str] | None = None
        self._person: str | None = None
        self._stretches: list[Stretch] | None = None
        self._plain: Plain | None = None

    @property
    def tokens(self) -> list[str]:
        """Its tokens in lower case, with contractions written out."""
        if self._tokens is None:
            self._tokens = [*chain.from_iterable(map(_said, self._met))]
        return self._tokens

    @property
    def names(self) -> frozenset[str]:
        """Those of its tokens that are written like names."""
        if self._names is None:
            self._names = self._named()
        return self._names

    def _named(self) -> frozenset[str]:
        some = [*filter(_said, self._met)]
        named = [*chain.from_iterable(map(_names, some[1:])), *some[0].opening] if some else []
        if not named or not cues("capitals").isdisjoint(self.tokens):
            return _NO_NAMES  # in German every noun is written like a name
        return frozenset(named)

    @property
    def stretches(self) -> list[Stretch]:
        """The parts that can each hold one statement."""
        if self._stretches is None:
            self._stretches = _stretches(self)
        return self._stretches

    @property
    def plain(self) -> Plain:
        """Those of its words that state something, for who reads them without their grammar."""
        if self._plain is None:
            self._plain = Plain(self.stretches)
        return self._plain

    def mentioned(self, other: str | None) -> str | None:
        """The last person it mentions who is not the one who wrote it, else ``other``."""
        if not self.possible.people:
            return other
        if self._person is None:
            self._person = mentioned(self.tokens, self.names, None) or ""
        return self._person or other


class Sentences(list[Sentence]):
    """The sentences of ``text`` that are the person's own words and may state something or name somebody, in order,
    for who reads them more than once.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        table = index()
        met, may_hold = table.met, table.written
        for sentence in sentences(_own_words(text)):
            each = met(pieces(sentence))
            possible = may_hold(each)
            if possible is not NOTHING:
                self.append(Sentence(sentence, each, possible))


def own_sentences(text: str | Sentences) -> Sentences:
    """The sentences of ``text``, which may be given as such by who reads them several times."""
    return Sentences(text) if isinstance(text, str) else text


def _cut(tokens: list[str], has: frozenset[str]) -> list[list[str]]:
    """``tokens`` in stretches: at strong marks, and at a comma or "and" before a new subject.

    "When I eat eggs, my face swells" stays whole: what comes before the comma is part of what is stated. Where
    nobody wrote a comma ("I'm from Porto I live in Cork"), a second "I" with its verb begins a stretch, and so does
    a "she" after an "I".
    """
    where = breaks()
    again = "i" in has and (tokens.count("i") > 1 or not where.others.isdisjoint(has))
    if not again and where.marks.isdisjoint(has):
        return [tokens] if tokens else []
    parts: list[list[str]] = []
    start = 0
    for at, word in enumerate(tokens):
        if again and (word == "i" or word in where.others) and _begins(tokens, start, at, where):
            parts.append(tokens[start:at])
            start = at
        if word not in where.marks:
            continue
        if word in where.always:
            ends = at + 1 == len(tokens) or tokens[at + 1] != "of"  # "because of" leads on
        else:
            ends = at + 1 < len(tokens) and tokens[at + 1] in where.before
            ends = ends and not (start < at < start + _LONGEST_LEAD and _holds(tokens[start], word, where))
        if ends:
            parts.append(tokens[start:at])
            start = at + 1
    return [part for part in (*parts, tokens[start:]) if part]


def _begins(tokens: Sequence[str], start: int, at: int, where: Breaks) -> bool:
    """Whether the "I" or "she" at a place begins a stretch of its own, in the one that begins at ``start``."""
    return (
        start < at < len(tokens) - 1
        and tokens[at + 1] in (where.opens if tokens[at] == "i" else where.opens_other)
        and "i" in tokens[start : at - 1]
        and tokens[at - 1] not in where.goes_on
    )


def _holds(lead: str, join: str, where: Breaks) -> bool:
    """Whether a stretch that begins with ``lead`` goes on after ``join``."""
    return lead in where.leads_and or (join == "," and lead in where.leads)


def _asking(texts: Sequence[str], marked: bool) -> list[bool]:
    """Which stretches of a sentence ask: in a marked one all from the first that does, else the last."""
    asks, asks_marked = pattern("asking").match, pattern("asking_marked").match
    asking = [bool(asks(text) or (marked and asks_marked(text))) for text in texts]
    if not marked or not texts:
        return asking
    first = asking.index(True) if any(asking) else len(texts) - 1
    return [at >= first for at in range(len(texts))]


def _stretches(sentence: Sentence) -> list[Stretch]:
    tokens, possible = sentence.tokens, sentence.possible
    has = frozenset(tokens)
    marked = "?" in has
    parts = _cut(tokens if _ENDS.isdisjoint(has) else [token for token in tokens if token not in _ENDS], has)
    texts = [*map(" ".join, parts)]
    if possible.senses & index().idioms or DASH in has:
        texts = [pattern("idioms").sub(" … ", text).strip() for text in texts]
        parts = [text.split() for text in texts]
    tells = not cues("fiction").isdisjoint(has) and bool(pattern("fiction").search(sentence.text.lower()))
    supposing = None if cues("supposing").isdisjoint(has) else pattern("supposing")
    asking = _asking(texts, marked) if marked or not cues("asking").isdisjoint(has) else repeat(False)
    named = (len(texts) > 1 or possible.phrases != 0) and bool(sentence.names)
    found = [
        Stretch(text, part, named, asks, supposing is not None and supposing.search(text) is not None, tells)
        for text, part, asks in zip(texts, parts, asking, strict=False)
    ]
    if len(found) == 1 and not possible.phrases:
        found[0].possible = possible  # its words are the sentence's
    return found


def said_plainly(text: str) -> list[str]:
    """Each sentence of ``text`` that is the person's own, its tokens in lower case apart by one space."""
    return [
        " ".join(chain.from_iterable(taken_apart(run).said for run in pieces(sentence)))
        for sentence in sentences(_own_words(text))
    ]
