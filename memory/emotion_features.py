"""What the trained weights look at in a message: its words, pairs of neighbours, denied words and cues.

Each feature is a string and counts once, however often it is said. The script that trains the weights uses this
same function, so what was learned is what is read.
"""

from collections.abc import Sequence
from functools import cache

import msgspec

from memory.data import table
from memory.emotion_cues import Cue

_DENIAL_REACH = 3
_STRONG = 1.2


class _English(msgspec.Struct, frozen=True):
    negators: frozenset[str]


class _Negators(msgspec.Struct, frozen=True):
    en: _English


@cache
def _negators() -> frozenset[str]:
    english: _English = table("emotion_grammar.toml", _Negators).en
    return english.negators | {"nobody"}


def features(text: Sequence[str], found: Sequence[Cue]) -> tuple[set[str], int]:
    """The features of a text's tokens and of the cues in it, and how many different words it has.

    ``word``, ``!word`` after a negation, ``first second`` of neighbours (``<``, ``>`` are the ends), ``=s:fear`` for
    a strong cue (``w`` weak, ``n`` denied, ``o`` another's).
    """
    seen: set[str] = set()
    pairs: list[str] = []
    negators = _negators()
    denied, previous = 0, "<"
    for token in text:
        if token[0].isalnum():
            word = "0" if token.isdigit() else token
            seen.add(word)
            if denied:
                pairs.append("!" + word)
                denied -= 1
            if token in negators:
                denied = _DENIAL_REACH
        else:
            word = "?" if "?" in token else "!" if "!" in token else ","
            denied = 0
        pairs.append(f"{previous} {word}")
        previous = word
    pairs.append(f"{previous} >")
    count = len(seen)
    seen.update(pairs)
    seen.update(_cue_feature(cue) for cue in found)
    return seen, count


def _cue_feature(cue: Cue) -> str:
    kind = "o" if cue.other else "n" if cue.negated else "s" if cue.weight > _STRONG else "w"
    return f"={kind}:{cue.label}"
