"""The extractor's work: facts, topics and learnings of a talk, by the person's words and by a model where there is one.

What code reads in the words is proposed in any case; a model adds what it finds beyond that. Where the model is away
for too long the talk is gone through without it.
"""

import sqlite3
from collections.abc import Sequence
from functools import partial
from typing import Any, TypeVar

import msgspec

from actors.aftermath import Job
from companions.changes import AnyChange, EmotionRow, ExtractMade
from companions.companion import Companion
from companions.fact_changes import Denial, FactsProposed, Keeping, Proposal
from companions.filing import keeping, proposals
from companions.job_prompts import job_prompt
from companions.proposing import marks_of, proposals_of
from companions.summing_up import felt_by_message, open_to_others, open_to_summaries
from memory.echoes import Instructions, instructions
from memory.extracts import extract as extract_summary
from memory.facts import said_in
from memory.keywords import keywords
from memory.learned import learned_in
from memory.messages import Message
from memory.proposals import Learned, Proposed, read_learnings, read_names, read_proposals
from server.ids import new_id
from server.job_means import Means, talk_of
from storage.timeline import first_removed
from storage.unheard import heard_alone

T = TypeVar("T")
MOST_TOPICS = 10  # tutor document, MAX_TOPICS


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """A talk from its beginning, and the part of it that a job covers, without what is kept out (D25)."""

    messages: tuple[Message, ...]
    covered: tuple[Message, ...]
    rows: tuple[EmotionRow, ...]


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """A talk as a job finds it; ``heard`` are the ids of what was not said while nothing was to be remembered."""

    messages: tuple[Message, ...]
    rows: tuple[EmotionRow, ...]
    heard: frozenset[str]
    removed_at: int | None


def material_of(db: sqlite3.Connection, job: Job) -> Material:
    """What the job needs, in one reading."""
    messages, rows = talk_of(db, job)
    kept = heard_alone(db, messages, user=job.user, companion=job.companion, conversation=job.conversation)
    return Material(
        messages=messages,
        rows=rows,
        heard=frozenset(each.id for each in kept),
        removed_at=first_removed(db, job.conversation),
    )


def covered_by(job: Job, material: Material) -> Heard:
    """What of the talk the job may read; what was learned is read by others, and facts by the person alone."""
    messages, rows = material.messages, material.rows
    shown = open_to_summaries(messages, rows)
    if job.kind == "learnings":
        shown = open_to_others(messages, rows, removed_at=material.removed_at)
    found = tuple(each for each in shown if each.id in material.heard)
    covered = tuple(each for each in found if each.position >= job.first)
    return Heard(messages=found, covered=covered, rows=rows)


class Extracting:
    """Performs the jobs ``facts``, ``topics`` and ``learnings``."""

    def __init__(self, means: Means) -> None:
        self._means = means

    async def __call__(self, job: Job, at: int) -> AnyChange:
        """The result of the job, which ends it."""
        companion = self._means.companions[job.companion]
        material = await self._means.store.read(lambda db: material_of(db, job))
        talk = await self._means.off_loop(partial(covered_by, job, material))
        if job.kind == "facts":
            return await self._facts(companion, job, talk, at)
        if job.kind == "topics":
            return _extract(job, at, await self._topics(companion, job, talk))
        return _extract(job, at, await self._learnings(job, talk))

    # ------------------------------------------------------------ facts

    async def _facts(self, companion: Companion, job: Job, talk: Heard, at: int) -> FactsProposed:
        policy = companion.policy.facts
        # The model first: a job that gives way to a person then has not read everything in vain.
        answers = (
            await self._means.answers(job, talk.covered, policy.categories) if policy is not None else []
        )
        read, denied = await self._means.off_loop(partial(_read, companion, talk))
        found: tuple[Proposal, ...] = ()
        if policy is not None:
            proposed = await self._means.off_loop(partial(_proposed, answers))
            found = proposals_of(policy, proposed, read, lambda: new_id("fct"))
        return FactsProposed(
            user=job.user,
            companion=job.companion,
            at=at,
            job=job.id,
            conversation=job.conversation,
            made_by=self._means.model.name if found else "statements",
            keeping=keeping(companion) or Keeping(),
            proposals=(*read, *found),
            denials=denied,
        )

    # ------------------------------------------------------------ topics and learnings

    async def _topics(self, companion: Companion, job: Job, talk: Heard) -> tuple[str, ...]:
        answers = await self._means.answers(job, talk.covered)
        named = [name for part, answer in answers for name in _names(companion, job, part, answer)]
        if named:
            return tuple(dict.fromkeys(named))[:MOST_TOPICS]
        return await self._means.off_loop(partial(_own_topics, talk))

    async def _learnings(self, job: Job, talk: Heard) -> tuple[Learned, ...]:
        answers = await self._means.answers(job, talk.covered)
        found: list[Learned] = []
        for part, answer in answers:
            marks, said = marks_of(part)
            given = _given(self._means.companions[job.companion], job, part)
            found.extend(
                each
                for each in read_learnings(answer, said, marks)
                if not given.echoed(each.topic) and not given.echoed(each.learned)
            )
        return tuple(found) or await self._means.off_loop(partial(_own_learnings, talk))


def _read(companion: Companion, talk: Heard) -> tuple[tuple[Proposal, ...], tuple[Denial, ...]]:
    """What code reads; the talk is read from its beginning, so that an answer is read with what was asked."""
    covered = {each.id for each in talk.covered}
    found = said_in([(each.id, each.role, each.text) for each in talk.messages])
    return proposals(companion, [each for each in found if each.message in covered], lambda: new_id("fct"))


def _proposed(answers: Sequence[tuple[tuple[Message, ...], str]]) -> list[Proposed]:
    found: list[Proposed] = []
    for part, answer in answers:
        marks, said = marks_of(part)
        found.extend(read_proposals(answer, said, marks))
    return found


def _names(companion: Companion, job: Job, part: Sequence[Message], answer: str) -> list[str]:
    """The topics a model names, but for those that are words of what it was told to do."""
    given = _given(companion, job, part)
    return [name for name in read_names(answer, MOST_TOPICS) if not given.echoed(name)]


def _given(companion: Companion, job: Job, part: Sequence[Message]) -> Instructions:
    """What a model is told to do with a part of a talk: words of it are no answer."""
    told = job_prompt(companion, job.kind, part, user=job.user).system
    return instructions(told, [each.text for each in part])


def _own_topics(talk: Heard) -> tuple[str, ...]:
    named = extract_summary(talk.covered, felt_by_message(talk.rows)).topics
    return tuple(dict.fromkeys((*named, *keywords(talk.covered, MOST_TOPICS))))[:MOST_TOPICS]


def _own_learnings(talk: Heard) -> tuple[Learned, ...]:
    """What the student says they have learned, in their words."""
    return tuple(
        Learned(topic=said.topic, learned=said.words, evidence=(each.id,))
        for each in talk.covered
        if each.role == "user"
        for said in learned_in(each.text)
    )


def _extract(job: Job, at: int, found: Any) -> ExtractMade:  # Any: what msgspec encodes
    return ExtractMade(
        user=job.user,
        companion=job.companion,
        at=at,
        job=job.id,
        conversation=job.conversation,
        kind=job.kind,
        content=msgspec.Raw(msgspec.json.encode(found)),
    )
