"""The person wants a conversation summed up now: the open one as it stands, or one that has ended, once more."""

import sqlite3

from actors.ports import CommandRefused, Done
from companions.changes import JobKind, JobSpec, JobsQueued
from companions.companion import Companion
from companions.state import Who
from protocol import results
from server.ids import new_id
from storage.conversations import Conversation, conversation, last_conversation


def summarized(db: sqlite3.Connection, companion: Companion, who: Who, named: str | None, *, at: int) -> Done:
    """The job; ``summary.ready`` follows when it is done. Raises ``CommandRefused``."""
    if companion.policy.summary is None:
        raise CommandRefused("policy.refused", "This companion makes no summaries.")
    found = _meant(db, who, named)
    if found is None or found.companion != who.companion:
        raise CommandRefused("conversation.unknown")
    kind: JobKind = "partial" if found.open else "summary"
    job = JobSpec(id=new_id("job"), kind=kind, first=1, last=found.last_position, again=True)
    change = JobsQueued(user=who.user, companion=found.companion, at=at, conversation=found.id, jobs=(job,))
    return Done(result=results.Done(), changes=(change,))


def _meant(db: sqlite3.Connection, who: Who, named: str | None) -> Conversation | None:
    """The conversation that is named, else the one they are in."""
    if named is not None:
        return conversation(db, user=who.user, id=named)
    last = last_conversation(db, user=who.user, companion=who.companion)
    return last if last is not None and last.open else None
