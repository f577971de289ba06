"""Alerts: who may be told of one, and in which words (decision D25).

An alert never holds what was said. Whom it goes to was decided by the companion's policy when it was raised; here it
is looked at once more for each who asks, so that no list of recipients, however it came about, tells family of abuse.
"""

from collections.abc import Sequence

import msgspec

from companions.policy_safety import Recipient

SAFEGUARDING_ONLY = frozenset({"abuse"})

_WHEN = {
    1: "Please look in on them when you can.",
    2: "Please look in on them soon.",
    3: "Please go to them now.",
}
_WHAT = {
    "self_harm": "Something was said that sounds like thoughts of hurting oneself.",
    "harm_others": "Something was said that sounds like thoughts of hurting somebody.",
    "abuse": "Something was said that sounds as if somebody does harm to them.",
    "medical": "Something was said that sounds as if they need medical help.",
}
_ELSE = "Something was said that sounds as if they need somebody."


class Raised(msgspec.Struct, frozen=True, kw_only=True):
    """An alert as it was raised; ``at`` in milliseconds since 1970."""

    id: str
    user: str
    companion: str
    category: str
    level: int
    recipients: tuple[str, ...]
    at: int


def tells(role: Recipient, category: str, recipients: Sequence[str]) -> bool:
    """Whether an alert of ``category``, raised for ``recipients``, is told to who holds ``role``."""
    return role in recipients and (role == "safeguarding" or category not in SAFEGUARDING_ONLY)


def alert_words(category: str, level: int) -> str:
    """What is told: how urgent it is, and of what kind; never a word of what was said."""
    return f"{_WHEN[min(3, max(1, level))]} {_WHAT.get(category, _ELSE)}"
