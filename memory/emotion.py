"""What a person feels in one message: label, intensity, confidence and distress, by rules and data alone.

One reading serves both companions. The text is scored for fourteen fine labels; each companion's label set
is a sum of those, so what one knows of being lonely or overwhelmed is not lost to the other.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from memory.emotion_cues import FINE, Cue, Fine, cues
from memory.phrases import tokens

EmotionSet = Literal["wellness", "dementia"]

_MOST_CHARS = 2_000
_HEAD_CHARS = 1_000

_SETS: dict[EmotionSet, dict[Fine, str]] = {
    "wellness": {
        "joy": "joy",
        "sadness": "sadness",
        "lonely": "sadness",
        "anger": "anger",
        "fear": "fear",
        "surprise": "surprise",
        "disgust": "disgust",
        "anxious": "anxiety",
        "confused": "overwhelmed",
        "calm": "calm",
        "hopeful": "hopeful",
        "overwhelmed": "overwhelmed",
        "grateful": "grateful",
        "neutral": "neutral",
    },
    "dementia": {
        "joy": "calm",
        "sadness": "sad",
        "lonely": "lonely",
        "anger": "anxious",
        "fear": "fearful",
        "surprise": "neutral",
        "disgust": "neutral",
        "anxious": "anxious",
        "confused": "confused",
        "calm": "calm",
        "hopeful": "calm",
        "overwhelmed": "anxious",
        "grateful": "calm",
        "neutral": "neutral",
    },
}

LABELS: dict[EmotionSet, tuple[str, ...]] = {
    "wellness": tuple(dict.fromkeys([*_SETS["wellness"].values()])),
    "dementia": tuple(dict.fromkeys([*_SETS["dementia"].values()])),
}
"""The labels of each set."""

_DISTRESS: dict[Fine, float] = {
    "joy": 0.0,
    "sadness": 0.65,
    "lonely": 0.55,
    "anger": 0.6,
    "fear": 0.9,
    "surprise": 0.2,
    "disgust": 0.35,
    "anxious": 0.7,
    "confused": 0.5,
    "calm": 0.0,
    "hopeful": 0.1,
    "overwhelmed": 0.75,
    "grateful": 0.0,
    "neutral": 0.1,
}
_OPPOSITE: dict[Fine, Fine] = {
    "joy": "sadness",
    "calm": "anxious",
    "hopeful": "sadness",
    "anxious": "calm",
    "fear": "calm",
    "anger": "calm",
    "overwhelmed": "calm",
}

_MOST_NEUTRAL = 2.0  # however much plain talk surrounds it, one strong word is felt
_SHARPNESS = 1.5


class Emotion(msgspec.Struct, frozen=True):
    """What a message says its writer feels.

    ``intensity`` is 1 to 10, ``confidence`` the chance (0 to 1) that the label is right, ``distress`` 0 to 1.
    """

    label: str
    intensity: int
    confidence: float
    distress: float


def read_emotion(text: str, labels: EmotionSet) -> Emotion:
    """The feeling in ``text``, by the label set of a companion.

    Text without a word is neutral. Of a text over 2,000 characters the first and the last 1,000 are read.
    """
    spread = _spread(_shortened(text))
    sums: dict[str, float] = dict.fromkeys(LABELS[labels], 0.0)
    for fine, share in spread.items():
        sums[_SETS[labels][fine]] += share
    label = max(sums, key=lambda name: sums[name])
    distress = sum(_DISTRESS[fine] * share for fine, share in spread.items())
    return Emotion(label, _intensity(text, spread), round(sums[label], 3), round(distress, 3))


def _shortened(text: str) -> str:
    if len(text) <= _MOST_CHARS:
        return text
    return text[:_HEAD_CHARS] + "\n" + text[-_HEAD_CHARS:]


def _spread(text: str) -> Mapping[Fine, float]:
    """The share of each fine label, together 1."""
    scores = _cue_scores(cues(tokens(text)))
    top = max(scores.values())
    parts: dict[Fine, float] = {fine: math.exp(score - top) for fine, score in scores.items()}
    whole = sum(parts.values())
    return {fine: parts[fine] / whole for fine in FINE}


def _cue_scores(found: Sequence[Cue]) -> dict[Fine, float]:
    scores: dict[Fine, float] = dict.fromkeys(FINE, 0.0)
    scores["neutral"] = 1.0
    for cue in found:
        if cue.other:
            scores["neutral"] += 0.3 * cue.weight
        elif cue.negated:
            scores[_OPPOSITE.get(cue.label, "neutral")] += 0.5 * cue.weight
        else:
            scores[cue.label] += cue.weight
    scores["neutral"] = min(scores["neutral"], _MOST_NEUTRAL)
    return {fine: _SHARPNESS * score for fine, score in scores.items()}


def _intensity(text: str, spread: Mapping[Fine, float]) -> int:
    """1 to 10: how far the text is from neutral, more with exclamation marks and words in capitals."""
    felt = 1.0 - spread["neutral"]
    loud = min(text.count("!"), 3) + min(sum(word.isupper() and len(word) > 2 for word in text.split()), 2)
    return max(1, min(10, round(1 + 6.5 * felt + 0.8 * loud)))
