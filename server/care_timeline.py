"""The timeline of a person for those who care for them: feelings, questions, summaries, and the words themselves.

Each page is read together with the consent that allows it, so that none is given after the consent has ended.
"""

import sqlite3
from collections import Counter

import msgspec
from msgspec import UNSET, UnsetType

from actors.ports import CommandRefused
from companions.companion import Companion
from companions.consenting import DAY_MS, Scope
from companions.state import Who
from companions.summing_up import is_private, open_word_for_word
from protocol import care_frames as care
from protocol import results
from protocol.times import milliseconds, rfc3339
from protocol.trend_frames import CareTrends, CareTrendsNow
from server.care_pages import not_allowed, place_of
from server.care_trends import care_trends
from storage.consents import standing
from storage.timeline import Question, feelings, let_known_in, questions, talk_summaries, transcript

EVER = 2**62


class _Told(msgspec.Struct, frozen=True):
    """What every form of a summary has."""

    text: str = ""


def _needs(db: sqlite3.Connection, who: Who, scope: Scope, at: int) -> None:
    if not standing(db, user=who.user, companion=who.companion, at=at).granted(scope):
        raise not_allowed()


def _moment(time: str | UnsetType, otherwise: int) -> int:
    if time is UNSET:
        return otherwise
    try:
        return milliseconds(str(time))
    except ValueError:
        raise CommandRefused("frame.invalid", "There is no such day.") from None


def emotion_page(
    db: sqlite3.Connection, who: Who, command: care.CareEmotions, at: int
) -> results.EmotionPage:
    """Feelings, the latest first."""
    _needs(db, who, "trends", at)
    found = feelings(
        db,
        user=who.user,
        companion=who.companion,
        since=_moment(command.since, -EVER),
        until=_moment(command.until, EVER),
        before=place_of(command.cursor),
        limit=command.limit,
    )
    entries = tuple(
        care.EmotionEntry(
            at=rfc3339(each.at),
            emotion=each.emotion,
            intensity=each.intensity,
            distress=each.distress,
            trajectory=each.trajectory,
        )
        for each in found
    )
    more = len(found) == command.limit
    return results.EmotionPage(emotions=entries, next=str(found[-1].number) if more else None)


def repetition_now(
    db: sqlite3.Connection, who: Who, companion: Companion, command: care.CareRepetition, at: int
) -> results.Repetition:
    """How often each kind of question came, and those that came again and again in one talk."""
    _needs(db, who, "trends", at)
    policy = companion.policy.repetition
    days = policy.across_days if command.days is UNSET else command.days
    found = questions(db, user=who.user, companion=who.companion, since=at - days * DAY_MS)
    shown = [each for each in found if each.unread is None or not is_private(each.unread)]
    return results.Repetition(
        days=days,
        types=dict(Counter(each.type for each in shown)),
        chronic=_chronic([each for each in shown if each.repeats >= policy.chronic_from]),
    )


def trends_now(
    db: sqlite3.Connection, who: Who, companion: Companion, command: CareTrends, at: int
) -> CareTrendsNow:
    """What weeks and months show."""
    _needs(db, who, "trends", at)
    return care_trends(db, who, companion, command)


def _chronic(often: list[Question]) -> tuple[care.ChronicEntry, ...]:
    """Each question of each talk once, as it came last: it is the latest first."""
    patterns: dict[tuple[str, str, str], care.ChronicEntry] = {}
    for each in often:
        key = (each.conversation, each.type, each.object)
        known = patterns.get(key)
        most = max(each.repeats, known.repeats if known is not None else 0)
        latest = rfc3339(each.at) if known is None else known.at
        patterns[key] = care.ChronicEntry(
            question_type=each.type, object=each.object, repeats=most, at=latest
        )
    return tuple(patterns.values())


def summary_page(
    db: sqlite3.Connection, who: Who, command: care.CareSummaries, at: int
) -> results.TalkSummaryPage:
    """Summaries, the latest talk first; one whose words speak of what family is not told is left out."""
    _needs(db, who, "summaries", at)
    found = talk_summaries(
        db, user=who.user, companion=who.companion, before=place_of(command.cursor), limit=command.limit
    )
    told = [(each, msgspec.json.decode(each.content, type=_Told).text) for each in found]
    entries = tuple(
        care.TalkSummaryEntry(conversation=each.conversation, at=rfc3339(each.at), text=text)
        for each, text in told
        if text and not is_private(text, let_known_in(db, each.conversation))
    )
    more = len(found) == command.limit
    return results.TalkSummaryPage(summaries=entries, next=str(found[-1].number) if more else None)


def transcript_page(
    db: sqlite3.Connection, who: Who, command: care.CareHistory, at: int
) -> results.TranscriptPage:
    """A talk word for word, up to where something was said of abuse or self-harm, and no mark that it was."""
    _needs(db, who, "transcripts", at)
    found = transcript(db, user=who.user, companion=who.companion, conversation=command.conversation)
    if found is None:
        raise CommandRefused("conversation.unknown")
    before = place_of(command.cursor)
    told = open_word_for_word(found.messages, found.rows, found.released, removed_at=found.removed_at)
    shown = [each for each in told if before is None or each.position < before]
    page = shown[-command.limit :]
    entries = tuple(
        care.TranscriptEntry(role=each.role, text=each.text, at=rfc3339(each.at)) for each in page
    )
    return results.TranscriptPage(
        messages=entries, next=str(page[0].position) if len(shown) > len(page) else None
    )
