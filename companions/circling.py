"""A model that goes round in circles: a small one can say the same sentence until its tokens are used up.

What is looked at are the sentences at the end of what was said, alone or as a round of several; where one begins
does not depend on how its letters came.
"""

import re
from typing import Final

from memory.text import words

SENTENCES_IN_ROUND: Final = 4  # a round of more sentences than this is taken for speech
LOOKED_AT: Final = 2_000  # characters at the end
FEWEST_WORDS: Final = 3  # a shorter round may well be meant: "No. No. No."

_MARK = re.compile(r"[.!?…。！？\n]")
_FENCE: Final = "```"


def circle_at(shown: str, part: str, times: int) -> int | None:
    """Where in ``part`` a round is said for the ``times``-th time running; None while nothing goes round.

    Code between fences may repeat itself.
    """
    for mark in _MARK.finditer(part):
        if _circles(shown + part[: mark.start()], times):
            return mark.end()
    return None


def _circles(text: str, times: int) -> bool:
    if text.count(_FENCE) % 2:
        return False
    said = [found for each in _MARK.split(text[-LOOKED_AT:]) if (found := words(each))]
    return any(_is_round(said, length, times) for length in range(1, SENTENCES_IN_ROUND + 1))


def _is_round(said: list[list[str]], length: int, times: int) -> bool:
    """Whether the last ``length`` sentences are the same as those before them, ``times`` times in all."""
    if len(said) < length * times:
        return False
    last = said[-length:]
    if sum(map(len, last)) < FEWEST_WORDS:
        return False
    return all(said[-length * (at + 1) : -length * at] == last for at in range(1, times))
