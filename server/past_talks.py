"""The conversations that ended, as they are remembered: in the order of their ends, each with its summary.

A summary that is not made yet has a stand-in, taken from the talk's own words, so that what was said a minute ago is
not missing from the next conversation.
"""

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from companions.companion import Companion
from companions.remembered import PastTalk
from companions.summing_up import stand_in
from memory.check_ins import part_of_day
from memory.facts_told import told
from memory.summing import Summed
from storage.facts import facts_said_in, told_facts
from storage.messages import history
from storage.readings import emotions_in
from storage.summaries import Ended, Summary, ended_talks, extracts_of
from storage.unheard import heard_alone

STAND_IN_MESSAGES = 60  # enough for what a talk was about; the summary itself reads all of them
GROUPS = ("decision", "preference", "learned")


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation that ended: when it began, what it came to, and the topics that were named for it."""

    ended: Ended
    made: Summed
    topics: tuple[str, ...]


def past_talks(db: sqlite3.Connection, companion: Companion, *, user: str) -> tuple[Past, ...]:
    """The last ones that the policy lets remember, oldest first."""
    policy = companion.policy.summary
    reaches = (companion.policy.memory.summaries, companion.policy.memory.key_facts)
    if policy is None or not policy.kept or "across" not in reaches:
        return ()
    found = ended_talks(db, user=user, companion=companion.id, limit=policy.kept)
    return tuple(_past(db, companion, user, each) for each in found)


def _past(db: sqlite3.Connection, companion: Companion, user: str, ended: Ended) -> Past:
    if ended.summary is not None:
        made = summary_content(ended.summary)
    else:
        messages = history(db, user=user, conversation=ended.conversation, limit=STAND_IN_MESSAGES)
        messages = heard_alone(
            db, messages, user=user, companion=companion.id, conversation=ended.conversation
        )
        made = stand_in(companion, messages, emotions_in(db, ended.conversation, STAND_IN_MESSAGES))
    named = [
        content
        for kind, content in extracts_of(db, user=user, conversation=ended.conversation)
        if kind == "topics"
    ]
    topics = msgspec.json.decode(named[-1], type=tuple[str, ...]) if named else ()
    return Past(ended=ended, made=made, topics=topics or made.topics)


def summary_content(summary: Summary) -> Summed:
    """The parts of a stored summary."""
    return msgspec.json.decode(summary.content, type=Summed)


def lines(past: Sequence[Past]) -> tuple[PastTalk, ...]:
    """Their summaries with date and part of the day."""
    return tuple(
        PastTalk(
            id=each.ended.summary.id if each.ended.summary is not None else each.ended.conversation,
            on=moment_of(each.ended.began_at).astimezone().strftime("%Y-%m-%d"),
            part=part_of_day(moment_of(each.ended.began_at).astimezone().hour),
            text=each.made.text,
        )
        for each in past
        if each.made.text
    )


def topics(past: Sequence[Past]) -> tuple[str, ...]:
    """Of all of them together, the latest first, each once (D13)."""
    return tuple(dict.fromkeys(topic for each in reversed(past) for topic in each.topics))


def key_facts(
    db: sqlite3.Connection, companion: Companion, past: Sequence[Past], *, user: str
) -> tuple[str, ...]:
    """What holds of the person and was said in those conversations, the latest first (tutor document, keyFacts).

    Of one conversation decisions come first, then preferences, then what was learned.
    """
    if companion.policy.memory.key_facts != "across" or not past:
        return ()
    holding = told_facts(db, user=user, companion=companion.id)
    found: list[str] = []
    for each in reversed(past):
        here = facts_said_in(db, each.ended.conversation)
        ranked = sorted(
            (fact for fact in holding if fact.id in here),
            key=lambda fact: (not fact.pinned, _rank(fact.category), -fact.said),
        )
        found += [told(fact.subject, fact.attribute, fact.value, note=fact.kind == "note") for fact in ranked]
    return tuple(dict.fromkeys(found))


def _rank(category: str) -> int:
    return GROUPS.index(category) if category in GROUPS else len(GROUPS)


def moment_of(at: int) -> datetime:
    """Milliseconds since 1970 as a time, whatever a wrong clock wrote."""
    return datetime.fromtimestamp(min(max(at, 0), 253_402_300_799_000) / 1_000, UTC)
