"""What a message orders to be remembered or forgotten, as changes that land with it.

Bound by the policy: a companion that keeps no facts keeps none because it is told to. Words in a crisis of abuse or
self-harm are not kept (D25). What is kept stays the person's
words: it gives no rights and changes no rule.
"""

from companions.companion import Companion
from companions.fact_changes import FactAdded, FactsForgotten
from companions.filing import category_of, keeping
from companions.policy_memory import Facts
from companions.state import State, Waiting
from memory.facts import stated
from memory.orders import Order, read_orders
from memory.reading import Reading
from memory.statements_kinds import Statement

KEPT_OUT = frozenset({"abuse", "self_harm"})


def ordered(companion: Companion, state: State, waiting: Waiting) -> tuple[FactAdded | FactsForgotten, ...]:
    """The changes that a message of the person orders; none where the policy keeps no facts."""
    policy = companion.policy.facts
    if policy is None or _private(waiting.reading):
        return ()
    changes: list[FactAdded | FactsForgotten] = []
    for order in read_orders(waiting.message.text):
        if order.wanted == "forget":
            changes.append(_forgotten(state, waiting, order))
        else:
            changes += _added(companion, policy, state, waiting, order, len(changes))
    return tuple(changes)


def _private(reading: Reading) -> bool:
    return reading.crisis is not None and reading.crisis.category in KEPT_OUT


def _forgotten(state: State, waiting: Waiting, order: Order) -> FactsForgotten:
    return FactsForgotten(
        user=state.who.user,
        companion=state.who.companion,
        at=waiting.message.at,
        words=order.text,
        statements=tuple(each for each in stated(order.text) if not each.negated),
        message=waiting.message.id,
    )


def _added(
    companion: Companion, policy: Facts, state: State, waiting: Waiting, order: Order, before: int
) -> list[FactAdded]:
    """One fact for each thing it states, so that each can change by itself; else one in the person's words."""
    kept = keeping(companion)
    assert kept is not None  # the policy keeps facts
    states: tuple[Statement | None, ...] = tuple(each for each in stated(order.text) if not each.negated)
    return [
        FactAdded(
            user=state.who.user,
            companion=state.who.companion,
            at=waiting.message.at,
            fact=_id(waiting.message.id, before + at),
            text=order.text if statement is None else statement.value,
            statement=statement,
            category=category_of(policy, statement),
            language="",
            keeping=kept,
            source=waiting.message.id,
            message=waiting.message.id,
        )
        for at, statement in enumerate(states or (None,))
    ]


def _id(message: str, number: int) -> str:
    """A fact's id, from the message that orders it: the same message never makes it twice."""
    return f"fct_{message.partition('_')[2] or message}" + (f"-{number}" if number else "")
