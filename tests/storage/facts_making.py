"""Talks, and what is proposed of them, as jobs would make it."""

from typing import Any

from companions.changes import AnyChange, JobsQueued, Landed, Outcome
from companions.fact_changes import FactsProposed, Keeping, Proposal
from memory.statements_kinds import Statement
from storage.connection import Store
from storage.facts import Fact, facts_of
from tests.storage.contract.landing import land
from tests.storage.making import ANNA, job, said

COMPANION = "serenity"
OWNER: dict[str, Any] = {"user": ANNA, "companion": COMPANION, "at": 5_000}  # Any: keywords of structs


def residence(place: str, **more: Any) -> Statement:  # Any: keywords of a struct
    return Statement(kind="place", value=place, attribute="residence", **more)


def likes(what: str, **more: Any) -> Statement:  # Any: as above
    return Statement(kind="preference", value=what, attribute="likes", **more)


def proposal(fact: str, statement: Statement, *evidence: str, **more: Any) -> Proposal:  # Any: as above
    return Proposal(fact=fact, statement=statement, category="identity", evidence=evidence, **more)


def queued(name: str, talk: str, last: int) -> JobsQueued:
    return JobsQueued(**OWNER, conversation=talk, jobs=(job(name, "facts", 1, last),))


def proposed(
    name: str,
    talk: str,
    *proposals: Proposal,
    made_by: str = "statements",
    **more: Any,  # Any: as above
) -> FactsProposed:
    fields: dict[str, Any] = {**OWNER, "keeping": Keeping()} | more  # Any: as above
    return FactsProposed(job=name, conversation=talk, made_by=made_by, proposals=proposals, **fields)


def saying(talk: str, *texts: str, user: str = ANNA) -> list[AnyChange]:
    """A talk in which the person alone speaks."""
    return [said(talk, at, text, user=user, companion=COMPANION) for at, text in enumerate(texts, start=1)]


async def found(
    store: Store, talk: str, *stated: tuple[str, Statement], name: str | None = None
) -> list[Outcome]:
    """A talk in which each text is said, and the job that proposes its statement."""
    name = name or f"job_{talk}"
    proposals = [
        proposal(f"fct_{talk}_{at}", statement, f"msg_{talk}_{at}")
        for at, (_, statement) in enumerate(stated, start=1)
    ]
    outcomes = await land(
        store,
        *saying(talk, *(text for text, _ in stated)),
        queued(name, talk, len(stated)),
        proposed(name, talk, *proposals),
    )
    assert set(outcomes) == {Landed()}
    return outcomes


async def kept(store: Store, user: str = ANNA) -> tuple[Fact, ...]:
    return await store.read(lambda db: facts_of(db, user=user, companion=COMPANION, history=True))


async def holds(store: Store, user: str = ANNA) -> list[str]:
    return sorted(fact.value for fact in await kept(store, user) if fact.status == "active")
