"""Facts under the categories of a companion: what falls into none is no fact there."""

from collections.abc import Callable, Iterable

import msgspec

from companions.companion import Companion
from companions.fact_changes import Denial, Keeping, Proposal
from companions.policy_memory import Facts
from memory.facts import Denied, Fact, Said
from memory.statements_kinds import Statement


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


def keeping(companion: Companion) -> Keeping | None:
    """The numbers by which a companion keeps facts; None where it keeps none."""
    policy = companion.policy.facts
    if policy is None:
        return None
    return Keeping(
        start=policy.start,
        step=policy.step,
        most=policy.most,
        explicit=policy.explicit,
        hard_limit=policy.hard_limit,
    )


def category_of(policy: Facts, statement: Statement | None) -> str:
    """Where something is filed that the person wants kept: where it belongs, else among the odds and ends."""
    found = policy.category(statement.kind) if statement is not None else None
    if found is not None:
        return found
    return next((each for each in ("other", "preference") if each in policy.categories), policy.categories[0])


def proposals(
    companion: Companion, found: Iterable[Said | Denied], new_id: Callable[[], str], language: str = ""
) -> tuple[tuple[Proposal, ...], tuple[Denial, ...]]:
    """What was read in the person's words, as it is proposed: with the companion's category and a fresh id.

    What falls into no category is not proposed; what ends something needs none.
    """
    policy = companion.policy.facts
    if policy is None:
        return (), ()
    kept: list[Proposal] = []
    denied: list[Denial] = []
    for each in found:
        if isinstance(each, Denied):
            denied.append(Denial(message=each.message, claim=each.claim))
            continue
        category = policy.category(each.statement.kind)
        if category is None and not each.statement.negated:
            continue
        kept.append(
            Proposal(
                fact=new_id(),
                statement=each.statement,
                category=category or "",
                evidence=(each.message,),
                language=language,
                read=True,
            )
        )
    return tuple(kept), tuple(denied)
