"""In which order what a request may need is brought back: what is needed, and holds of the person still, first.

Rules and words' like find what a request may need; which of it is outdated, or somebody else's, is never sure. So what
is found is weighed together with the latest words on its matters. What each sign counts is learned from dialogues in
which it was marked what is needed, and what would be wrong. An order removes nothing that keeps somebody safe.
"""

from operator import mul
from typing import Final, TypeAlias

from memory.recall_heard import order_weights
from memory.recall_told import Told, surely

Signs: TypeAlias = tuple[float, float, float, float]
"""What tells where a message belongs in the order."""
_OWN: Final = surely(0.05)  # what tells of somebody else no surer is the person's own


def signs(told: Told, overtaken: float, worth: float, safety: float, asked_about: bool) -> Signs:
    """The signs of a message: what it is worth to a request, whether it is critical for safety, how surely it tells of
    somebody else who is not asked about, and how surely a later message has the latest word on its matter.
    """
    return worth, safety, _OWN if asked_about else max(surely(told.other), _OWN), overtaken


def value(found: Signs) -> float:
    """By what a message comes before others: the higher, the earlier."""
    total: float = sum(map(mul, order_weights(), found))
    return total
