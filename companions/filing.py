"""Facts under the categories of a companion: what falls into none is no fact there."""

from collections.abc import Iterable

import msgspec

from companions.companion import Companion
from memory.facts import Fact


def filed(companion: Companion, facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """``facts`` with the companion's own category each; none where its policy keeps none."""
    policy = companion.policy.facts
    if policy is None:
        return ()
    categories = [(fact, policy.category(fact.kind)) for fact in facts]
    return tuple(
        msgspec.structs.replace(fact, category=category)
        for fact, category in categories
        if category is not None
    )
