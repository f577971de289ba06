"""Long-term trends for those who care for a person: made when they ask, from what consent and safeguarding leave.

Nothing of it is kept, so that what is removed is in no figure from then on.
"""

import sqlite3
from collections import Counter
from datetime import date

import msgspec
from msgspec import UNSET

from companions.companion import Companion
from companions.state import Who
from companions.summing_up import is_private
from companions.trend_words import told
from memory.clocks import Placed
from memory.intervals import LEAST_FOR_A_MEDIAN
from memory.long_trends import Asked, Felt, LongTrends, Told, calming_stories, long_trends
from protocol.trend_frames import CareTrends, CareTrendsNow
from protocol.values import JsonObject
from server.placing import placed
from storage.trend_readings import asked_rows, felt_rows, told_rows

DAYS = 90
_DECIMALS = 3


def trends_of(db: sqlite3.Connection, user: str, companion: str, days: int) -> LongTrends:
    """What the last ``days`` up to the last message show."""
    felt = _felt(db, user, companion)
    since = max((each.placed.day for each in felt), default=0) - days
    asked = _asked(db, user, companion)
    stories = [
        Told(message=row.message, story=row.narrative, category=row.category)
        for row in told_rows(db, user=user, companion=companion)
    ]
    return long_trends(
        [each for each in felt if each.placed.day > since],
        [each for each in asked if each.placed.day > since],
        stories,
    )


def _felt(db: sqlite3.Connection, user: str, companion: str) -> list[Felt]:
    rows = felt_rows(db, user=user, companion=companion)
    places = placed([row.at for row in rows])
    return [
        Felt(
            message=row.message,
            session=row.conversation,
            placed=place,
            distress=row.distress,
            private=row.private,
        )
        for row, place in zip(rows, places, strict=True)
    ]


def _asked(db: sqlite3.Connection, user: str, companion: str) -> list[Asked]:
    rows = asked_rows(db, user=user, companion=companion)
    places = placed([row.at for row in rows])
    return [
        Asked(kind=row.kind, placed=place)
        for row, place in zip(rows, places, strict=True)
        if row.unread is None or not is_private(row.unread)
    ]


def calming(db: sqlite3.Connection, user: str, companion: str) -> tuple[str, ...]:
    """The stories that calmed this person before; read only where one was told often enough to know."""
    told = told_rows(db, user=user, companion=companion)
    if max(Counter(row.narrative for row in told).values(), default=0) < LEAST_FOR_A_MEDIAN:
        return ()
    felt = [
        Felt(
            message=row.message,
            session=row.conversation,
            placed=Placed(0, None),
            distress=row.distress,
            private=row.private,
        )
        for row in felt_rows(db, user=user, companion=companion)
    ]
    return calming_stories(felt, [(row.message, row.narrative) for row in told])


def care_trends(db: sqlite3.Connection, who: Who, companion: Companion, command: CareTrends) -> CareTrendsNow:
    """The answer to ``care.trends``; whether it may be given was decided before, on the same read."""
    days = DAYS if command.days is UNSET else command.days
    found = trends_of(db, who.user, who.companion, days)
    titles = {each.id: each.title for each in companion.narratives}
    shown: JsonObject = _rounded(found)
    for week in shown["weeks"]:
        week["until"] = _day(found.last_day - 7 * week["ago"])
    for effect in (*shown["categories"], *shown["stories"]):
        effect["title"] = titles.get(effect["name"], effect["name"].replace("_", " "))
    until = _day(found.last_day) if found.last_day else None
    return msgspec.convert({**shown, "days": days, "until": until, "say": told(found, titles)}, CareTrendsNow)


def _day(ordinal: int) -> str:
    return date.fromordinal(max(ordinal, 1)).isoformat()


def _rounded(value: LongTrends) -> JsonObject:
    """``value`` with its numbers to three decimals: more would look surer than it is."""
    decoder = msgspec.json.Decoder(JsonObject, float_hook=_short)
    return decoder.decode(msgspec.json.encode(value))


def _short(number: str) -> float:
    return round(float(number), _DECIMALS)
