"""Notes on lessons: what the parents are told, and only as long as they consent; and how a teacher would judge it.

Consent is looked at when the job is queued, when it is begun, and once more when its result lands. What was said of
abuse or self-harm is in neither, and counts for nothing (D25).
"""

import sqlite3
from typing import TypeVar

import msgspec

from actors.aftermath import Job
from companions.care_changes import NoteMade
from companions.changes import NOTHING, AnyChange, EmotionRow, ExtractMade
from companions.companion import Companion
from companions.job_prompts import job_prompt
from companions.summing_up import is_private, let_known, open_to_others
from memory.echoes import Instructions, instructions
from memory.learned import learned_in
from memory.messages import Message
from memory.noting import (
    MOST_HIGHLIGHTS,
    Evaluation,
    Note,
    Plainness,
    minutes_of,
    own_evaluation,
    own_note,
    read_evaluation,
    read_note,
)
from server.ids import new_id
from server.job_means import Means, talk_of
from storage.alerts import released_in
from storage.consents import standing
from storage.timeline import first_removed

T = TypeVar("T")
OWN = "extract"


class Lesson(msgspec.Struct, frozen=True, kw_only=True):
    """What of a lesson may be told of, and whether any note on it is allowed."""

    messages: tuple[Message, ...]
    allowed: bool
    known: frozenset[str] = frozenset()  # what may be told although notes otherwise do not

    @property
    def said(self) -> tuple[str, ...]:
        """The student's words."""
        return tuple(each.text for each in self.messages if each.role == "user")


def lesson_of(
    db: sqlite3.Connection, job: Job, at: int
) -> tuple[tuple[Message, ...], tuple[EmotionRow, ...], frozenset[str], int | None, bool]:
    """What a job reads, what of it was released, where one was removed, and whether notes are allowed at ``at``."""
    allowed = standing(db, user=job.user, companion=job.companion, at=at).granted("notes")
    messages, rows = talk_of(db, job)
    return messages, rows, released_in(db, job.conversation), first_removed(db, job.conversation), allowed


class Noting:
    """Performs the jobs ``parent_note`` and ``evaluation``."""

    def __init__(self, means: Means) -> None:
        self._means = means

    async def __call__(self, job: Job, at: int) -> AnyChange:
        """The result of the job, which ends it."""
        companion = self._means.companions[job.companion]
        messages, rows, released, removed_at, allowed = await self._means.store.read(
            lambda db: lesson_of(db, job, at)
        )
        shown = await self._means.off_loop(
            lambda: open_to_others(messages, rows, released, removed_at=removed_at)
        )
        lesson = Lesson(
            messages=tuple(each for each in shown if each.position >= job.first),
            allowed=allowed,
            known=await self._means.off_loop(lambda: let_known(messages, rows, released)),
        )
        if job.kind == "evaluation":
            return await self._evaluated(job, lesson, at)
        return await self._noted(companion, job, lesson, at)

    async def _answers(self, job: Job, lesson: Lesson) -> list[str]:
        return [answer for _, answer in await self._means.answers(job, lesson.messages)]

    def _given(self, job: Job, lesson: Lesson) -> Instructions:
        """What a model is told to do: words of it are no answer."""
        told = job_prompt(self._means.companions[job.companion], job.kind, (), user=job.user).system
        return instructions(told, [each.text for each in lesson.messages])

    async def _noted(self, companion: Companion, job: Job, lesson: Lesson, at: int) -> NoteMade:
        subject = companion.subject or companion.name
        note: Note | None = None
        by = OWN
        if lesson.allowed and lesson.said:
            answers = await self._answers(job, lesson)
            given = self._given(job, lesson)
            note = await self._means.off_loop(lambda: _read_note(answers, lesson, given))
            by = self._means.model.name if note is not None else OWN
            note = note or await self._means.off_loop(
                lambda: own_note(subject, lesson.messages, learned=_learned(lesson))
            )
        return NoteMade(
            user=job.user,
            companion=job.companion,
            at=at,
            job=job.id,
            note=new_id("nte"),
            conversation=job.conversation,
            subject=subject,
            minutes=minutes_of(lesson.messages),
            content=NOTHING if note is None else msgspec.Raw(msgspec.json.encode(note)),
            made_by=by,
        )

    async def _evaluated(self, job: Job, lesson: Lesson, at: int) -> ExtractMade:
        answers = await self._answers(job, lesson) if lesson.said else []
        given = self._given(job, lesson)
        made = await self._means.off_loop(lambda: _read_evaluation(answers, lesson, given))
        if made is None:
            made = await self._means.off_loop(
                lambda: own_evaluation(lesson.messages, learned=_learned(lesson))
            )
        return ExtractMade(
            user=job.user,
            companion=job.companion,
            at=at,
            job=job.id,
            conversation=job.conversation,
            kind=job.kind,
            content=msgspec.Raw(msgspec.json.encode(made)),
        )


def _plain(lesson: Lesson, given: Instructions) -> Plainness:
    """What may be told: nothing private, and nothing that only gives the instructions back."""
    return Plainness(lesson.said, lambda text: given.echoed(text) or is_private(text, lesson.known))


def _read_note(answers: list[str], lesson: Lesson, given: Instructions) -> Note | None:
    """The notes on the parts of a long lesson as one: the first one's summary, the best of all."""
    plain = _plain(lesson, given)
    found = [note for answer in answers if (note := read_note(answer, plain)) is not None]
    if not found:
        return None
    return Note(
        summary=found[0].summary,
        highlights=tuple(dict.fromkeys(line for note in found for line in note.highlights))[:MOST_HIGHLIGHTS],
        concerns=found[-1].concerns,
        suggestions=found[-1].suggestions,
    )


def _read_evaluation(answers: list[str], lesson: Lesson, given: Instructions) -> Evaluation | None:
    """How the last part of the lesson is judged: where it came to."""
    plain = _plain(lesson, given)
    found = [made for answer in answers if (made := read_evaluation(answer, plain)) is not None]
    return found[-1] if found else None


def _learned(lesson: Lesson) -> bool:
    """Whether the student says that they have learned something."""
    return any(learned_in(text) for text in lesson.said)
