"""The trained reader of forbidden answers: which family a sentence most likely breaks, when the chance is high.

It stands beside the patterns: those are certain and name the words; this one knows many more ways of saying the
same, learned from sentences written for the purpose (`evaluation/train_answers.py`). A feature's weights for all
families are packed into one whole number, three bytes a family, so that a sentence costs one addition a feature.
"""

import math
import zlib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

import msgspec

from memory.answer_features import Context, context, features, tokens
from memory.answer_rules import Heard
from memory.data import raw, unpacked

FILE = "answers.bin"
INNOCENT = "innocent"
FOREMOST = ("reminder", "quiz")
OFFSET = 128  # a weight is stored as a byte, 128 being nothing
LANE_BYTES = 3  # 65,000 features fit before a sum could run over into the next family
FEWEST_FEATURES = 20  # a sentence of one word is no surer than one of a few
_FEWEST_WORDS, FEWEST_SURE = 2, 3
_LEAST_KNOWN = 0.6  # of the words, for a sentence to be read as English
_MOST_FOREIGN = 0.2  # of the words, in which small words of German or Spanish are
_FOREIGN = """
    el la los las un una uno unos es está están son era fue hay ha han qué que quién cuándo dónde cómo de del al y o en
    con por para sin muy más mi su sus tu le les lo se te nos usted ya sí como pero si aquí esto esta este
    der das dem des ein eine einen einem einer und oder aber ist sind waren wird bin haben sie ich er wir ihr ihre ihren
    ihnen mir mich dich uns nicht kein keine mit von zu zum zur im um auf bei nach für auch noch schon wie wer wann
    warum möchten gern sehr hier
"""


@cache
def _foreign() -> frozenset[str]:
    return frozenset(_FOREIGN.split())


class Weights(msgspec.Struct, frozen=True):
    """The file: features by line with a byte for each of ``families``; words by line with a byte for their class.

    ``threshold`` is the chance of any broken rule from which a sentence is stopped, ``foremost`` that of a reminder or
    a quiz, which harm most, ``others`` that of the rest, which are seldom; ``bars`` of each family the chance of being
    innocent from which a pattern of that family does not count.
    """

    families: tuple[str, ...]
    names: str
    lanes: bytes
    steps: tuple[float, ...]
    biases: tuple[float, ...]
    words: str
    classes: bytes
    threshold: float
    foremost: float
    others: float
    bars: tuple[float, ...]


def pack(weights: Weights) -> bytes:
    """The file's content."""
    return zlib.compress(msgspec.msgpack.encode(weights), 9)


@cache
def weights() -> Weights:
    """The weights that ship with the package."""
    return unpacked(zlib.decompress(raw(FILE)), Weights)


def likely(plain: str, heard: Heard, families: frozenset[str]) -> str | None:
    """The one of ``families`` that the sentence ``plain`` most likely breaks; None when it is likely innocent."""
    if not readable(plain, _FEWEST_WORDS):
        return None
    shares = {name: share for name, share in chances(plain, heard).items() if name in families}
    whole, file = sum(shares.values()), weights()
    worst = sum(shares.get(name, 0.0) for name in FOREMOST)
    if whole <= file.threshold and worst <= file.foremost and whole - worst <= file.others:
        return None
    return max(shares, key=lambda name: shares[name])


def surely_innocent(plain: str, heard: Heard, family: str) -> bool:
    """Whether next to nothing about the sentence ``plain`` is like one that breaks a rule: then a pattern of the
    ``family`` that fits it fits by chance. Of a family that was not learned nothing is sure.
    """
    bar = dict(zip(weights().families, weights().bars, strict=True)).get(family)
    return bar is not None and readable(plain, FEWEST_SURE) and chances(plain, heard)[INNOCENT] > bar


def readable(plain: str, fewest: int) -> bool:
    """Whether the sentence is of at least so many words and most of them are known ones."""
    words = [word for word in tokens(plain) if word[0].isalpha()]
    known = sum(map(_is_known, words))
    return len(words) >= fewest and known >= _LEAST_KNOWN * len(words) and not is_foreign(words)


def is_foreign(words: Sequence[str]) -> bool:
    """Whether the small words of a sentence are German or Spanish ones: some of its words may be known all the same."""
    return sum(word in _foreign() for word in words) > _MOST_FOREIGN * len(words)


def chances(plain: str, heard: Heard) -> dict[str, float]:
    """The chance of each family, and of none of them (``innocent``), together 1."""
    file, table = weights(), _packed()
    seen = features(plain, _context(heard), word_classes())
    found = [table[name] for name in seen if name in table]
    total = sum(found).to_bytes(len(file.families) * LANE_BYTES, "little")
    scale = math.sqrt(FEWEST_FEATURES / max(len(seen), FEWEST_FEATURES))
    scores = [
        (int.from_bytes(total[at * LANE_BYTES : (at + 1) * LANE_BYTES], "little") - OFFSET * len(found))
        * step
        * scale
        + bias
        for at, (step, bias) in enumerate(zip(file.steps, file.biases, strict=True))
    ]
    top = max(scores)
    parts = [math.exp(score - top) for score in scores]
    return {name: part / sum(parts) for name, part in zip(file.families, parts, strict=True)}


@cache
def word_classes() -> Mapping[str, str]:
    """The class of each known word: words of like meaning share one."""
    file = weights()
    return {word: f"%{at}" for word, at in zip(file.words.split("\n"), file.classes, strict=True)}


def _is_known(word: str) -> bool:
    return word in word_classes() or word in _packed()


@cache
def _packed() -> dict[str, int]:
    file = weights()
    names = file.names.split("\n")
    size = len(file.families)
    lanes = bytearray(len(file.lanes) * LANE_BYTES)
    lanes[::LANE_BYTES] = file.lanes
    whole = size * LANE_BYTES
    return {
        name: int.from_bytes(lanes[at * whole : (at + 1) * whole], "little") for at, name in enumerate(names)
    }


@lru_cache(maxsize=64)
def _context(heard: Heard) -> Context:
    """The context of a message; kept, for its answer is judged sentence by sentence."""
    return context(heard.text, asked=heard.asked, offers=heard.offers)
