"""How much a person suffers: the score of one message, and where a session is heading.

The score of a message is between 0 (at ease) and 1. Only this session's scores are looked at, so that
nothing of another session can reach the prompt by this way.
"""

from collections.abc import Sequence
from typing import Literal

Trajectory = Literal["escalating", "stable", "de-escalating"]

MOST_REMEMBERED = (
    10  # the dementia companion's storage design, section 5.2: the last 10 records of the session
)
_CHANGE = 0.15  # a smaller difference is noise: it is about what one word changes in a score
_RECENT = 3  # and a direction is read from the last few messages, as the tone is (section 6.3)
_FRESH = 0.7


def _recent_mean(history: Sequence[float]) -> float:
    """The mean of what is remembered, a later message counting twice the one before it."""
    recent = history[-MOST_REMEMBERED:][-_RECENT:]
    weights = [2.0**index for index in range(len(recent))]
    return sum(score * weight for score, weight in zip(recent, weights, strict=True)) / sum(weights)


def trajectory(distress_history: Sequence[float], current: float) -> Trajectory:
    """Where this session is heading: ``current`` against the session's earlier scores, oldest first.

    Scores are 0 to 1. Without any earlier score a session is ``stable``.
    """
    if not distress_history:
        return "stable"
    change = current - _recent_mean(distress_history)
    if change > _CHANGE:
        return "escalating"
    return "de-escalating" if change < -_CHANGE else "stable"


def settled_distress(history: Sequence[float], raw: float) -> float:
    """The score to store with a message: mostly its own, leaning on the session's recent scores.

    The dementia companion's storage design, section 2.5, asks for a score that considers the recent
    trajectory: a calm word in the middle of great distress does not make the distress nothing, and a first
    frightened one counts at once. Rising distress is taken as it is, so that help is never late; falling
    distress is believed by steps.
    """
    if not history:
        return raw
    return max(raw, _FRESH * raw + (1 - _FRESH) * _recent_mean(history))
