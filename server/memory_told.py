"""What is kept, as the wire tells it."""

from msgspec import UNSET

from companions.companion import Companion
from memory.check_ins import part_of_day
from protocol import memory_frames as memory
from protocol.conversation_frames import Summary as ToldSummary
from protocol.times import rfc3339
from server.past_talks import moment_of, summary_content
from storage.facts import Fact
from storage.summaries import Summary

DAY_MS = 24 * 3_600_000


def told_fact(fact: Fact, companion: Companion, at: int) -> memory.Fact:
    """A fact with its sources, and whether it has gone unused for so long that it is offered for removal."""
    policy = companion.policy.facts
    days = policy.stale_after_days if policy is not None else None
    last = fact.used_at if fact.used_at is not None else fact.recorded_at
    return memory.Fact(
        fact=fact.id,
        category=fact.category,
        subject=fact.subject,
        attribute=fact.attribute,
        text=fact.value,
        status=fact.status,
        origin=fact.origin,
        confidence=fact.confidence,
        mentions=fact.mentions,
        sources=fact.sources,
        first_at=rfc3339(fact.first_at),
        last_at=rfc3339(fact.last_at),
        pinned=fact.pinned,
        enabled=fact.enabled,
        stale=days is not None and fact.status == "active" and at - last > days * DAY_MS,
        uses=fact.uses,
        used_at=UNSET if fact.used_at is None else rfc3339(fact.used_at),
        valid_from=rfc3339(fact.valid_from),
        valid_to=UNSET if fact.valid_to is None else rfc3339(fact.valid_to),
        replaces=UNSET if fact.replaces is None else fact.replaces,
        language=fact.language or UNSET,
    )


def told_summary(summary: Summary) -> ToldSummary:
    """A summary, whatever its companion's form."""
    content = summary_content(summary)
    return ToldSummary(
        summary=summary.id,
        conversation=summary.conversation,
        text=content.text,
        at=rfc3339(summary.at),
        partial=summary.partial,
        topics=content.topics,
        emotional_arc=content.emotional_arc or UNSET,
        key_insight=content.key_insight or UNSET,
        follow_ups=content.follow_ups,
        quote=content.quote or UNSET,
        time_of_day=part_of_day(moment_of(summary.began_at).astimezone().hour),
        tokens=summary.tokens,
    )
