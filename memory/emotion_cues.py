"""Words and phrases that carry a feeling, found in a message with what stands around them.

A cue alone says little: "not worried" is the opposite of worried, and "my sister is worried" is about
somebody else. So every cue found comes with its polarity, whose feeling it is, and whether a word made it
stronger or weaker. The cues themselves are data (``emotion_cues.toml``).
"""

from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

import msgspec

from memory.data import table
from memory.phrases import Found, Index, find, index

Fine = Literal[
    "joy",
    "sadness",
    "lonely",
    "anger",
    "fear",
    "surprise",
    "disgust",
    "anxious",
    "confused",
    "calm",
    "hopeful",
    "overwhelmed",
    "grateful",
    "neutral",
]
"""The finest labels a reading tells apart; both companions' label sets are sums of these."""

FINE: tuple[Fine, ...] = (
    "joy",
    "sadness",
    "lonely",
    "anger",
    "fear",
    "surprise",
    "disgust",
    "anxious",
    "confused",
    "calm",
    "hopeful",
    "overwhelmed",
    "grateful",
    "neutral",
)

_NEGATION_REACH = 3
_OTHER_REACH = 4

Language = Literal["en", "de", "es"]


class Cue(msgspec.Struct, frozen=True):
    """A feeling found in a text: how strongly it is said, denied or not, another's or not."""

    label: Fine
    weight: float
    negated: bool
    other: bool


class _Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    strong: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()


class _Grammar(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    common: frozenset[str]
    negators: frozenset[str]
    stronger: frozenset[str]
    weaker: frozenset[str]
    copula: frozenset[str]
    others: frozenset[str]
    selves: frozenset[str]


class _Kind(NamedTuple):
    label: Fine
    weight: float
    language: Language


@cache
def _phrases() -> Index[_Kind]:
    return index(
        (phrase, _Kind(label, weight, language))
        for language, labels in table("emotion_cues.toml", dict[Language, dict[Fine, _Words]]).items()
        for label, words in labels.items()
        for weight, phrases in ((2.0, words.strong), (0.7, words.weak))
        for phrase in phrases
    )


@cache
def _grammars() -> dict[Language, _Grammar]:
    grammars: dict[Language, _Grammar] = table("emotion_grammar.toml", dict[Language, _Grammar])
    return grammars


def _clause_before(text: Sequence[str], start: int) -> Sequence[str]:
    """A few words before ``start``, not beyond a punctuation mark."""
    first, farthest = start, max(0, start - _OTHER_REACH)
    while first > farthest and text[first - 1][0].isalnum():
        first -= 1
    return text[first:start]


def _is_others(before: Sequence[str], grammar: _Grammar) -> bool:
    """Whether the clause before a cue gives the feeling to somebody else."""
    for at in range(len(before) - 1, -1, -1):
        word = before[at]
        if word in grammar.others:
            return True
        if word in grammar.selves:
            return False
        if word in grammar.copula:
            return at > 0 and before[at - 1] not in grammar.selves
    return False


def _cue(text: Sequence[str], found: Found[_Kind]) -> Cue:
    label, weight, spoken_in = found.name
    before = _clause_before(text, found.start)
    if not before:
        return Cue(label, weight, negated=False, other=False)
    grammar = _grammars()[spoken_in]
    if before[-1] in grammar.stronger:
        weight *= 1.4
    elif before[-1] in grammar.weaker:
        weight *= 0.7
    denied = not grammar.negators.isdisjoint(before[-_NEGATION_REACH:])
    return Cue(label, weight, denied, _is_others(before, grammar))


def cues(text: Sequence[str]) -> list[Cue]:
    """The cues in the tokens of a text, in order; where phrases overlap the longest stands for its kind."""
    return [_cue(text, found) for found in find(text, _phrases())]


_LANE_BITS = 32


@cache
def _common() -> dict[str, int]:
    """The common words of all languages, each counting in the lanes of those it is one of."""
    found: dict[str, int] = {}
    for lane, grammar in enumerate(_grammars().values()):
        for word in grammar.common:
            found[word] = found.get(word, 0) + (1 << _LANE_BITS * lane)
    return found


def language(text: Sequence[str]) -> Language | None:
    """The language most of whose common words are in the text; ``None`` when there is none of any."""
    every, mask = sum(filter(None, map(_common().get, text))), (1 << _LANE_BITS) - 1
    counts: list[tuple[int, Language]] = [
        (every >> _LANE_BITS * lane & mask, name) for lane, name in enumerate(_grammars())
    ]
    most, best = max(counts, key=lambda count: count[0])
    return best if most else None
