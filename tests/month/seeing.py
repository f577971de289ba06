"""What caregivers ask to see day by day, and whether anybody had allowed it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from companions.consenting import Basis, Scope
from loadtest.client import Refusal, Talker
from protocol.care_frames import (
    CareEmotions,
    CareHistory,
    CareNotes,
    CareRepetition,
    CareSummaries,
    ConsentSet,
)
from protocol.frames import Command
from protocol.times import rfc3339
from protocol.trend_frames import CareTrends
from server.retention import today
from tests.month.calendar import moment
from tests.month.people import Decision, Person

VIEWS: dict[str, Scope] = {
    "emotions": "trends",
    "repetition": "trends",
    "trends": "trends",
    "summaries": "summaries",
    "history": "transcripts",
    "notes": "notes",
}
NOWHERE = "cnv_00000000-0000-7000-8000-000000000000"
FORMS: dict[str, Callable[[str, str], Command]] = {
    "emotions": lambda id_, _: CareEmotions(id=id_, limit=200),
    "repetition": lambda id_, _: CareRepetition(id=id_, days=366),
    "trends": lambda id_, _: CareTrends(id=id_),
    "summaries": lambda id_, _: CareSummaries(id=id_, limit=200),
    "history": lambda id_, talk: CareHistory(id=id_, conversation=talk, limit=200),
    "notes": lambda id_, _: CareNotes(id=id_),
}


@dataclass
class Allowed:
    """What is allowed about one person by the true date, kept apart from the server's own records."""

    until: dict[Scope, int] = field(default_factory=dict[Scope, int])
    no: set[Scope] = field(default_factory=set[Scope])

    def decide(self, decision: Decision) -> None:
        """A decision that the server took."""
        scope = decision.scope
        if decision.by_person and not decision.allow:
            self.no.add(scope)
        if decision.allow:
            self.until[scope] = moment(decision.day + decision.days)
        else:
            self.until.pop(scope, None)

    def allows(self, scope: Scope, at: int) -> bool:
        """Whether it may be seen at the true date ``at``."""
        return scope not in self.no and at < self.until.get(scope, 0)


@dataclass
class Seen:
    """What was asked, and what should not have been answered or refused."""

    given: int = 0
    refused: int = 0
    leaks: list[str] = field(default_factory=list[str])
    withheld: list[str] = field(default_factory=list[str])


async def decide(talker: Talker, person: Person, decision: Decision) -> None:
    """Send a decision: the person's own, or that of who holds the grant."""
    review = rfc3339(moment(decision.day + decision.days))
    basis: Basis = "self" if decision.by_person else person.basis
    command = ConsentSet(
        id=talker.new_id(), scopes=(decision.scope,), allow=decision.allow, basis=basis, review=review
    )
    if not decision.allow:
        command = ConsentSet(id=talker.new_id(), scopes=(decision.scope,), allow=False, basis=basis)
    await talker.ask(command)


async def look(
    carer: Talker,
    person: Person,
    allowed: Allowed,
    seen: Seen,
    *,
    talk: str,
    at: int,
    certain: bool,
    others: list[str],
) -> None:
    """Ask for every view. ``certain``: the server's clock is right, so that what is allowed must be given too."""
    for name, scope in VIEWS.items():
        may = allowed.allows(scope, at)
        what = f"{name} of {person.name} with {person.companion} on {today(at)}"
        try:
            answer = str((await carer.ask(FORMS[name](carer.new_id(), talk))).result)
        except Refusal as refusal:
            seen.refused += 1
            if may and certain and refusal.code != "conversation.unknown":
                seen.withheld.append(f"{what}: {refusal.code}")
            continue
        seen.given += 1
        if not may:
            seen.leaks.append(f"{what} without consent")
        if person.secret in answer:
            seen.leaks.append(f"{what} tells what safeguarding keeps")
        seen.leaks += [f"{what} tells of {other}" for other in others if other in answer]
