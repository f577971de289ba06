"""What the trained weights look at in a message: its words, pairs of neighbours, denied words and cues.

Each feature is a string and counts once, however often it is said. The script that trains the weights uses this
same function, so what was learned is what is read.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import compress, count, pairwise
from typing import Final, NamedTuple

import msgspec

from memory.data import table
from memory.emotion_cues import Cue
from memory.text import Remembered

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
    """What is seen in a text: its words and marks in a row between its ends, its different words, and all else.

    ``more`` are denied words and cues.
    """

    row: Sequence[str]
    words: frozenset[str]
    more: frozenset[str]

    @property
    def others(self) -> frozenset[str]:
        """All but the words: pairs of neighbours, denied words, cues."""
        return self.more.union(map(" ".join, pairwise(self.row)))


def features(text: Sequence[str], found: Sequence[Cue]) -> Features:
    """The features of a text's tokens and of the cues in it.

    ``word``, ``!word`` after a negation, ``first second`` of neighbours (``<``, ``>`` are the ends), ``=s:fear`` for
    a strong cue (``w`` weak, ``n`` denied, ``o`` another's).
    """
    seen = [*map(_SEEN.__getitem__, text)]
    more = {*map(_cue_feature, found)}
    if not _negators().isdisjoint(text):
        more.update(_denied(text, seen))
    return Features(("<", *seen, ">"), frozenset(seen) - _KINDS_OF_MARKS, frozenset(more))


def _seen(token: str) -> str:
    if token[0].isalnum():
        return "0" if token.isdigit() else token
    return _MARKS.get(token) or _mark(token)


def _mark(token: str) -> str:
    return "?" if "?" in token else "!" if "!" in token else ","


_SEEN: Final = Remembered(_seen)


def _denied(text: Sequence[str], seen: Sequence[str]) -> Iterator[str]:
    """The words up to three after a negation, not beyond a mark."""
    for at in compress(count(), map(_negators().__contains__, text)):
        for word in seen[at + 1 : at + 1 + _DENIAL_REACH]:
            if word in _KINDS_OF_MARKS:
                break
            yield f"!{word}"


def _cue_feature(cue: Cue) -> str:
    kind = "o" if cue.other else "n" if cue.negated else "s" if cue.weight > _STRONG else "w"
    return f"={kind}:{cue.label}"
