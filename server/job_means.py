"""What every job after a talk is worked with: the store, the companions, the model, and a thread to think on."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import anyio

from actors.aftermath import MOST_ATTEMPTS, Job
from companions.changes import EmotionRow
from companions.companion import Companion
from companions.job_prompts import batches, job_prompt
from companions.ports import LanguageModel, Prompt, Text
from memory.messages import Message
from server.host import host
from storage.connection import Store
from storage.messages import history
from storage.readings import emotions_in

MOST_MESSAGES = 1_000
MOST_ANSWER_CHARS = 20_000

T = TypeVar("T")


def talk_of(db: sqlite3.Connection, job: Job) -> tuple[tuple[Message, ...], tuple[EmotionRow, ...]]:
    """The talk up to the last position of a job, and what was read in its messages."""
    messages = history(
        db, user=job.user, conversation=job.conversation, before=job.last + 1, limit=MOST_MESSAGES
    )
    return messages, emotions_in(db, job.conversation, MOST_MESSAGES)


@dataclass(frozen=True)
class Means:
    """Shared by all jobs; ``thinking`` is the one thread on which what is only thinking is done."""

    store: Store
    companions: Mapping[str, Companion]
    model: LanguageModel
    thinking: anyio.CapacityLimiter

    def asked(self, job: Job) -> str | None:
        """The model that is asked; None where none is, or where it has failed too often."""
        return self.model.name if self.model.connected and job.attempts < MOST_ATTEMPTS else None

    async def off_loop(self, think: Callable[[], T]) -> T:
        """Do ``think`` away from the talks."""
        return await host().aside(think, self.thinking)

    async def answer(self, prompt: Prompt) -> str:
        """All that the model says to a prompt, up to a bound; raises ``ModelError``."""
        said: list[str] = []
        length = 0
        async with self.model.stream(prompt) as pieces:
            async for piece in pieces:
                if isinstance(piece, Text):
                    said.append(piece.text)
                    length += len(piece.text)
                    if length > MOST_ANSWER_CHARS:
                        break
        return "".join(said)

    async def answers(
        self, job: Job, messages: Sequence[Message], categories: Sequence[str] = ()
    ) -> list[tuple[tuple[Message, ...], str]]:
        """What the model says to each part of ``messages``; nothing where no model is asked."""
        if self.asked(job) is None or not messages:
            return []
        companion = self.companions[job.companion]
        return [
            (
                part,
                await self.answer(
                    job_prompt(companion, job.kind, part, user=job.user, categories=categories)
                ),
            )
            for part in batches(companion, messages)
        ]
