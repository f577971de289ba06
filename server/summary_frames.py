"""A summary as the wire tells it."""

from collections.abc import Callable

from msgspec import UNSET

from companions.changes import SummaryMade
from memory.summing import Summed
from protocol.conversation_frames import Summary, SummaryReady
from protocol.times import rfc3339


def summary_ready(change: SummaryMade, made: Summed) -> Callable[[int], SummaryReady]:
    """The event for a summary that has landed, by its number."""
    summary = Summary(
        summary=change.summary,
        conversation=change.conversation,
        text=made.text,
        at=rfc3339(change.at),
        partial=change.partial,
        topics=made.topics,
        emotional_arc=made.emotional_arc or UNSET,
        key_insight=made.key_insight or UNSET,
        follow_ups=made.follow_ups,
        quote=made.quote or UNSET,
        tokens=change.tokens,
    )
    return lambda seq: SummaryReady(seq=seq, conversation=change.conversation, summary=summary)
