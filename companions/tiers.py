"""Fitting memory into a budget: whole items only, the least important given up first, and a word on what went.

A tier is one kind of memory with a share of the budget. What a tier offers is ordered by importance, the most
important first; the order in which it is shown is another matter and belongs to the prompt.
"""

from collections.abc import Mapping, Sequence

import msgspec

from companions.policy_memory import Budget, Tier, TierBudget
from memory.tokens import count, shortened

LINE = 2  # tokens for the mark and the line break around an item


class Item(msgspec.Struct, frozen=True):
    """One entry of a tier: its id for ``why``, and the line that the model would read."""

    id: str
    text: str

    @property
    def cost(self) -> int:
        """Tokens, line break included."""
        return count(self.text) + LINE


class Fitted(msgspec.Struct, frozen=True, kw_only=True):
    """What of a tier may be shown, and what was left out and why."""

    items: tuple[Item, ...] = ()
    dropped: tuple[tuple[str, str], ...] = ()  # (id, reason)

    @property
    def cost(self) -> int:
        """Tokens of all items."""
        return sum(item.cost for item in self.items)


def capped(items: Sequence[Item], limits: TierBudget | None) -> Fitted:
    """The first items that the tier's own limits hold. Without limits the tier is not in the prompt at all."""
    if limits is None:
        return Fitted(dropped=tuple((item.id, "no_budget") for item in items))
    kept: list[Item] = []
    dropped: list[tuple[str, str]] = []
    left = limits.tokens
    for item in (_shortened(each, limits.item_tokens) for each in items):
        if limits.items is not None and len(kept) >= limits.items:
            dropped.append((item.id, "item_limit"))
        elif item.cost > left:
            dropped.append((item.id, "tier_budget"))
        else:
            kept.append(item)
            left -= item.cost
    return Fitted(items=tuple(kept), dropped=tuple(dropped))


def _shortened(item: Item, most: int | None) -> Item:
    """One entry, within the tokens that an entry may have."""
    if most is None or item.cost <= most + LINE:
        return item
    return msgspec.structs.replace(item, text=shortened(item.text, most))


def balanced(fitted: Mapping[Tier, Fitted], budget: Budget, room: int) -> dict[Tier, Fitted]:
    """Give up items until all tiers together cost at most ``room``.

    The tier with the highest number goes first: to its reduced size in a first round over all tiers, then item by
    item, the least important first (wellness document, truncation strategy).
    """
    result = dict(fitted)
    by_need = sorted(result, key=lambda tier: -budget.tiers[tier].priority if tier in budget.tiers else -99)
    for keep in (True, False):
        for tier in by_need:
            limits = budget.tiers.get(tier)
            least = limits.reduced_items if keep and limits is not None else 0
            if keep and least is None:
                continue
            result[tier] = _given_up(result, tier, room, least or 0)
    return result


def _given_up(fitted: Mapping[Tier, Fitted], tier: Tier, room: int, least: int) -> Fitted:
    mine = fitted[tier]
    total = sum(each.cost for each in fitted.values())
    items = list(mine.items)
    dropped = list(mine.dropped)
    while total > room and len(items) > least:
        gone = items.pop()
        total -= gone.cost
        dropped.append((gone.id, "prompt_budget"))
    return Fitted(items=tuple(items), dropped=tuple(dropped))
