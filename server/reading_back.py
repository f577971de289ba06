"""From the store's rows to what a session holds: a talk read back, and what is remembered of a person."""

import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from actors.ports import Opening
from companions.companion import Companion
from companions.remembered import CheckIn, FactLine, PastTalk, Profile, Remembered
from companions.talk import MOST_MESSAGES, Talk
from memory.extracts import Extract
from memory.facts_told import told
from memory.messages import Message
from memory.recall import Stated, stated
from memory.repetition import asked
from memory.statements import Statement, last_mentioned
from storage.conversations import last_conversation
from storage.facts import told_facts
from storage.memories import remembering
from storage.messages import stated_by
from storage.people import last_check_in, profile
from storage.readings import narratives_told
from storage.summaries import Summary, recent_summaries
from storage.talk import Loaded, load_talk

READ_BACK = 200  # messages read for what was asked and stated; fewer are held whole


class KeyFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The tutor's key facts (tutor document, Conversation.keyFacts)."""

    decisions: tuple[str, ...] = ()
    preferences: tuple[str, ...] = ()
    learned: tuple[str, ...] = ()


class Content(Extract, frozen=True, kw_only=True):
    """A stored summary, whatever its companion's form: parts that are not there are empty."""

    key_facts: KeyFacts = KeyFacts()


def opening(db: sqlite3.Connection, companion: Companion, *, user: str, conversation: str) -> Opening | None:
    """A conversation of this user with this companion; ``"last"`` is the one they were in last."""
    if conversation == "last":
        last = last_conversation(db, user=user, companion=companion.id)
        if last is None:
            return None
        conversation = last.id
    found = load_talk(db, user=user, conversation_id=conversation, messages=READ_BACK)
    if found is None or found.conversation.companion != companion.id:
        return None
    return Opening(
        talk=_talk(found),
        messages=found.messages,
        unanswered=found.unanswered,
        closed=found.conversation.closed_at is not None,
    )


def _talk(found: Loaded) -> Talk:
    said = [each for each in found.messages if each.role == "user" and each.text]
    stated_here, other = _stated_here(found.messages)
    summary = found.summary
    return Talk(
        conversation=found.conversation.id,
        session_type=found.conversation.session_type,
        last_position=found.conversation.last_position,
        message_count=found.conversation.message_count,
        messages=tuple(each for each in found.messages if each.text)[-MOST_MESSAGES:],
        emotions=found.emotions,
        asked=tuple(asked(each.id, each.text) for each in said),
        stated=stated_here,
        other=other,
        anchors=found.anchors,
        told=tuple(use.narrative for use in found.narratives),
        repeats=tuple(
            (row.message, row.repeat_of, row.repeat_count)
            for row in found.repetitions
            if row.repeat_of is not None
        ),
        summary=summary_content(summary).text if summary is not None else None,
        summary_covers=summary.covers_last if summary is not None else 0,
    )


def _stated_here(messages: Sequence[Message]) -> tuple[tuple[Stated, ...], str | None]:
    """What the person states in the messages of a conversation, and whom they mention last."""
    found: list[Stated] = []
    asked: str | None = None
    other: str | None = None
    for each in messages:
        if each.role != "user":
            asked = each.text or asked
            continue
        if one := stated(each.id, each.position, each.text, asked, other):
            found.append(one)
        other = last_mentioned(each.text, other)
    return tuple(found), other


def remembered(
    db: sqlite3.Connection, companion: Companion, *, user: str, open_talk: str | None = None
) -> Remembered:
    """What is remembered of the user for this companion; what its policy names never is not even read."""
    memory = companion.policy.memory
    if not remembering(db, user=user, companion=companion.id):
        return Remembered(
            profile=_profile(db, companion, user)
        )  # what they told about themselves is no memory
    kept = companion.policy.summary.kept if companion.policy.summary is not None else 0
    wants_past = kept and "across" in (memory.summaries, memory.key_facts)
    past = recent_summaries(db, user=user, companion=companion.id, limit=kept) if wants_past else ()
    contents = [summary_content(each) for each in past]
    stories = narratives_told(db, user=user, companion=companion.id) if companion.narratives else ()
    return Remembered(
        profile=_profile(db, companion, user),
        check_in=_check_in(db, companion, user) if memory.check_in == "across" else None,
        facts=_facts(db, companion, user) if memory.facts == "across" else (),
        summaries=tuple(_past(each, content) for each, content in zip(past, contents, strict=True)),
        key_facts=_key_facts(contents),
        topics=_topics(contents),
        stated=_stated(db, companion, user, open_talk) if memory.recall == "across" else (),
        told_before=tuple(each.narrative for each in stories),
    )


def _facts(db: sqlite3.Connection, companion: Companion, user: str) -> tuple[FactLine, ...]:
    """What holds of the person, as lines; what is in question is told of neither side."""
    return tuple(
        FactLine(
            id=fact.id,
            category=fact.category,
            text=told(fact.subject, fact.attribute, fact.value, note=fact.kind == "note"),
            confidence=fact.confidence,
            pinned=fact.pinned,
            on=moment_of(fact.last_at).astimezone().strftime("%Y-%m-%d"),
        )
        for fact in told_facts(db, user=user, companion=companion.id)
    )


def _stated(
    db: sqlite3.Connection, companion: Companion, user: str, open_talk: str | None
) -> tuple[Stated, ...]:
    """What earlier conversations state, in the order it was said: places before those of the open talk."""
    rows = stated_by(db, user=user, companion=companion.id, without=open_talk)
    return tuple(
        Stated(
            message_id=row.message,
            position=at - len(rows),
            statements=msgspec.json.decode(row.content, type=tuple[Statement, ...]),
            text=row.text,
        )
        for at, row in enumerate(rows)
    )


def _profile(db: sqlite3.Connection, companion: Companion, user: str) -> Profile:
    """Read for the country of help also where the prompt may not know it."""
    raw = profile(db, user=user, companion=companion.id)
    return Profile() if raw is None else msgspec.json.decode(raw, type=Profile)


def _check_in(db: sqlite3.Connection, companion: Companion, user: str) -> CheckIn | None:
    last = last_check_in(db, user=user, companion=companion.id)
    if last is None:
        return None
    return CheckIn(
        on=moment_of(last.at).strftime("%Y-%m-%d"),
        mood=last.mood,
        sleep=last.sleep,
        anxiety=last.anxiety,
        stressors=last.stressors,
        wins=last.wins,
    )


def summary_content(summary: Summary) -> Content:
    """The parts of a stored summary."""
    return msgspec.json.decode(summary.content, type=Content)


def _past(summary: Summary, content: Content) -> PastTalk:
    moment = moment_of(summary.began_at).astimezone()
    return PastTalk(
        id=summary.id, on=moment.strftime("%Y-%m-%d"), part=part_of_day(moment.hour), text=content.text
    )


def part_of_day(hour: int) -> str:
    """Morning from 5, afternoon from 12, evening from 17, night from 21 (wellness document, MemorySummary)."""
    for border, name in ((5, "night"), (12, "morning"), (17, "afternoon"), (21, "evening")):
        if hour < border:
            return name
    return "night"


def _key_facts(contents: list[Content]) -> tuple[str, ...]:
    """Of all remembered conversations together, the latest first, each once (D13)."""
    facts = [
        fact
        for content in reversed(contents)
        for group in (content.key_facts.decisions, content.key_facts.preferences, content.key_facts.learned)
        for fact in group
    ]
    return tuple(dict.fromkeys(facts))


def _topics(contents: list[Content]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(topic for content in reversed(contents) for topic in content.topics))


def moment_of(at: int) -> datetime:
    """A stored time as a moment in UTC, within what a calendar holds."""
    return datetime.fromtimestamp(min(max(at, 0), 253_402_300_799_000) / 1_000, UTC)
