"""From the store's rows to what a session holds: a talk read back, and what is remembered of a person."""

import sqlite3
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from actors.ports import Opening
from companions.companion import Companion
from companions.remembered import Caregiver, FactLine, Profile, Remembered
from companions.summing_up import withheld
from companions.talk import MOST_MESSAGES, Talk
from memory.facts_told import told
from memory.messages import Message
from memory.recall import Remembered as Index
from memory.recall import Stated, stated
from memory.repetition import asked
from memory.statements import Statement, last_mentioned
from memory.summing import Summed
from server.care_trends import calming
from server.lately import checked, last_checked, lately
from server.not_landed import Waiting, brought_up, waiting_last
from server.past_talks import key_facts, lines, moment_of, past_talks, topics
from storage.care_contexts import care_context
from storage.conversations import last_conversation
from storage.facts import Fact, lasting_facts, told_facts
from storage.memories import remembering
from storage.messages import stated_by
from storage.order import newest_time
from storage.people import profile
from storage.readings import narratives_told
from storage.talk import Loaded, load_talk

DAY_MS = 24 * 3_600_000
READ_BACK = 200  # messages read for what was asked and stated; fewer are held whole


def opening(
    db: sqlite3.Connection,
    companion: Companion,
    *,
    user: str,
    conversation: str,
    read: bool = True,
    waiting: Waiting = (),
) -> Opening | None:
    """A conversation of this user with this companion; ``"last"`` is the one they were in last.

    Without ``read`` no message is read for what it asks and states. What is ``waiting`` to land is in it already.
    """
    if conversation == "last":
        turned_to = waiting_last(waiting, user=user, companion=companion.id)
        last = None if turned_to else last_conversation(db, user=user, companion=companion.id)
        if turned_to is None and last is None:
            return None
        conversation = turned_to or (last.id if last is not None else "")
    stored = load_talk(db, user=user, conversation_id=conversation, messages=READ_BACK)
    found = brought_up(stored, waiting, user=user, conversation=conversation)
    if found is None or found.conversation.companion != companion.id:
        return None
    return Opening(
        talk=_read(_talk(found), found.messages) if read else _talk(found, read=False),
        messages=found.messages,
        unanswered=found.unanswered,
        closed=found.conversation.closed_at is not None,
    )


def _talk(found: Loaded, *, read: bool = True) -> Talk:
    summary = found.summary
    return Talk(
        conversation=found.conversation.id,
        session_type=found.conversation.session_type,
        last_position=found.conversation.last_position,
        message_count=found.conversation.message_count,
        messages=tuple(each for each in found.messages if each.text)[-MOST_MESSAGES:],
        emotions=found.emotions,
        anchors=found.anchors,
        told=tuple(use.narrative for use in found.narratives),
        repeats=tuple(
            (row.message, row.repeat_of, row.repeat_count)
            for row in found.repetitions
            if row.repeat_of is not None
        ),
        summary=msgspec.json.decode(summary.content, type=Summed).text if summary is not None else None,
        summary_covers=summary.covers_last if summary is not None else 0,
        withheld=_withheld(found, read=read),
        revision=found.conversation.revision,
    )


def _withheld(found: Loaded, *, read: bool) -> bool | None:
    """Whether family is told nothing of what follows; None where messages would have to be read to know it."""
    if found.unread and not (read or found.withheld):
        return None
    return found.withheld or withheld(found.unread, found.emotions)


def _read(talk: Talk, messages: Sequence[Message]) -> Talk:
    """The talk with what the person asks and states in its messages."""
    said = [each for each in messages if each.role == "user" and each.text]
    stated_here, other = _stated_here(messages)
    return replace(
        talk, asked=tuple(asked(each.id, each.text) for each in said), stated=stated_here, other=other
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
    db: sqlite3.Connection, companion: Companion, *, user: str, open_talk: str | None = None, now: int
) -> Remembered:
    """What is remembered of the user for this companion; what its policy names never is not even read.

    ``now`` (milliseconds) is for how long ago they talked.
    """
    memory = companion.policy.memory
    if not remembering(db, user=user, companion=companion.id):
        return Remembered(  # what they told about themselves, and what caregivers did, is no memory
            profile=_profile(db, companion, user), caregiver=_caregiver(db, companion, user)
        )
    past = past_talks(db, companion, user=user)
    check_ins = checked(db, user=user, companion=companion.id) if memory.check_in == "across" else None
    stories = narratives_told(db, user=user, companion=companion.id) if companion.narratives else ()
    earlier = _stated(db, companion, user, open_talk) if memory.recall == "across" else ()
    return Remembered(
        profile=_profile(db, companion, user),
        caregiver=_caregiver(db, companion, user),
        check_in=last_checked(check_ins) if check_ins is not None else None,
        lately=lately(db, check_ins, user=user, companion=companion.id, now=now) if check_ins else None,
        facts=_facts(db, companion, user) if memory.facts == "across" else (),
        summaries=lines(past),
        key_facts=key_facts(db, companion, past, user=user),
        topics=topics(past),
        stated=earlier,
        index=Index(earlier),  # made here, in a reader's thread: no turn waits for it
        told_before=tuple(each.narrative for each in stories),
        calmed_before=calming(db, user, companion.id) if stories else (),
    )


def _facts(db: sqlite3.Connection, companion: Companion, user: str) -> tuple[FactLine, ...]:
    """What holds of the person, as lines; what is in question is told of neither side."""
    policy = companion.policy.facts
    days = policy.fade_after_days if policy is not None else None
    faded_before = None if days is None else newest_time(db) - days * DAY_MS
    holding = told_facts(db, user=user, companion=companion.id)
    lasting = lasting_facts(db, user=user, companion=companion.id)
    return tuple(fact_line(fact, faded_before, lasts=fact.id in lasting) for fact in holding)


def fact_line(fact: Fact, faded_before: int | None = None, *, lasts: bool = False) -> FactLine:
    """A fact as a line. It has faded when it was neither said nor used since ``faded_before`` (milliseconds).

    One that ``lasts`` does not go with the messages that it rests on.
    """
    return FactLine(
        id=fact.id,
        category=fact.category,
        text=told(fact.subject, fact.attribute, fact.value, note=fact.kind == "note"),
        confidence=fact.confidence,
        pinned=fact.pinned,
        on=moment_of(fact.last_at).astimezone().strftime("%Y-%m-%d"),
        origin=fact.origin,
        statement=fact.statement,
        faded=faded_before is not None and max(fact.last_at, fact.used_at or 0) < faded_before,
        rests_on=() if lasts else fact.sources,
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


def _caregiver(db: sqlite3.Connection, companion: Companion, user: str) -> Caregiver:
    if companion.policy.memory.caregiver != "across":
        return Caregiver()
    given = care_context(db, user=user, companion=companion.id)
    return Caregiver() if given is None else msgspec.json.decode(given.context, type=Caregiver)
