"""What the trained weights look at in a message: its words, pairs of neighbours, denied words and cues.

Each feature is a string and counts once, however often it is said. The script that trains the weights uses this
same function, so what was learned is what is read.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import msgspec

from memory.data import table
from memory.emotion_cues import Cue

_DENIAL_REACH = 3
_STRONG = 1.2
_MARKS = {".": ",", ",": ",", "?": "?", "!": "!"}
_KINDS_OF_MARKS = frozenset({",", "?", "!"})


class _English(msgspec.Struct, frozen=True):
    negators: frozenset[str]


class _Negators(msgspec.Struct, frozen=True):
    en: _English


@cache
def _negators() -> frozenset[str]:
    english: _English = table("emotion_grammar.toml", _Negators).en
    return english.negators | {"nobody"}


class Features(NamedTuple):
    """What is seen in a text: its different words, and all else."""

    words: frozenset[str]
    others: frozenset[str]


def features(text: Sequence[str], found: Sequence[Cue]) -> Features:
    """The features of a text's tokens and of the cues in it.

    ``word``, ``!word`` after a negation, ``first second`` of neighbours (``<``, ``>`` are the ends), ``=s:fear`` for
    a strong cue (``w`` weak, ``n`` denied, ``o`` another's).
    """
    seen = [
        ("0" if token.isdigit() else token) if token[0].isalnum() else _MARKS.get(token) or _mark(token)
        for token in text
    ]
    others = set(map(" ".join, pairwise(("<", *seen, ">"))))
    if not _negators().isdisjoint(text):
        others.update(_denied(text, seen))
    others.update(map(_cue_feature, found))
    return Features(frozenset(seen) - _KINDS_OF_MARKS, frozenset(others))


def _mark(token: str) -> str:
    return "?" if "?" in token else "!" if "!" in token else ","


def _denied(text: Sequence[str], seen: Sequence[str]) -> Iterator[str]:
    """The words up to three after a negation, not beyond a mark."""
    for at in [at for at, token in enumerate(text) if token in _negators()]:
        for word in seen[at + 1 : at + 1 + _DENIAL_REACH]:
            if word in _KINDS_OF_MARKS:
                break
            yield f"!{word}"


def _cue_feature(cue: Cue) -> str:
    kind = "o" if cue.other else "n" if cue.negated else "s" if cue.weight > _STRONG else "w"
    return f"={kind}:{cue.label}"
