"""What a talk proposes becomes facts, or does not: decided here, on what is held, in one transaction.

Only the person's own words ground a fact, and only in the order in which they were said, whatever the order in
which jobs end: what was said earlier never ends what was said later.
"""

import sqlite3
from collections.abc import Sequence

import msgspec

from companions.changes import Landed, Outcome
from companions.fact_changes import FactsProposed, Keeping, Proposal
from memory.facts import Add, HeldFact, Mention, Retract, Wait, kept_as, supersede, worth_keeping
from memory.statements_ends import core, ends, same
from memory.statements_kinds import Statement
from storage.facts import Fact, count_facts, facts_of
from storage.facts_held import End, Evidence, New, end, keep, mention
from storage.facts_removed import never_true, settle
from storage.forgetting import Marks, marks_of
from storage.grounds import Batch, batch_of
from storage.jobs import end_job
from storage.memories import changed
from storage.rows import Row

MOST_PROPOSALS = 200  # of one job; a model that runs wild is not listened to for longer
MOST_LATER = 1_000  # statements looked at that were made after an old one


def facts_proposed(db: sqlite3.Connection, change: FactsProposed) -> Outcome:
    """Keep what may be kept, and end the job; all of it or, when the job may have no result, nothing."""
    batch = batch_of(db, change)
    if change.job is not None and (refused := end_job(db, change, change.job, change.conversation)):
        return refused
    if batch is None:
        return Landed()
    taking = Taking(db, change, batch)
    for proposal in change.proposals[:MOST_PROPOSALS]:
        taking.offer(proposal)
    taking.decide()
    for denial in change.denials[:MOST_PROPOSALS]:
        taking.deny(denial.message, denial.claim)
    if taking.changed:
        settle(db, change)
        changed(db, change)
    return Landed()


class _Offered(msgspec.Struct, frozen=True):
    evidence: tuple[Evidence, ...]  # by when it was said
    statement: Statement
    proposal: Proposal


class Taking:
    """The proposals of one batch, held against one person's facts in the order in which they were said."""

    def __init__(self, db: sqlite3.Connection, change: FactsProposed, batch: Batch) -> None:
        self._db = db
        self._change = change
        self._batch = batch
        self._marks: Marks = marks_of(db, user=change.user, companion=change.companion)
        self._offered: list[_Offered] = []
        self.changed = False

    def offer(self, proposal: Proposal) -> None:
        """Take a proposal for decision, if it has a right to one."""
        found = self._batch.grounded(
            proposal, by_model=not (proposal.read or self._change.made_by == "statements")
        )
        if found is None:
            return
        statement, evidence = found
        if not statement.negated:
            number = self._marks.forgotten_until(statement)
            evidence = tuple(each for each in evidence if each.said > number)
        if evidence and worth_keeping(statement):
            self._offered.append(_Offered(evidence, statement, proposal))

    def decide(self) -> None:
        """Decide about everything that was taken, in the order in which it was said."""
        for each in sorted(self._offered, key=lambda each: each.evidence[-1]):
            self._decide(each)

    def _decide(self, offered: _Offered) -> None:
        facts = facts_of(self._db, user=self._change.user, companion=self._change.companion, history=True)
        if self._known(facts, offered) or self._known_and_over(facts, offered):
            return
        said = offered.evidence[-1].said
        earlier = [fact for fact in facts if fact.said <= said]
        held = _held(earlier, "active")
        locked = [each for each in held if not each.edited]
        decision = supersede(held, offered.statement)
        proposed = supersede(_held(earlier, "proposed"), offered.statement)
        match decision:
            case Mention(fact=fact):
                self._mention(fact, offered)
            case Retract(facts=gone, never_true=never):
                self._end(gone, offered, never=never)
            case Wait(facts=against) if not isinstance(proposed, Mention):
                self._end([each.id for each in locked if ends(offered.statement, each.statement)], offered)
                self._keep(offered, facts, against=against)
            case Add(superseded=gone):
                self._add(offered, facts, gone)
            case _:
                pass
        if isinstance(proposed, Mention) and isinstance(decision, Wait):
            self._mention(proposed.fact, offered)
        elif isinstance(proposed, Add) and not isinstance(decision, Wait):
            self._withdraw(proposed.superseded, offered)
        elif isinstance(proposed, Retract):
            self._withdraw(proposed.facts, offered)

    def _known(self, facts: Sequence[Fact], offered: _Offered) -> bool:
        """What holds and was said again since then is known, though it is found only now."""
        if offered.statement.negated:
            return False
        for fact in facts:
            later = fact.status == "active" and fact.said >= offered.evidence[-1].said
            if later and _alike(fact, offered.statement):
                self._mention(fact.id, offered)
                return True
        return False

    def _known_and_over(self, facts: Sequence[Fact], offered: _Offered) -> bool:
        """What was said before it ended, and is known to have ended, is said of the past: no news."""
        if offered.statement.negated:
            return False
        for fact in facts:
            over = fact.ended is not None and fact.ended >= offered.evidence[-1].said
            if over and _alike(fact, offered.statement):
                self.changed |= mention(self._db, self._change, fact.id, offered.evidence)
                return True
        return False

    def _mention(self, fact: str, offered: _Offered) -> None:
        self.changed |= mention(self._db, self._change, fact, offered.evidence)

    def _end(self, gone: Sequence[str], offered: _Offered, *, never: bool = False) -> None:
        last = offered.evidence[-1]
        for fact in gone:
            end(self._db, fact, End(said=last.said, at=last.at, message=last.message, never_true=never))
            if never:
                never_true(self._db, self._change, fact)
            self.changed = True

    def _withdraw(self, proposals: Sequence[str], offered: _Offered) -> None:
        """What waited is out of date: the person has said otherwise since."""
        self._end(proposals, offered)

    def _add(self, offered: _Offered, facts: Sequence[Fact], gone: Sequence[str]) -> None:
        if not self._room(replacing=bool(gone)):
            return
        last = offered.evidence[-1]
        self._keep(offered, facts, against=())
        new = offered.proposal.fact
        for fact in gone:
            end(self._db, fact, End(said=last.said, at=last.at, by=new))

    def _room(self, *, replacing: bool) -> bool:
        """At the hard limit nothing new is kept; what takes another's place is (D21)."""
        limit = self._change.keeping.hard_limit
        if limit is None or replacing:
            return True
        return count_facts(self._db, user=self._change.user, companion=self._change.companion) < limit

    def _keep(self, offered: _Offered, facts: Sequence[Fact], *, against: tuple[str, ...]) -> None:
        if against and not self._room(replacing=False):
            return
        proposal, keeping = offered.proposal, self._change.keeping
        new = New(
            id=proposal.fact,
            statement=offered.statement,
            kind=offered.statement.kind,
            category=proposal.category,
            language=proposal.language,
            origin="extracted",
            status="proposed" if against else "active",
            began=_began(proposal, keeping),
            evidence=offered.evidence,
            against=against,
        )
        keep(self._db, self._change, new, keeping)
        self.changed = True
        self._over_already(offered, facts)

    def _over_already(self, offered: _Offered, facts: Sequence[Fact]) -> None:
        """It was said before something that is known already, and which ended it."""
        said, statement = offered.evidence[-1].said, kept_as(offered.statement)
        for fact in sorted(facts, key=lambda fact: fact.said):
            later = fact.statement
            if later is None or fact.said <= said or fact.status in ("retracted", "proposed"):
                continue
            if ends(later, statement):
                how = End(said=fact.said, at=fact.valid_from, by=fact.id)
                end(self._db, offered.proposal.fact, how)
                return
        for said_later, at, message in self._taken_back_later(said, statement):
            end(self._db, offered.proposal.fact, End(said=said_later, at=at, message=message))
            return

    def _taken_back_later(self, said: int, statement: Statement) -> list[tuple[int, int, str]]:
        """Messages after ``said``, outside of this batch, that deny the statement."""
        rows: list[Row] = self._db.execute(
            """
            SELECT s.stored, m.at, s.message, s.content FROM statements s JOIN messages m ON m.id = s.message
            WHERE s.user_id = ? AND s.companion = ? AND s.stored > ? AND m.removed = 0 ORDER BY s.stored LIMIT ?
            """,
            (self._change.user, self._change.companion, said, MOST_LATER),
        ).fetchall()
        found: list[tuple[int, int, str]] = []
        for number, at, message, content in rows:
            if message in self._batch:
                continue
            later = msgspec.json.decode(content, type=tuple[Statement, ...])
            if any(each.negated and ends(each, statement) for each in later):
                found.append((number, at, message))
        return found

    def deny(self, message: str, claim: str) -> None:
        """The person never said what was claimed: what was kept of it was never true."""
        evidence = self._batch.evidence(message)
        if evidence is None:
            return
        claimed = core(claim)
        facts = facts_of(self._db, user=self._change.user, companion=self._change.companion)
        for fact in facts:
            words = core(fact.value)
            named = bool(words) and words <= claimed and fact.said <= evidence.said
            if named and fact.origin == "extracted":
                how = End(said=evidence.said, at=evidence.at, message=message, never_true=True)
                end(self._db, fact.id, how)
                never_true(self._db, self._change, fact.id)
                self.changed = True


def _held(facts: Sequence[Fact], status: str) -> list[HeldFact]:
    found = [fact.held for fact in facts if fact.status == status]
    return [held for held in found if held is not None]


def _alike(fact: Fact, statement: Statement) -> bool:
    kept = kept_as(statement)
    return (
        fact.kind == kept.kind
        and fact.subject.lower() == kept.subject.lower()
        and fact.attribute == kept.attribute
        and same(fact.value, kept.value)
    )


def _began(proposal: Proposal, keeping: Keeping) -> float:
    """A model may be less sure than the policy's beginning, never more."""
    if proposal.confidence is None:
        return keeping.start
    return min(keeping.start, max(0.0, proposal.confidence))
