"""One sentence in the words it stands for: the common ground of differently worded questions.

``Where've ye put me specs?`` becomes ``where have you put glasses``: contractions are opened, stammers,
manners and articles taken out, words brought to their base form, and every word that the table of synonyms
knows stands for its concept, with a letter for the kind of thing that is. Patterns go through the same
reading, so that they can be written in plain words.
"""

from collections.abc import Iterator, Sequence
from itertools import compress, filterfalse
from operator import eq
from typing import Final, NamedTuple

import msgspec

from memory.expressions import Expression
from memory.text import Remembered, folded, runs
from memory.vocabulary import (
    FUNCTION,
    OTHER,
    OWNER,
    PERSON,
    PRONOUN,
    THING,
    Token,
    base,
    bases,
    names,
    opened_runs,
    openings,
    phrases,
    word_set,
)
from memory.word_order import (
    Ordered,
    addressed,
    in_order,
    is_person,
    may_be_taken_up,
    speaks_of_somebody,
    spoken,
    taken_up,
    unknown,
)

_LONGEST = 2_000
_BEGINNING = 160  # characters
_UNDECIDED = (
    4  # words at the end that what follows may still change: *'s* may be a verb, two words may be a stammer
)
_TOPIC = 28  # characters of what may stand before a comma and be taken up after it
_SHORT = 120  # characters of a sentence that may be put in another order
_SOFT = Expression(r"\.\.+|…|--+|—|–")
_SENTENCE = Expression(r"[.!?¿¡;\n](?:(?<=[.!?])[.!?\"')\]]*(?:\s+|$)|(?<=[¿¡])|(?<=[;\n])[;\n]*)")
_CAPITAL = Expression(r"[A-ZÄÖÜÁÉÍÓÚ](?<=\s.)(?<![.!?¿¡]\s\S)(?<![.!?¿¡]\s\s\S)[^\W\d_]+")
_ANY_CAPITAL = Expression(r"[A-ZÄÖÜÁÉÍÓÚ](?<!\w.)[^\W\d_]+")
"""These begin with a set of characters, which are found fast."""


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
    said = _unstammered(opened_runs(runs(text[:_LONGEST])))
    return " ".join(filterfalse(word_set("noises").__contains__, said))


def beginning(text: str) -> str:
    """What `normalised` of ``text`` surely begins with; of a short text it may be empty.

    So that two texts which begin otherwise need not be normalised to know that they are not the same.
    """
    said = _unstammered(opened_runs(runs(text[:_BEGINNING])[:-1]))  # the last run may be cut in the middle
    return " ".join(filterfalse(word_set("noises").__contains__, said[:-_UNDECIDED]))


def _softened(text: str) -> str:
    """``text`` with a comma for what lets a sentence trail off or breaks it without ending it."""
    if text.isascii() and ".." not in text and "--" not in text:
        return text
    first, *others = _SOFT.split(text)
    if not others:
        return text
    return ", ".join((first.rstrip(), *map(str.strip, others[:-1]), others[-1].lstrip()))


def read_sentences(text: str, known: frozenset[str] = frozenset()) -> tuple[Sentence, ...]:
    """The sentences of ``text`` in concepts, those without any content left out; ``known`` are names met before."""
    text = _softened(text)
    capitals = _capital_names(text) | known
    found = (read_sentence(part, asked, capitals) for part, asked in _split(text))
    return tuple(sentence for sentence in found if sentence.tokens)


def read_sentence(text: str, asked: bool = False, capitals: frozenset[str] = frozenset()) -> Sentence:
    """One sentence in concepts; ``capitals`` are the words that the whole message writes like names."""
    words, name = _words_in_order(text)
    said = _without_openings(_unstammered(words))
    raw = in_order(said, asked)
    if name or (raw is not said and text[:1].isupper() and (name := unknown(said[0]))):
        capitals |= {name}
    first = next(filterfalse(word_set("noises").__contains__, raw), "")
    return Sentence(
        tokens=tuple(concepts(raw, capitals)),
        raw=tuple(raw),
        asks=asked or first in word_set("asking"),
        past=_past(raw),
        future=not word_set("future_words").isdisjoint(raw),
    )


def _words_in_order(text: str) -> Ordered:
    """The opened words of ``text``; what stands before its first comma is put where the rest takes it up."""
    head, comma, rest = text.partition(",")
    if not comma or len(text) > _SHORT:
        return Ordered(spoken(opened_runs(runs(text))))
    before, _, tail = text.rpartition(",")
    if addressed(tail) and not speaks_of_somebody(said := spoken(opened_runs(runs(before)))):
        return Ordered(said) if before == head else _words_in_order(before)
    if len(head) <= _TOPIC and may_be_taken_up(begun := _without_openings(spoken(opened_runs(runs(head))))):
        found = taken_up(begun, spoken(opened_runs(runs(rest))))
        if found:
            return found
    return Ordered(spoken(opened_runs(runs(text))))


def _past(raw: Sequence[str]) -> bool:
    """Whether the sentence is told in the past; *has he been*, *have I had* are about now."""
    if "have" in raw[:2] or "has" in raw[:2]:
        return False
    told = compress(raw[1:], map(word_set("before_past").__contains__, raw))
    return not word_set("past_words").isdisjoint(raw) or any(
        len(w) > 4 and w.endswith("ed") and w not in word_set("never_past") for w in told
    )


def concepts(raw: Sequence[str], capitals: frozenset[str] = frozenset()) -> list[Token]:
    """The tokens of opened words: names, phrases of the synonyms, then single words."""
    found: list[Token] = []
    at, end = 0, len(raw)
    for here, (word, following) in enumerate(zip(raw, [*raw[1:], ""], strict=False)):
        if here < at:
            continue  # a phrase that was found has this word
        token, seconds, perhaps_thing = _SETTLED[word]
        at += 1
        if word in capitals or (seconds and base(following) in seconds):
            token, length = _token(raw, here, capitals)
            at += length - 1
        elif perhaps_thing and _is_thing(raw, here):
            token = Token(token.concept, THING) if token else None
        if token is None:
            continue
        if token.kind == PERSON and at < end and raw[at] == "'s":
            token = Token(token.concept, OWNER)
        found.append(token)
    return found


class _Settled(NamedTuple):
    """What a word is by itself, the base forms after it with which it may be more, and whether it may be a thing."""

    token: Token | None
    seconds: frozenset[str]
    perhaps_thing: bool


def _settled(word: str) -> _Settled:
    stem = base(word)
    candidates = phrases().get(stem, ())
    if word in names().known:
        return _Settled(Token(word, PERSON), frozenset(), perhaps_thing=False)
    seconds = frozenset(phrase[1] for phrase, _ in candidates if len(phrase) > 1)
    for phrase, token in candidates:
        if len(phrase) == 1:
            return _Settled(token, seconds, perhaps_thing=False)
    known, fixed = _known(word, stem)
    if known:
        return _Settled(fixed, seconds, perhaps_thing=False)
    return _Settled(Token(stem, OTHER), seconds, perhaps_thing=not _no_thing(word, stem))


_SETTLED: Final = Remembered(_settled)


def _token(raw: Sequence[str], at: int, capitals: frozenset[str]) -> tuple[Token | None, int]:
    word = raw[at]
    if word in capitals or word in names().known:
        place = at > 0 and raw[at - 1] in word_set("before_places") and word not in names().known
        return Token(word, OTHER if place else PERSON), 1
    stem = base(word)
    for phrase, token in phrases().get(stem, ()):
        if len(phrase) == 1 or tuple(bases(raw[at : at + len(phrase)])) == phrase:
            return token, len(phrase)
    known, fixed = _known(word, stem)
    if known:
        return fixed, 1
    thing = not _no_thing(word, stem) and _is_thing(raw, at)
    return Token(stem, THING if thing else OTHER), 1


def _known(word: str, stem: str) -> tuple[bool, Token | None]:
    """Whether the token of ``word``, of which no phrase begins, is the same wherever it stands; and it."""
    if word in word_set("fillers"):
        return True, None
    if word in word_set("pronouns"):
        return True, Token(word, PRONOUN)
    if word.isdigit() and len(word) == 4:
        return True, Token("0000", OTHER)
    if word in word_set("stop_words"):
        return True, Token(stem, FUNCTION)
    return False, None


def _no_thing(word: str, stem: str) -> bool:
    """Whether an unknown word is never read as the name of a thing."""
    return (
        stem in word_set("abstract")
        or word in word_set("abstract")
        or word in word_set("past_words")
        or word.endswith(("ing", "ed", "ly"))
    )


def _is_thing(raw: Sequence[str], at: int) -> bool:
    """Whether an unknown word is used as the name of a thing: *my good scissors*, *this collar*."""
    if word_set("determiners").isdisjoint(raw[max(0, at - 2) : at]) or is_person(raw[at - 1]):
        return False
    return at + 1 == len(raw) or raw[at + 1] in word_set("stop_words") or raw[at + 1] in word_set("fillers")


def _capital_names(text: str) -> frozenset[str]:
    """Words that this message writes like names: large inside a sentence, or a name that is also a word."""
    inside = {folded(word) for word in _CAPITAL.findall(text)}
    anywhere = {folded(word) for word in _ANY_CAPITAL.findall(text)}
    table = names()
    unknown = {word for word in inside if word not in table.not_names and base(word) not in phrases()}
    return frozenset(unknown | (anywhere & table.in_capitals)) - word_set("stop_words")


def _unstammered(found: list[str]) -> list[str]:
    """Without a word or a pair of words said twice in a row: ``where where is is`` is ``where is``."""
    again = bytes(map(eq, found, found[1:])).find(1)
    pair = bytes(map(eq, found, found[2:])).find(b"\1\1")
    if again < 0 and pair < 0:
        return found
    first = min(again + 1 if again >= 0 else len(found), pair + 3 if pair >= 0 else len(found))
    out = found[:first]
    for word in found[first:]:
        if word == out[-1]:
            continue
        out.append(word)
        if len(out) >= 4 and word == out[-3] and out[-4] == out[-2]:
            del out[-2:]
    return out


def _without_openings(found: list[str]) -> list[str]:
    known = openings()
    out: list[str] = []
    taken = 0
    for at in compress(range(len(found)), map(known.__contains__, found)):
        length = _opening(found, at) if at >= taken else 0
        if not length or length == len(found):
            continue
        before = found[at - 1] if at else ""
        after = found[at + length] if at + length < len(found) else ""
        if _opens(found[at], found[at + length - 1], before, after):
            out += found[taken:at]
            taken = at + length
    return out + found[taken:] if taken else found


def _opening(found: list[str], at: int) -> int:
    """How many words the longest phrase around the matter takes that begins at a place; 0 when none does."""
    seconds = openings()[found[at]]
    if at + 1 < len(found):
        for phrase in seconds.get(found[at + 1], ()):
            if found[at : at + len(phrase)] == phrase:
                return len(phrase)
    return int("" in seconds)


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
