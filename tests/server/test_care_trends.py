"""Long-term trends for caregivers: what a month shows, on how much it rests, and what is in none of it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from companions.changes import AnyChange, Landed
from companions.remembered import permit
from protocol.trend_frames import CareTrends
from server.app import STORE_FILE
from server.reading_back import remembered
from storage.apply import apply_groups
from storage.connection import inline, transacted
from storage.order import date_confirmed
from tests.companions.library import shipped
from tests.server.caring import caring, token
from tests.server.serving import serving, settings
from tests.server.test_care import code_of
from tests.server.test_consents import result
from tests.server.test_timeline import allow
from tests.storage.making import answered, begins, emotion, narrative, repetition, said

DAYS = 28
ANN: dict[str, Any] = {"user": "ann", "companion": "clara"}  # Any: keywords of structs
STORY = shipped("clara")[0].narratives[0]


def at(day: int, hour: int) -> int:
    """Milliseconds of an hour of a day, by this device's own place."""
    local = datetime(2026, 3, 1, hour, tzinfo=UTC).replace(tzinfo=None) + timedelta(days=day)
    return round(local.astimezone().timestamp() * 1_000)


def talk(name: str, start: int, levels: list[float], *, crisis: str | None = None) -> list[AnyChange]:
    """A talk of one question after another; the first answer is a story."""
    changes: list[AnyChange] = []
    for place, distress in enumerate(levels):
        position, when = 2 * place + 1, start + 60_000 * place
        new = begins() if place == 0 else None
        message = said(name, position, "Where am I?", **ANN, at=when, new=new)
        read = emotion(message.message, "anxious", distress=distress, crisis_category=crisis)
        story = narrative(STORY.id) if place == 0 else None
        asked = repetition(message.message)
        given = answered(name, position + 1, **ANN, emotion=read, repetition=asked, narrative=story)
        changes += [message, _at(given, when)]
    return changes


def _at(change: Any, when: int) -> AnyChange:  # Any: a struct with a time

    moved: AnyChange = msgspec.structs.replace(change, at=when)
    return moved


def month() -> list[AnyChange]:
    """Calm mornings, uneasy evenings, less of both from week to week; stories ease the next message."""
    changes: list[AnyChange] = []
    for day in range(DAYS):
        less = 0.005 * day
        changes += talk(f"m{day}", at(day, 9), [0.4 - less, 0.2 - less, 0.2 - less])
        changes += talk(f"e{day}", at(day, 20), [0.7 - less, 0.5 - less, 0.5 - less])
    return changes


def write(folder: Path, changes: list[AnyChange]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with inline(folder / STORE_FILE) as store:
        store.db.execute("BEGIN IMMEDIATE")
        outcomes = apply_groups(store.db, [(change,) for change in changes])
        store.db.execute("COMMIT")
    assert outcomes == [Landed()] * len(changes)


async def asked(folder: Path, command: CareTrends) -> dict[str, Any]:  # Any: a result as plain JSON
    maria = token(folder, companion="clara")
    async with serving(settings(folder)) as url, caring(url, maria) as carer:
        assert await code_of(carer, CareTrends(id="no")) == "policy.refused"
        await allow(carer, "trends")
        found = await result(carer, command)
        await allow(carer, "trends", allow=False)
        assert await code_of(carer, CareTrends(id="no more")) == "policy.refused"
        return found


async def test_a_month_shows_what_is_usual_when_it_is_worse_and_what_eases_it(tmp_path: Path) -> None:
    write(tmp_path, month())
    found = await asked(tmp_path, CareTrends(id="1"))
    assert (found["days"], found["until"], found["messages"]) == (90, "2026-03-28", 6 * DAYS)
    assert (found["baseline"]["sessions"], found["baseline"]["unusual"]) == (30, False)
    assert found["parts"]["later"]["low"] > 0.2, "evenings lie 0.3 higher"
    assert (found["parts"]["morning_days"], found["parts"]["evening_days"]) == (DAYS, DAYS)
    assert found["direction"]["direction"] == "falling"
    assert [each["days"] for each in found["weeks"]] == [7, 7, 7, 7]
    assert [each["until"] for each in found["weeks"]][-1] == "2026-03-28"
    (often,) = found["questions"]
    assert (often["kind"], often["count"]) == ("location", 6 * DAYS)
    (story,) = found["stories"]
    assert (story["title"], story["uses"], story["verdict"]) == (STORY.title, 2 * DAYS, "calms")
    assert abs(story["change"]["middle"] + 0.2) < 0.01
    assert any("Mornings are calmer than evenings" in line for line in found["say"])


async def test_of_three_talks_nothing_is_said(tmp_path: Path) -> None:
    write(tmp_path, [*talk("a", at(0, 9), [0.4, 0.2]), *talk("b", at(1, 9), [0.5, 0.2])])
    found = await asked(tmp_path, CareTrends(id="1"))
    assert (found["messages"], found["sessions"], found["too_few"]) == (4, 2, 1)
    assert not {"baseline", "parts", "direction", "categories", "stories"} & set(found)
    assert any("enough" in line or "Asked about" in line for line in found["say"])


async def test_a_clock_that_jumped_moves_no_figure_by_the_hour(tmp_path: Path) -> None:
    """Ten years ahead for two nights, 1970 for two mornings: the days stay those they were, the hours are unknown."""
    jumped = month()
    ten_years = 3_652 * 24 * 3_600_000
    nights = [*talk("j1", at(9, 8) + ten_years, [0.9] * 4), *talk("j2", at(10, 8) + ten_years, [0.9] * 4)]
    boots = [*talk("j3", 5_000, [0.9] * 4), *talk("j4", 9_000, [0.9] * 4)]
    middle = len(jumped) // 2
    write(tmp_path / "jumped", [*jumped[:middle], *nights, *boots, *jumped[middle:]])
    write(tmp_path / "plain", month())
    with inline(tmp_path / "jumped" / STORE_FILE) as store:  # staff say what day it is
        transacted(store.db, lambda db: date_confirmed(db, at(DAYS, 9)))
    there = await asked(tmp_path / "jumped", CareTrends(id="1"))
    plain = await asked(tmp_path / "plain", CareTrends(id="1"))
    assert there["set_aside"] == 16
    assert (there["parts"], there["until"]) == (plain["parts"], plain["until"])
    assert there["direction"]["direction"] == "falling"


async def test_what_safeguarding_keeps_is_in_no_figure(tmp_path: Path) -> None:
    """Decision D25: a month with talks of abuse and self-harm among it shows what the month without them shows."""
    secret = [
        *talk("x1", at(3, 9), [1.0] * 5, crisis="abuse"),
        *talk("x2", at(20, 20), [1.0] * 5, crisis="self_harm"),
    ]
    write(tmp_path / "with", [*month(), *secret])
    write(tmp_path / "without", month())
    assert await asked(tmp_path / "with", CareTrends(id="1")) == await asked(
        tmp_path / "without", CareTrends(id="1")
    )


async def test_a_story_that_calmed_before_is_known_before_a_talk_and_is_in_no_prompt(tmp_path: Path) -> None:
    clara = shipped("clara")[0]
    write(tmp_path, month())
    with inline(tmp_path / STORE_FILE) as store:
        known = remembered(store.db, clara, user="ann", now=at(DAYS, 9))
        assert known.calmed_before == (STORY.id,)
        assert remembered(store.db, clara, user="ben", now=at(DAYS, 9)).calmed_before == ()
    permitted = permit(clara.policy.memory, known, health=None, stated_here=(), anchors=())
    assert STORY.id not in str(permitted)
