"""The tool by which a model keeps a fact: bound by the policy, and by what the person said in the present message.

Whose memory it is comes from the session, the message from the store; the model gives words alone, and they are held
against the person's. What they did not say is not kept, whatever the model was told to do.
"""

import sqlite3
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from companions.changes import AnyChange, Landed, Outcome, Refused
from companions.companion import Companion
from companions.fact_changes import NOTE, FactsProposed, Keeping, Proposal
from companions.filing import category_of, keeping
from companions.policy_memory import Facts
from companions.ports import ToolCall
from companions.state import Who
from companions.tools import kept_of
from memory.facts import stated
from memory.statements_kinds import Statement
from server.finding import UNAVAILABLE
from server.ids import new_id
from storage.connection import Store
from storage.messages import Asking, asking_now
from storage.refusals import StoreRefused

Land: TypeAlias = Callable[[Who, AnyChange], Awaitable[Outcome]]
"""Land what a tool changes, and let the person's sessions know."""


async def nowhere(_who: Who, _change: AnyChange) -> Outcome:
    """Where nothing can be kept."""
    return Refused("policy.refused")


async def remember(store: Store, land: Land, companion: Companion, who: Who, call: ToolCall, at: int) -> str:
    """Keep what the model wants kept, as far as the person has just said it; what the model is told."""
    policy, kept, text = companion.policy.facts, keeping(companion), kept_of(call)
    if policy is None or kept is None or text is None or call.name not in companion.policy.model.tools:
        return UNAVAILABLE

    def ask(db: sqlite3.Connection) -> Asking | None:
        return asking_now(db, user=who.user, companion=who.companion)

    try:
        asking = await store.read(ask)
    except StoreRefused:
        return "Nothing was kept."
    if asking is None:
        return "Nothing was kept."
    outcome = await land(who, _proposed(policy, kept, who, asking, text, at))
    return "Kept, as far as the person said it." if outcome == Landed() else "Nothing was kept."


def _proposed(policy: Facts, kept: Keeping, who: Who, asking: Asking, text: str, at: int) -> FactsProposed:
    states = stated(text) or (Statement(kind="identity", value=text, attribute=NOTE),)
    proposals = [
        Proposal(
            fact=new_id("fct"),
            statement=statement,
            category=category_of(policy, statement if statement.attribute != NOTE else None),
            evidence=(asking.message,),
        )
        for statement in states
    ]
    return FactsProposed(
        user=who.user,
        companion=who.companion,
        at=at,
        job=None,
        conversation=asking.conversation,
        made_by="tool",
        keeping=kept,
        proposals=tuple(proposals),
        message=asking.message,
    )
