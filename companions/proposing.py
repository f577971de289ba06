"""What a model found in a talk, as proposals that the store decides about."""

from collections.abc import Callable, Iterable, Sequence
from typing import get_args

from companions.fact_changes import Proposal
from companions.job_prompts import mark
from companions.policy_memory import Facts
from memory.messages import Message
from memory.proposals import Proposed
from memory.statements_ends import same
from memory.statements_kinds import SAFETY, Statement, StatementKind

KINDS: tuple[StatementKind, ...] = get_args(StatementKind)


def kind_of(facts: Facts, category: str) -> StatementKind | None:
    """The kind of statement that a category holds: its namesake, else one whose loss would harm nobody."""
    held: list[StatementKind] = [kind for kind in KINDS if facts.category(kind) == category]
    held.sort(key=lambda kind: (kind != category, kind in SAFETY))
    return held[0] if held else None


def proposals_of(
    facts: Facts,
    found: Iterable[Proposed],
    read: Sequence[Proposal],
    new_id: Callable[[], str],
    language: str = "",
) -> tuple[Proposal, ...]:
    """What the model found and code did not, under the companion's categories."""
    kept: list[Proposal] = []
    for each in found:
        kind = kind_of(facts, each.category)
        if kind is None or any(_alike(each, one) for one in (*read, *kept)):
            continue
        statement = Statement(
            kind=kind,
            value=each.value,
            subject=each.subject,
            negated=each.standing != "holds",
            attribute=each.attribute,
        )
        kept.append(
            Proposal(
                fact=new_id(),
                statement=statement,
                category=each.category,
                evidence=each.evidence,
                language=language,
            )
        )
    return tuple(kept)


def _alike(one: Proposed, other: Proposal) -> bool:
    """Whether the same is said of the same one, whatever it is called."""
    statement = other.statement
    return (
        one.subject.lower() == statement.subject.lower()
        and (one.standing != "holds") == statement.negated
        and same(one.value, statement.value)
    )


def marks_of(messages: Iterable[Message]) -> tuple[dict[str, str], dict[str, str]]:
    """The person's messages of a batch: id by mark, and text by id. Nothing else may be cited."""
    said = [each for each in messages if each.role == "user"]
    return {mark(each): each.id for each in said}, {each.id: each.text for each in said}
