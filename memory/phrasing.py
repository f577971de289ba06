"""One sentence in the words it stands for: the common ground of differently worded questions.

``Where've ye put me specs?`` becomes ``where have you put glasses``: contractions are opened, stammers,
manners and articles taken out, words brought to their base form, and every word that the table of synonyms
knows stands for its concept, with a letter for the kind of thing that is. Patterns go through the same
reading, so that they can be written in plain words.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from memory.text import folded
from memory.vocabulary import (
    FUNCTION,
    OTHER,
    OWNER,
    PERSON,
    PRONOUN,
    THING,
    Token,
    base,
    names,
    opened,
    openings,
    phrases,
    word_set,
)

_LONGEST = 2_000
_SOFT = re.compile(r"\s*(?:\.{2,}|…|--+|—|–)\s*")
_SENTENCE = re.compile(r"[.!?][.!?\"')\]]*(?:\s+|$)|[¿¡]|[;\n]+")
_CAPITAL = re.compile(r"(?<![.!?¿¡])(?<![.!?¿¡]\s)\s([A-ZÄÖÜÁÉÍÓÚ][^\W\d_]+)")
_ANY_CAPITAL = re.compile(r"\b([A-ZÄÖÜÁÉÍÓÚ][^\W\d_]+)")


class Sentence(msgspec.Struct, frozen=True):
    """A sentence in concepts; ``raw`` are its plain words, ``asks`` says that it is put as a question."""

    tokens: tuple[Token, ...]
    raw: tuple[str, ...]
    asks: bool
    past: bool
    future: bool

    @property
    def line(self) -> str:
        """The tokens as the one string that patterns are matched against."""
        return "".join([f" {token.concept}/{token.kind}" for token in self.tokens]) + " "


def normalised(text: str) -> str:
    """The opened words of ``text`` in one line, stammers and manners taken out: equal texts say the same.

    Of a text over 2,000 characters only the beginning.
    """
    plain = folded(_SOFT.sub(", ", text[:_LONGEST]))
    return " ".join(word for word in _unstammered(opened(plain)) if word not in word_set("noises"))


def read_sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of ``text`` in concepts; those without any content are left out."""
    text = _SOFT.sub(", ", text)
    capitals = _capital_names(text)
    found = (read_sentence(part, asked, capitals) for part, asked in _split(text))
    return tuple(sentence for sentence in found if sentence.tokens)


def read_sentence(text: str, asked: bool = False, capitals: frozenset[str] = frozenset()) -> Sentence:
    """One sentence in concepts; ``capitals`` are the words that the whole message writes like names."""
    plain = folded(text)
    raw = _without_openings(_unstammered(opened(plain)))
    first = next((word for word in raw if word not in word_set("noises")), "")
    return Sentence(
        tokens=tuple(concepts(raw, capitals)),
        raw=tuple(raw),
        asks=asked or first in word_set("asking"),
        past=_past(raw),
        future=not word_set("future_words").isdisjoint(raw),
    )


def _past(raw: Sequence[str]) -> bool:
    """Whether the sentence is told in the past; *has he been*, *have I had* are about now."""
    if "have" in raw[:2] or "has" in raw[:2]:
        return False
    told = (word for before, word in pairwise(raw) if before in word_set("before_past"))
    return not word_set("past_words").isdisjoint(raw) or any(
        len(w) > 4 and w.endswith("ed") and w not in word_set("never_past") for w in told
    )


def concepts(raw: Sequence[str], capitals: frozenset[str] = frozenset()) -> Iterator[Token]:
    """The tokens of opened words: names, phrases of the synonyms, then single words."""
    stems = [base(word) for word in raw]
    known = phrases()
    at = 0
    while at < len(raw):
        token, length = _token(raw, stems, at, capitals, known.get(stems[at], ()))
        at += length
        if token is None:
            continue
        if token.kind == PERSON and at < len(raw) and raw[at] == "'s":
            token = Token(token.concept, OWNER)
        yield token


def _token(
    raw: Sequence[str],
    stems: Sequence[str],
    at: int,
    capitals: frozenset[str],
    candidates: Sequence[tuple[tuple[str, ...], Token]],
) -> tuple[Token | None, int]:
    word = raw[at]
    if word in capitals or word in names().known:
        place = at > 0 and raw[at - 1] in word_set("before_places") and word not in names().known
        return Token(word, OTHER if place else PERSON), 1
    for phrase, token in candidates:
        if len(phrase) == 1 or tuple(stems[at : at + len(phrase)]) == phrase:
            return token, len(phrase)
    if word in word_set("fillers"):
        return None, 1
    if word in word_set("pronouns"):
        return Token(word, PRONOUN), 1
    if word.isdigit() and len(word) == 4:
        return Token("0000", OTHER), 1
    if word in word_set("stop_words"):
        return Token(stems[at], FUNCTION), 1
    return Token(stems[at], THING if _is_thing(raw, stems, at) else OTHER), 1


def _is_thing(raw: Sequence[str], stems: Sequence[str], at: int) -> bool:
    """Whether an unknown word is used as the name of a thing: *my good scissors*, *this collar*."""
    if (
        stems[at] in word_set("abstract")
        or raw[at] in word_set("abstract")
        or raw[at].endswith(("ing", "ed", "ly"))
    ):
        return False
    ends = at + 1 == len(raw) or raw[at + 1] in word_set("stop_words") or raw[at + 1] in word_set("fillers")
    before = {raw[at - 1], raw[at - 2]} if at > 1 else set(raw[at - 1 : at])
    return ends and not before.isdisjoint(word_set("determiners"))


def _capital_names(text: str) -> frozenset[str]:
    """Words that this message writes like names: large inside a sentence, or a name that is also a word."""
    inside = {folded(word) for word in _CAPITAL.findall(text)}
    anywhere = {folded(word) for word in _ANY_CAPITAL.findall(text)}
    table = names()
    unknown = {word for word in inside if word not in table.not_names and base(word) not in phrases()}
    return frozenset(unknown | (anywhere & table.in_capitals)) - word_set("stop_words")


def _unstammered(found: list[str]) -> list[str]:
    """Without a word or a pair of words said twice in a row: ``where where is is`` is ``where is``."""
    out: list[str] = []
    for word in found:
        if out and word == out[-1]:
            continue
        out.append(word)
        if len(out) >= 4 and out[-4:-2] == out[-2:]:
            del out[-2:]
    return out


def _without_openings(found: list[str]) -> list[str]:
    known = openings()
    out: list[str] = []
    at = 0
    while at < len(found):
        before = found[at - 1] if at else ""
        length = next((len(p) for p in known.get(found[at], ()) if tuple(found[at : at + len(p)]) == p), 0)
        after = found[at + length] if at + length < len(found) else ""
        if not length or length == len(found) or not _opens(found[at], found[at + length - 1], before, after):
            out.append(found[at])
            length = 1
        at += length
    return out


def _opens(first: str, last: str, before: str, after: str) -> bool:
    """Whether a phrase leads to the matter: *I don't know where I am* does, *I don't know this building* is it."""
    if first in ("i", "have") and last in word_set("doubting"):
        return after in word_set("asking") or not after
    return before != "not"


def _split(text: str) -> Iterator[tuple[str, bool]]:
    start = 0
    for match in _SENTENCE.finditer(text):
        if part := text[start : match.start()].strip():
            yield part, "?" in match.group()
        start = match.end()
    if part := text[start:].strip():
        yield part, False
