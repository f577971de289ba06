"""What a person feels in one message: label, intensity, confidence and distress, by rules and data alone.

One reading serves both companions. The text is scored for fourteen fine labels; each companion's label set is a
sum of those, so what one knows of being lonely or overwhelmed is not lost to the other.

English is read by the trained weights, which know the cues too; German and Spanish by the cues; any other language
is neutral, and says that it is unsure. ``spread`` is the seam for a further opinion (a head on a message's vector):
it gives and takes shares of the fine labels.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from memory import emotion_weights
from memory.emotion_cues import FINE, Cue, Fine, cues, language
from memory.emotion_features import features
from memory.emotion_head import joined
from memory.phrases import tokens

EmotionSet = Literal["wellness", "dementia"]
Spread = Mapping[Fine, float]

_MOST_CHARS = (
    1_200  # what one feels is said at the beginning or the end; reading all of it costs and adds little
)
_HEAD_CHARS = 600

SETS: dict[EmotionSet, dict[Fine, str]] = {
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
"""Which label of each set a fine label counts for."""

LABELS: dict[EmotionSet, tuple[str, ...]] = {
    name: tuple(dict.fromkeys(folding.values())) for name, folding in SETS.items()
}
"""The labels of each set (the wellness document's twelve, the dementia document's seven)."""

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
_NOTHING_FELT = 1.5  # of a text in which no word of a feeling is met: more plain than not, and no surer
_UNSAID = -0.7  # of a feeling that no word names: seldom, so that what is plain does not count as suffering
_SHARPNESS = 1.5
_LEAST_KNOWN = 0.5  # of the words of a text, for it to be read as English
_UNREAD: Spread = {fine: 0.35 if fine == "neutral" else 0.05 for fine in FINE}
"""What is said of a text in a language that is not read."""


class Emotion(msgspec.Struct, frozen=True):
    """What a message says its writer feels.

    ``intensity`` is 1 to 10, ``confidence`` the chance (0 to 1) that the label is right, ``distress`` 0 to 1.
    """

    label: str
    intensity: int
    confidence: float
    distress: float


def read_emotion(
    text: str,
    labels: EmotionSet,
    words: Sequence[str] | None = None,
    vector: Sequence[float] | None = None,
) -> Emotion:
    """The feeling in ``text``, by the label set of a companion; ``words`` are its tokens, where they are at hand.

    ``vector`` is its all-MiniLM-L6-v2 vector, where there is one.
    Text without a word is neutral. Of a text over 1,200 characters the first and the last 600 are read.
    """
    shares = spread(text, labels, words)
    if vector is not None and shares is not _UNREAD and language(words or tokens(text)) not in ("de", "es"):
        shares = joined(shares, vector)
    return emotion_of(shares, text, labels)


def warm() -> None:
    """Read the tables now, so that the first message does not wait for them."""
    read_emotion("I am here", "wellness")


def emotion_of(shares: Spread, text: str, labels: EmotionSet) -> Emotion:
    """What ``shares`` of the fine labels mean in a companion's label set."""
    sums: dict[str, float] = dict.fromkeys(LABELS[labels], 0.0)
    for fine, share in shares.items():
        sums[SETS[labels][fine]] += share
    label = max(sums, key=lambda name: sums[name])
    if shares is _UNREAD:
        return Emotion(label, 1, round(sums[label], 3), _DISTRESS["neutral"])
    distress = sum(_DISTRESS[fine] * share for fine, share in shares.items())
    return Emotion(label, _intensity(text, shares), round(min(sums[label], 1.0), 3), round(distress, 3))


def spread(text: str, labels: EmotionSet, words: Sequence[str] | None = None) -> Spread:
    """The share of each fine label in ``text``, together 1.

    ``labels`` says who may be speaking: a person living with dementia does not write internet comments, so for
    that set the reading trained on speech is taken alone.
    """
    if words is None or len(text) > _MOST_CHARS:
        words = tokens(_shortened(text))
    found = cues(words)
    spoken_in = language(words)
    if spoken_in in ("de", "es"):
        return by_cues(found)
    seen = features(words, found)
    scores = emotion_weights.score(seen)
    if not seen.words or scores.known < _LEAST_KNOWN * len(seen.words):
        return by_cues(found) if found else _UNREAD
    return by_weights(scores, labels)


def _shortened(text: str) -> str:
    if len(text) <= _MOST_CHARS:
        return text
    return text[:_HEAD_CHARS] + "\n" + text[-_HEAD_CHARS:]


def _softmax(scores: Sequence[float]) -> list[float]:
    top = max(scores)
    parts = [math.exp(score - top) for score in scores]
    whole = sum(parts)
    return [part / whole for part in parts]


def by_weights(scores: emotion_weights.Scores, labels: EmotionSet) -> Spread:
    """The two trained readings, mixed by what kind of text the gate takes it for."""
    file = emotion_weights.shape()
    gate = scores.gate if labels == "wellness" else -30.0
    written = 1 / (1 + math.exp(-max(-30.0, min(30.0, gate))))
    shares: dict[Fine, float] = dict.fromkeys(FINE, 0.0)
    for fine, share in zip(file.spoken, _softmax([s / file.temperature for s in scores.spoken]), strict=True):
        shares[fine] += (1 - written) * share
    for fine, share in zip(file.written, _softmax(scores.written), strict=True):
        shares[fine] += written * share
    return shares


def by_cues(found: Sequence[Cue]) -> Spread:
    """The cues alone, added up."""
    scores: dict[Fine, float] = dict.fromkeys(FINE, 0.0)
    scores["neutral"] = 1.0 if found else _NOTHING_FELT
    for cue in found:
        if cue.other:
            scores["neutral"] += 0.3 * cue.weight
        elif cue.negated:
            scores[_OPPOSITE.get(cue.label, "neutral")] += 0.5 * cue.weight
        else:
            scores[cue.label] += cue.weight
    scores["neutral"] = min(scores["neutral"], _MOST_NEUTRAL)
    scores = {fine: score or _UNSAID for fine, score in scores.items()}
    return dict(zip(FINE, _softmax([_SHARPNESS * scores[fine] for fine in FINE]), strict=True))


def _intensity(text: str, shares: Spread) -> int:
    """1 to 10: how far the text is from neutral, more with exclamation marks and words in capitals."""
    felt = 1.0 - shares["neutral"]
    shouted = sum(len(word) > 2 for word in filter(str.isupper, text.split()))
    loud = min(text.count("!"), 3) + min(shouted, 2)
    return max(1, min(10, round(1 + 6.5 * felt + 0.8 * loud)))
