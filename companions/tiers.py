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
    """What of a tier may be shown, what all of it costs, and what was left out and why."""

    items: tuple[Item, ...] = ()
    cost: int = 0  # tokens
    dropped: tuple[tuple[str, str], ...] = ()  # (id, reason)


def capped(items: Sequence[Item], limits: TierBudget | None) -> Fitted:
    """The first items that the tier's own limits hold. Without limits the tier is not in the prompt at all."""
    if limits is None:
        return Fitted(dropped=tuple((item.id, "no_budget") for item in items))
    kept: list[Item] = []
    dropped: list[tuple[str, str]] = []
    spent = 0
    for item in items:
        if limits.items is not None and len(kept) >= limits.items:
            dropped.append((item.id, "item_limit"))
            continue
        short = _shortened(item, limits.item_tokens)
        cost = short.cost
        if spent + cost > limits.tokens:
            dropped.append((item.id, "tier_budget"))
        else:
            kept.append(short)
            spent += cost
    return Fitted(items=tuple(kept), cost=spent, dropped=tuple(dropped))


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
    over = sum(each.cost for each in result.values()) - room
    by_need = sorted(result, key=lambda tier: -budget.tiers[tier].priority if tier in budget.tiers else -99)
    for keep in (True, False):
        for tier in by_need:
            if over <= 0:
                return result
            limits = budget.tiers.get(tier)
            least = limits.reduced_items if keep and limits is not None else 0
            if keep and least is None:
                continue
            before = result[tier].cost
            result[tier] = _given_up(result[tier], over, least or 0)
            over -= before - result[tier].cost
    return result


def _given_up(fitted: Fitted, over: int, least: int) -> Fitted:
    """Without the last items, until ``over`` tokens are won or ``least`` items are left."""
    items, dropped, cost = list(fitted.items), list(fitted.dropped), fitted.cost
    while cost > fitted.cost - over and len(items) > least:
        gone = items.pop()
        cost -= gone.cost
        dropped.append((gone.id, "prompt_budget"))
    return Fitted(items=tuple(items), cost=cost, dropped=tuple(dropped))
