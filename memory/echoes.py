"""A small model that fills in a form with the form's own words: what it was told to do is no answer.

Words that stand in the instructions and in nothing that was said tell nothing of the talk. A single word may well
be both (an example of a topic, and the topic).
"""

from collections.abc import Iterable

import msgspec

from memory.summing import Read
from memory.text import words


class Instructions(msgspec.Struct, frozen=True):
    """What a model was told to do, and what was said in the talk it was shown, as folded words."""

    told: str
    said: str

    def echoed(self, text: str) -> bool:
        """Whether ``text`` is only words of the instructions."""
        sought = _run(text)
        return len(sought.split()) > 1 and sought in self.told and sought not in self.said


def instructions(told: str, talk: Iterable[str]) -> Instructions:
    """``told`` as the model was given it, ``talk`` what both said."""
    return Instructions(_run(told), _run("\n".join(talk)))


def _run(text: str) -> str:
    return f" {' '.join(words(text))} "


def without_echoes(read: Read, given: Instructions) -> Read:
    """``read`` without the parts that give the instructions back."""

    def own(text: str) -> str:
        return "" if given.echoed(text) else text

    return Read(
        topics=tuple(each for each in read.topics if own(each)),
        arc=own(read.arc),
        insight=own(read.insight),
        follow_ups=tuple(each for each in read.follow_ups if own(each)),
        quote=own(read.quote),
        summary=own(read.summary),
    )
