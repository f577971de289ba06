"""What a person tells about themselves: their profile, and how they are; and what their check-ins show."""

import sqlite3
from typing import TypeAlias

import msgspec
from msgspec import UNSET

from actors.ports import CommandRefused, Done
from companions.changes import MoodCheckedIn, ProfileSet
from companions.companion import Companion
from companions.state import Who
from memory.check_ins import Habits, trends
from protocol import person_frames as people
from protocol import results
from protocol.times import rfc3339
from protocol.trend_frames import CheckInEntry, CheckInTrends, MoodTrends, MoodTrendsNow, TalkHabits, Trend
from server.desk_welcome import profile_answered, profile_now
from server.ids import new_id
from server.lately import Checked, checked, lately

PersonCommand: TypeAlias = (
    people.ProfileGet | people.ProfileSet | people.ProfileAnswer | people.MoodCheckIn | MoodTrends
)


def answered(db: sqlite3.Connection, companion: Companion, who: Who, command: PersonCommand, at: int) -> Done:
    """Do a command; raises ``CommandRefused``."""
    match command:
        case people.ProfileGet():
            return Done(result=profile_now(db, companion, who))
        case people.ProfileAnswer():
            return profile_answered(db, companion, who, command, at)
        case people.ProfileSet():
            return _set_profile(companion, who, command, at)
        case people.MoodCheckIn():
            return _check_in(companion, who, command, at)
        case MoodTrends():
            return _trends(db, companion, who, command, at)


def _set_profile(companion: Companion, who: Who, command: people.ProfileSet, at: int) -> Done:
    if companion.policy.memory.profile == "never":
        raise CommandRefused("policy.refused")
    kept = msgspec.Raw(msgspec.json.encode(command.profile))
    change = ProfileSet(user=who.user, companion=who.companion, at=at, profile=kept)
    return Done(result=people.ProfileNow(profile=command.profile), changes=(change,))


def _check_in(companion: Companion, who: Who, command: people.MoodCheckIn, at: int) -> Done:
    if companion.policy.memory.check_in == "never":
        raise CommandRefused("policy.refused")
    change = MoodCheckedIn(
        user=who.user,
        companion=who.companion,
        at=at,
        check_in=new_id("chk"),
        conversation=None,
        mood=None if command.mood is UNSET else command.mood,
        sleep=None if command.sleep is UNSET else command.sleep,
        anxiety=None if command.anxiety is UNSET else command.anxiety,
        stressors=command.stressors,
        wins=command.wins,
    )
    return Done(result=results.CheckedIn(check_in=change.check_in), changes=(change,))


def _trends(db: sqlite3.Connection, companion: Companion, who: Who, command: MoodTrends, at: int) -> Done:
    """The last check-ins, oldest first, and where they go."""
    if companion.policy.memory.check_in == "never":
        raise CommandRefused("policy.refused")
    found = checked(db, user=who.user, companion=who.companion)
    known = lately(db, found, user=who.user, companion=who.companion, now=at)
    directions = {
        measure: msgspec.convert(each, Trend, from_attributes=True)
        for measure, each in trends(found.entries).items()
    }
    made = MoodTrendsNow(
        check_ins=_entries(found)[-command.limit :],
        trends=CheckInTrends(**{measure: _short(each) for measure, each in directions.items()}),
        habits=_habits(known.habits if known is not None else Habits()),
    )
    return Done(result=made)


def _short(trend: Trend) -> Trend:
    return msgspec.structs.replace(trend, per_week=round(trend.per_week, 2))


def _habits(known: Habits) -> TalkHabits:
    return TalkHabits(talks=known.talks, minutes=known.minutes, parts=known.parts)


def _entries(found: Checked) -> tuple[CheckInEntry, ...]:
    return tuple(
        CheckInEntry(
            check_in=row.id,
            at=rfc3339(row.at),
            mood=row.mood,
            sleep=row.sleep,
            anxiety=row.anxiety,
            stressors=row.stressors,
            wins=row.wins,
            sure=entry.placed.hour is not None,
        )
        for row, entry in zip(found.rows, found.entries, strict=True)
    )
