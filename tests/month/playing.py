"""The days, one after another: talks, check-ins, decisions and views, restarts and jumps of the clock."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import anyio
from msgspec.structs import replace

from loadtest.client import Talker, connected
from memory.reading import Before, read
from protocol.conversation_frames import ConversationClose
from protocol.person_frames import Health, HealthShare, MoodCheckIn
from server.app import STORE_FILE
from server.host import standing_in
from server.retention import DATE_FILE, say_date, today
from server.settings import Settings
from tests.month.calendar import BOOT_MS, TEN_YEARS_MS, Calendar, moment
from tests.month.people import CALM, QUESTIONS, UNEASY, Person, check_in, hours_of, people, says
from tests.month.seeing import NOWHERE, Allowed, Seen, decide, look
from tests.server.caring import caring, token
from tests.server.serving import serving, settings
from tests.server.test_leaks import unpaced

MORE_THAN_KEPT = """
    SELECT user_id, COUNT(*) AS kept FROM summaries
    WHERE companion = 'serenity' AND partial = 0 AND archived_at IS NULL GROUP BY user_id HAVING kept > 5
"""
HEART = 911.875  # a value of health that is found nowhere else
BETWEEN_MS = 40_000  # from one message to the next


@dataclass
class Month:
    """What was played, for those who check it."""

    seed: int
    days: int
    folder: Path
    people: list[Person]
    calendar: Calendar
    dice: Random
    tokens: dict[str, str] = field(default_factory=dict[str, str])
    allowed: dict[str, Allowed] = field(default_factory=dict[str, Allowed])
    last_talk: dict[str, str] = field(default_factory=dict[str, str])
    seen: Seen = field(default_factory=Seen)
    restarts: int = 0
    jumps: list[str] = field(default_factory=list[str])
    check_ins: int = 0
    newest: int = (
        0  # the last date of a clock that was right: a server that boots in 1970 knows of none after it
    )


def prepared(folder: Path, *, seed: int, count: int, days: int) -> Month:
    """A month before its first day."""
    dice = Random(seed)
    month = Month(seed, days, folder, people(count, days, dice), Calendar(seed), dice)
    for person in month.people:
        month.allowed[person.name] = Allowed()
        month.tokens[person.name] = token(
            folder, f"Carer {person.name}", user=person.name, basis=person.basis
        )
    return month


async def play(month: Month, told: Callable[[str], None]) -> None:
    """Day after day, each with a server of its own; on some the clock jumps for a while."""
    third = max(1, month.days // 3)
    jumps = {third: "ahead", third + 1: "boot", 2 * third: "boot", 2 * third + 1: "ahead"}
    own = unpaced(month.folder / "own")
    chosen = settings(month.folder, own=own)
    chosen = replace(chosen, limits=replace(chosen.limits, drain_seconds=10.0))
    for text in (*CALM, *UNEASY, *QUESTIONS.values()):  # what is read for the first time takes long
        read(text, Before())
    with standing_in(month.calendar):
        for day in range(month.days):
            month.calendar.at = moment(day, 1)
            jump = jumps.get(day)
            if jump is not None:
                await _wrong(month, day, jump, chosen)
            async with serving(chosen) as url:
                month.restarts += 1
                await _confirmed(month)
                await _day(month, day, url, right=True, share=1.0 if jump is None else 0.5)
            told(f"day {day + 1}: {sum(len(each.said) for each in month.people)} messages")
        month.calendar.at = moment(month.days, 1)
        async with serving(chosen):  # the morning after: what the last talks have pushed out is put away
            month.restarts += 1
            await _put_away(month)


async def _wrong(month: Month, day: int, jump: str, chosen: Settings) -> None:
    """Some hours under a wrong clock, and then staff say what day it is."""
    true = month.calendar.at
    month.calendar.at = true + TEN_YEARS_MS if jump == "ahead" else BOOT_MS
    month.jumps.append(f"day {day + 1} {jump}")
    async with serving(chosen) as url:
        month.restarts += 1
        await _day(month, day, url, right=False, share=0.3)
    month.calendar.at = true
    say_date(month.folder, today(true))


async def _confirmed(month: Month) -> None:
    """Until the server has taken up staff's word."""
    with anyio.fail_after(60):
        while (month.folder / DATE_FILE).exists():  # noqa: ASYNC110  # a file says nothing by itself
            await anyio.sleep(0.02)


async def _put_away(month: Month) -> None:
    """Until nobody has more summaries than the wellness companion keeps at hand."""
    with anyio.move_on_after(60), closing(sqlite3.connect(month.folder / STORE_FILE)) as db:
        while db.execute(MORE_THAN_KEPT).fetchone() is not None:  # noqa: ASYNC110  # the store says nothing by itself
            await anyio.sleep(0.1)


async def _day(month: Month, day: int, url: str, *, right: bool, share: float) -> None:
    base = month.calendar.at
    hours = [
        (hour, person)
        for person in month.people
        if right or month.dice.random() < share
        for hour in hours_of(person, month.dice)
    ]
    for hour, person in sorted(hours, key=lambda each: (each[0], each[1].name)):
        month.calendar.at = moment(day, hour) if right else base + hour * 3_600_000
        await _talk(month, person, day, hour, url)
    month.calendar.at = moment(day, 23) if right else base + 24 * 3_600_000
    month.newest = month.calendar.at if right else month.newest
    for person in month.people:
        await _care(month, person, day, url, right=right)


async def _talk(month: Month, person: Person, day: int, hour: int, url: str) -> None:
    """One talk, from hello to its close."""
    async with connected(url) as talker:
        await talker.hello(companion=person.companion, user=person.name)
        if person.companion == "serenity":
            await _tell(month, person, day, talker)
        for text in says(person, day, hour, month.days, month.dice):
            await talker.talk(text)
            person.said.append(text)
            month.calendar.at += BETWEEN_MS
        ack = await talker.ask(ConversationClose(id=talker.new_id()))
        assert isinstance(ack.result, dict)
        month.last_talk[person.name] = str(ack.result["conversation"])
        person.talks += 1


async def _tell(month: Month, person: Person, day: int, talker: Talker) -> None:
    said = check_in(person, day, month.days, month.dice)
    command = MoodCheckIn(id=talker.new_id(), mood=said["mood"], sleep=said["sleep"], anxiety=said["anxiety"])
    await talker.ask(command)
    month.check_ins += 1
    health = Health(heart_rate_variability_ms=HEART)
    await talker.ask(HealthShare(id=talker.new_id(), health=health))


async def _care(month: Month, person: Person, day: int, url: str, *, right: bool) -> None:
    """What is decided on this day, and a look at every view before and after it."""
    allowed = month.allowed[person.name]
    others = [each.word for each in month.people if each is not person]
    today_ = [each for each in person.decisions if each.day == day] if right else []
    async with caring(url, month.tokens[person.name], companion=person.companion) as carer:
        for decision in (None, *today_):
            if decision is not None and decision.by_person:
                async with connected(url) as talker:
                    await talker.hello(companion=person.companion, user=person.name)
                    await decide(talker, person, decision)
            elif decision is not None and not (decision.allow and decision.scope in allowed.no):
                await decide(carer, person, decision)
            else:
                if decision is not None:
                    continue
            if decision is not None:
                allowed.decide(decision)
            await look(
                carer,
                person,
                allowed,
                month.seen,
                talk=month.last_talk.get(person.name, NOWHERE),
                at=month.newest,
                certain=right,
                others=others,
            )
