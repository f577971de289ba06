"""How a person has been, and how they talk, from the store: made before a talk and for their page, never during it."""

import sqlite3

import msgspec

from companions.remembered import CheckIn, Lately
from memory.check_ins import Entry, Sitting, habits, stressors, trends, wins
from server.past_talks import moment_of
from server.placing import placed
from storage.people import CheckIn as StoredCheckIn
from storage.people import check_ins
from storage.trend_readings import SittingRow, ended_count, sitting_rows

MOST_CHECK_INS = 400
MOST_SITTINGS = 60  # enough for what somebody likes, and soon follows when that changes


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    """The last check-ins as they are stored, and as they are read, both oldest first."""

    rows: tuple[StoredCheckIn, ...]
    entries: tuple[Entry, ...]


def checked(db: sqlite3.Connection, *, user: str, companion: str) -> Checked:
    """The last check-ins, each with its day and hour."""
    rows = check_ins(db, user=user, companion=companion, limit=MOST_CHECK_INS)
    places = placed([row.at for row in rows])
    entries = tuple(
        Entry(
            placed=place,
            mood=row.mood,
            sleep=row.sleep,
            anxiety=row.anxiety,
            stressors=row.stressors,
            wins=row.wins,
        )
        for row, place in zip(rows, places, strict=True)
    )
    return Checked(rows=rows, entries=entries)


def last_checked(found: Checked) -> CheckIn | None:
    """The newest check-in, with what was named in those of late; without a date where the clock was wrong."""
    if not found.rows:
        return None
    last, entry = found.rows[-1], found.entries[-1]
    return CheckIn(
        on=moment_of(last.at).astimezone().strftime("%Y-%m-%d") if entry.placed.hour is not None else "",
        mood=last.mood,
        sleep=last.sleep,
        anxiety=last.anxiety,
        stressors=stressors(found.entries),
        wins=wins(found.entries),
    )


def lately(db: sqlite3.Connection, found: Checked, *, user: str, companion: str, now: int) -> Lately | None:
    """Trends and habits at ``now`` (milliseconds); None where nothing is known yet."""
    rows = sitting_rows(db, user=user, companion=companion, limit=MOST_SITTINGS)
    made = Lately(
        trends=tuple(trends(found.entries).items()),
        habits=habits(_sittings(rows), ended_count(db, user=user, companion=companion)),
        days_since=_days_since(rows, now),
    )
    return None if made == Lately() else made


def _sittings(rows: tuple[SittingRow, ...]) -> list[Sitting]:
    places = placed([row.began for row in rows])
    return [
        Sitting(placed=place, minutes=(row.last - row.began) / 60_000)
        for row, place in zip(rows, places, strict=True)
    ]


def _days_since(rows: tuple[SittingRow, ...], now: int) -> int | None:
    if not rows:
        return None
    places = placed([*(row.last for row in rows), now])
    before, here = places[-2:]
    return None if before.hour is None or here.hour is None else here.day - before.day
