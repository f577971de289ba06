"""The summarizer's work: a talk from the store, a model's words where there is one, a summary as a change.

What a model cannot give is taken from the talk, so a summary always comes; a model that is away is asked again
later, and on the last attempt no longer. Everything that is only thinking is done on a thread of its own.
"""

import sqlite3
from collections.abc import Sequence
from functools import partial

import msgspec

from actors.aftermath import Job
from companions.changes import EmotionRow, SummaryMade
from companions.companion import Companion
from companions.job_prompts import batches, job_prompt
from companions.summing_up import (
    felt_by_message,
    finished,
    in_figures,
    let_known,
    made_by,
    open_to_others,
    sum_up,
)
from memory.echoes import instructions, without_echoes
from memory.messages import Message
from memory.summing import Read, Summed, folded_on, read_summary
from memory.talk_figures import Figures
from memory.tokens import count
from server.ids import new_id
from server.job_means import Means, talk_of
from storage.alerts import released_in
from storage.readings import anchored_in
from storage.summaries import Summary, summary_of
from storage.timeline import first_removed
from storage.unheard import heard_alone


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """A talk as a job reads it: the messages up to its last one, what was read in them, what is summed up already."""

    messages: tuple[Message, ...]
    rows: tuple[EmotionRow, ...]
    anchors: tuple[tuple[str, str], ...]
    released: frozenset[str]  # what the safeguarding contact lets be known
    removed_at: int | None  # where the first message of the person stood that was removed
    heard: frozenset[str]  # what the job covers of the messages, but for those said while remembering was off
    earlier: Summed | None
    earlier_to: int  # the last position that ``earlier`` covers


def material_of(db: sqlite3.Connection, job: Job) -> Material:
    """What the job needs, in one reading."""
    messages, rows = talk_of(db, job)
    heard = messages  # a partial summary is for the window of its own talk
    if job.kind == "summary":
        heard = heard_alone(
            db, messages, user=job.user, companion=job.companion, conversation=job.conversation
        )
    found = summary_of(db, user=job.user, conversation=job.conversation)
    usable = found is not None and found.partial and found.covers_last <= job.last
    usable = usable and len(heard) == len(messages)
    return Material(
        messages=messages,
        rows=rows,
        anchors=anchored_in(db, job.conversation),
        released=released_in(db, job.conversation),
        removed_at=first_removed(db, job.conversation),
        heard=frozenset(each.id for each in heard if each.position >= job.first),
        earlier=_content(found) if found is not None and usable else None,
        earlier_to=found.covers_last if found is not None and usable else 0,
    )


def _shown(material: Material) -> tuple[Message, ...]:
    """What of the talk a summary is made of; the talk is gone through from its beginning."""
    told = open_to_others(material.messages, material.rows, material.released, removed_at=material.removed_at)
    return tuple(each for each in told if each.id in material.heard)


def _content(summary: Summary) -> Summed:
    """A stored summary; one that the person put right has their text for its prose."""
    made = msgspec.json.decode(summary.content, type=Summed)
    return msgspec.structs.replace(made, summary=made.text) if summary.made_by == "edited" else made


class Summarizing:
    """Performs the jobs ``summary`` and ``partial``."""

    def __init__(self, means: Means) -> None:
        self._means = means

    async def __call__(self, job: Job, at: int) -> SummaryMade:
        """The summary of the positions a job names."""
        companion = self._means.companions[job.companion]
        material = await self._means.store.read(lambda db: material_of(db, job))
        policy = companion.policy.summary
        if policy is not None and policy.form == "dementia":
            return self._change(job, at, await self._figures(material), "extract")
        shown = await self._means.off_loop(partial(_shown, material))
        made = await self._made(companion, job, material, shown)
        whole = await self._means.off_loop(lambda: finished(companion, made, shown))
        return self._change(job, at, whole, made_by(whole, self._means.asked(job)))

    async def _figures(self, material: Material) -> Figures:
        return await self._means.off_loop(
            lambda: in_figures(
                material.messages,
                material.rows,
                material.anchors,
                material.released,
                heard=material.heard,
                removed_at=material.removed_at,
            )
        )

    async def _made(
        self, companion: Companion, job: Job, material: Material, shown: Sequence[Message]
    ) -> Summed:
        """Part by part, each folded onto what came before it: the part that is summed up already first."""
        parts = list(batches(companion, shown))
        made: Summed | None = None
        if material.earlier is not None and (job.kind == "partial" or len(parts) > 1):
            made = material.earlier
            parts = list(batches(companion, [each for each in shown if each.position > material.earlier_to]))
        felt = felt_by_message(material.rows)
        allowed = await self._means.off_loop(
            lambda: let_known(material.messages, material.rows, material.released)
        )
        for part in parts:
            read = await self._read(companion, job, part, made)
            fresh = await self._means.off_loop(partial(sum_up, read, part, felt, allowed))
            made = fresh if made is None else folded_on(made, fresh, told_both=bool(fresh.summary))
        return made or Summed()

    async def _read(
        self, companion: Companion, job: Job, part: Sequence[Message], before: Summed | None
    ) -> Read:
        if self._means.asked(job) is None:
            return Read()
        earlier = (before.summary or before.text) if before is not None else ""
        prompt = job_prompt(companion, job.kind, part, user=job.user, earlier=earlier)
        answer = await self._means.answer(prompt)

        def read() -> Read:
            given = instructions(prompt.system, [each.text for each in part])
            return without_echoes(read_summary(answer), given)

        return await self._means.off_loop(read)

    def _change(self, job: Job, at: int, made: Summed | Figures, by: str) -> SummaryMade:
        return SummaryMade(
            user=job.user,
            companion=job.companion,
            at=at,
            job=job.id,
            summary=new_id("sum"),
            conversation=job.conversation,
            content=msgspec.Raw(msgspec.json.encode(made)),
            covers_first=job.first,
            covers_last=job.last,
            partial=job.kind == "partial",
            made_by=by,
            tokens=count(made.text),
        )
