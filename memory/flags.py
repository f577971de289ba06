"""The marks a message gets beside its feeling (the wellness document's message flags).

They decide what a summary dwells on and what stays out of other people's sight, so a phrase must say the
thing itself: a plan is an action item when it is the person's own, progress is a breakthrough when it is
about them.
"""

from typing import Literal

from memory.emotion import Emotion
from memory.noticing import Noticed, noticed

Flag = Literal["crisis", "breakthrough", "action_item", "sensitive", "positive"]

FLAGS: tuple[Flag, ...] = ("crisis", "breakthrough", "action_item", "sensitive", "positive")

_POSITIVE = frozenset({"joy", "calm", "hopeful", "grateful"})
_SURE = 0.4


def read_flags(text: str | list[str] | Noticed, emotion: Emotion, crisis: bool) -> tuple[Flag, ...]:
    """The flags of ``text``, in a fixed order; ``crisis`` is what the crisis reader found.

    A message in crisis is never positive.
    """
    named = {*noticed(text).found["flags"]}
    if emotion.label in _POSITIVE and emotion.confidence >= _SURE:
        named.add("positive")
    if crisis:
        named = (named - {"positive"}) | {"crisis"}
    return tuple(flag for flag in FLAGS if flag in named)
