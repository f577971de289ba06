"""Whether two messages ask the same, as far as that is learned: a linear reading of what they share and what not.

The weights were learned from conversations in which it was marked what a carer would call the same question
(`evaluation.train_repetition`). What a message asks, and about whom, was read before: here is only weighed how much
two readings have to agree in, and what counts for less than it seems. A sign is a number; most are 0 or 1.
"""

from collections.abc import Sequence
from functools import cache
from math import exp, sqrt
from operator import mul
from typing import Final

import msgspec

from memory.data import table
from memory.questions import Question

FILE: Final = "repetition.json"
SIGNS: Final = (
    "matters",
    "matters_of_one_class",
    "matters_asked_and_told",
    "matters_by_another_word",
    "no_matter_in_both",
    "least_no_matter",
    "most_no_matter",
    "pattern_without_matters",
    "pattern_past_and_now",
    "pattern_of_other_things",
    "pattern_in_one_alone",
    "somebody_in_one_alone",
    "other_things",
    "asides",
    "no_word",
    "most_words_alone",
    "words_of_one_in_the_other",
    "same_question_word",
    "question_word_in_one_alone",
)


class Weights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file: what each sign counts for, in the order of `SIGNS`, and what is added."""

    bias: float
    signs: dict[str, float]


def chance(one: Question, other: Question) -> float:
    """How likely two messages ask the same that raise a matter, or fit a pattern, together."""
    return likely(signs(one, other), _weights())


def likely(found: Sequence[float] | None, weights: Weights) -> float:
    """How likely messages of these signs ask the same."""
    if found is None:
        return 0.0
    return 1 / (1 + exp(-weights.bias - sum(map(mul, weights.signs.values(), found))))


def signs(one: Question, other: Question) -> tuple[float, ...]:
    """What tells that two messages ask the same, or do not, in the order of `SIGNS`."""
    ours, theirs = one.matters, other.matters
    shared = sum([sqrt(share * theirs[matter]) for matter, share in ours.items() if matter in theirs])
    elsewhere, elsewhere_in_other = one.elsewhere, other.elsewhere
    same, past, apart = _patterns(one, other)
    both = len(one.words & other.words)
    alone, alone_in_other = len(one.words) - both, len(other.words) - both
    word_of_each = bool(one.word) + bool(other.word)
    return (
        shared,
        shared if one.type == other.type else 0.0,
        shared if one.asked != other.asked else 0.0,
        shared if word_of_each == 2 and one.word != other.word else 0.0,
        elsewhere * elsewhere_in_other,
        min(elsewhere, elsewhere_in_other),
        max(elsewhere, elsewhere_in_other),
        (1 - shared) if same else 0.0,
        past and not same,
        apart,
        bool(one.asks) != bool(other.asks),
        bool(one.persons) != bool(other.persons),
        bool(one.things and other.things) and one.things.isdisjoint(other.things),
        one.asides != other.asides,
        both == 0,
        max(alone, alone_in_other),
        both > 0 and not (alone and alone_in_other),
        word_of_each == 2 and one.word == other.word,
        word_of_each == 1,
    )


def _patterns(one: Question, other: Question) -> tuple[bool, bool, bool]:
    """Of the aspects that both ask: whether one is of the same time, of another time, and of other things alone."""
    if one.aspects.isdisjoint(other.aspects):
        return False, False, False
    pairs = [(mine, theirs) for mine in one.asks for theirs in other.asks if mine.aspect == theirs.aspect]
    at_once = [(mine.objects, theirs.objects) for mine, theirs in pairs if mine.past == theirs.past]
    named = [ours & theirs for ours, theirs in at_once if ours and theirs]
    return bool(at_once), len(at_once) < len(pairs), bool(named) and not any(named)


@cache
def _weights() -> Weights:
    found = table(FILE, Weights)
    in_order = {sign: found.signs[sign] for sign in SIGNS}
    return Weights(found.bias, in_order)
