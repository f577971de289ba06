"""A message cut into stretches that can each hold one statement.

What is quoted, code, or handed over to be worked on ("translate this: …") is left out. Contractions are
written out, so that a pattern need not know them. A stretch knows whether it asks, supposes or tells a
story, because a question about an allergy states none.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

import msgspec

from memory import data
from memory.text import sentences


class _Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    contractions: dict[str, str]
    idioms: tuple[str, ...]
    material: str
    breaks: str
    joins: str
    starters: str
    leads: str
    leads_and: str
    opens: str
    goes_on: str
    nouns_with_capitals: str
    asking_cues: str
    asking: str
    asking_marked: str
    supposing_cues: str
    supposing: str
    fiction_cues: str
    fiction: str
    idiom_cues: str


class Stretch(msgspec.Struct, frozen=True):
    """A part of a sentence: ``text`` in lower case with contractions written out, tokens apart by one
    space.
    """

    text: str
    said: list[str]
    sentence: str
    names: frozenset[str]
    asks: bool
    supposes: bool
    tells: bool


_TOKEN = re.compile(r"[^\W_]+(?:['\-.][^\W_]+)*(?:\+\+|#)?|[,;:()…–—!?.&%/]| - ")
_QUOTED = re.compile(
    r'"[^"\n]{3,}"|«[^»\n]{3,}»|“[^”\n]{3,}”|„[^“”\n]{3,}[“”]|```.*?```|^>[^\n]*', re.DOTALL | re.MULTILINE
)
_LONGEST_LEAD = 12
"""Words before a comma that still belong to what follows ("when …, …")."""
_APOSTROPHES = ("’", "‘", "ʼ", "`", "´")


@cache
def reading() -> _Reading:
    """How messages are cut, read on first use."""
    found: _Reading = data.table("statements_reading.toml", _Reading)
    return found


_OPENING = r"^(?:(?:and|but|so|well|und|y|also|ok|okay|hey|hi) ,? ?)*"


@cache
def _pattern(name: str) -> re.Pattern[str]:
    source = reading()
    text = {
        "material": source.material,
        "supposing": rf"\b(?:{source.supposing})\b",
        "fiction": rf"\b(?:{source.fiction})\b",
        "asking": rf"{_OPENING}(?:{source.asking})\b",
        "asking_marked": rf"{_OPENING}(?:{source.asking_marked})\b",
        "idioms": r"\b(?:" + "|".join(source.idioms) + r")(?!\w)",
    }[name]
    return re.compile(text, re.IGNORECASE)


class _Breaks(msgspec.Struct, frozen=True):
    always: frozenset[str]
    joins: frozenset[str]
    before: frozenset[str]
    leads: frozenset[str]
    leads_and: frozenset[str]
    opens: frozenset[str]
    goes_on: frozenset[str]


@cache
def _breaks() -> _Breaks:
    source = reading()
    return _Breaks(
        frozenset(source.breaks.split()),
        frozenset(source.joins.split()),
        frozenset(source.starters.split()),
        frozenset(source.leads.split()),
        frozenset(source.leads_and.split()),
        frozenset(source.opens.split()),
        frozenset(source.goes_on.split()),
    )


def _own_words(text: str) -> str:
    """``text`` without what is quoted or handed over as material."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        for written in _APOSTROPHES:
            text = text.replace(written, "'")
    if '"' in text or "“" in text or "„" in text or "«" in text or ">" in text or "```" in text:
        text = _QUOTED.sub(" … ", text)
    if ":" in text and (handed := _pattern("material").search(text)):
        text = text[: handed.start()]
    return text


def _tokens(written: Sequence[str]) -> tuple[list[str], frozenset[str]]:
    """The tokens of a sentence in lower case, and those that are written like names."""
    contractions = reading().contractions
    found: list[str] = []
    names: set[str] = set()
    for token in written:
        low = token.lower()
        if low != token and token[0].isupper() and found and not token.isupper():
            names.add(low)
        if low in contractions:
            found.extend(contractions[low].split())
        elif low.endswith("'s"):
            found += (low[:-2], "'s")
            if token[0].isupper():
                names.add(low[:-2])
        else:
            found.append(low)
    return found, frozenset(names)


def _cut(tokens: list[str]) -> list[list[str]]:
    """``tokens`` in stretches: at strong marks, and at a comma or "and" before a new subject.

    "When I eat eggs, my face swells" stays whole: what comes before the comma is part of what is stated. Where
    nobody wrote a comma ("I'm from Porto I live in Cork"), a second "I" with its verb begins a stretch.
    """
    breaks = _breaks()
    parts: list[list[str]] = [[]]
    for word, ahead in zip(tokens, [*tokens[1:], ""], strict=False):
        opened = parts[-1]
        lead = opened[0] if opened and len(opened) < _LONGEST_LEAD else ""
        held = lead in breaks.leads_and or (word == "," and lead in breaks.leads)
        strong = word in breaks.always and ahead != "of"  # "because of" leads on
        if word == "i" and ahead in breaks.opens and "i" in opened[:-1] and opened[-1] not in breaks.goes_on:
            parts.append([word])
            continue
        if strong or (word in breaks.joins and ahead in breaks.before and not held):
            parts.append([])
        else:
            opened.append(word)
    return [part for part in parts if part]


@cache
def _cues(name: str) -> frozenset[str]:
    source = reading()
    cues = {
        "asking": source.asking_cues,
        "supposing": source.supposing_cues,
        "fiction": source.fiction_cues,
        "idioms": source.idiom_cues,
        "capitals": source.nouns_with_capitals,
    }[name]
    return frozenset(cues.split())


def _asking(texts: list[str], marked: bool) -> list[bool]:
    """Which stretches of a sentence ask: in a marked one all from the first that does, else the last."""
    asking = [
        bool(_pattern("asking").search(text) or (marked and _pattern("asking_marked").search(text)))
        for text in texts
    ]
    if not marked or not texts:
        return asking
    first = asking.index(True) if any(asking) else len(texts) - 1
    return [at >= first for at in range(len(texts))]


class Sentence:
    """A sentence of the person's own, as ``written`` in tokens; what else it takes to read it is made when asked."""

    __slots__ = ("_read", "text", "written")

    def __init__(self, text: str) -> None:
        self.text = text
        self.written: list[str] = _TOKEN.findall(text)
        self._read: tuple[list[str], frozenset[str]] | None = None

    @property
    def tokens(self) -> list[str]:
        """Its tokens in lower case, with contractions written out."""
        return self._tokens()[0]

    @property
    def names(self) -> frozenset[str]:
        """Those of its tokens that are written like names."""
        return self._tokens()[1]

    def _tokens(self) -> tuple[list[str], frozenset[str]]:
        if self._read is None:
            tokens, names = _tokens(self.written)
            if names and not _cues("capitals").isdisjoint(tokens):
                names = frozenset[str]()  # in German every noun is written like a name
            self._read = tokens, names
        return self._read


class Sentences(list[Sentence]):
    """The sentences of ``text`` that are the person's own words, in order, for who reads them more than once."""

    def __init__(self, text: str) -> None:
        super().__init__(Sentence(sentence) for sentence in sentences(_own_words(text)))
        self.text = text


def own_sentences(text: str | Sentences) -> Sentences:
    """The sentences of ``text``, which may be given as such by who reads them several times."""
    return Sentences(text) if isinstance(text, str) else text


def stretches(sentence: Sentence) -> list[Stretch]:
    """The parts of a sentence that can each hold one statement."""
    has = frozenset(sentence.tokens)
    marked = "?" in has
    parts = _cut([token for token in sentence.tokens if token not in {"!", "?", "."}])
    texts = [" ".join(part) for part in parts]
    if has & _cues("idioms"):
        texts = [_pattern("idioms").sub(" … ", text).strip() for text in texts]
    tells = bool(has & _cues("fiction")) and bool(_pattern("fiction").search(sentence.text))
    supposing = _pattern("supposing") if has & _cues("supposing") else None
    asking = _asking(texts, marked) if marked or has & _cues("asking") else [False] * len(texts)
    return [
        Stretch(
            text,
            text.split(),
            sentence.text,
            sentence.names,
            asks,
            bool(supposing and supposing.search(text)),
            tells,
        )
        for text, asks in zip(texts, asking, strict=True)
    ]
