"""Check-ins over days: what the person sees of them, what the model is told, and nothing where it is too little."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from companions.changes import AnyChange, ConversationClosed, MoodCheckedIn
from loadtest.client import Refusal, Talker, connected
from loadtest.model_server import ModelServer, model_server
from protocol.person_frames import MoodCheckIn
from protocol.trend_frames import MoodTrends
from tests.server.serving import serving, settings
from tests.server.test_care_trends import write
from tests.server.test_commands import result
from tests.storage.making import answered, begins, said

DAY = 24 * 3_600_000
ANN: dict[str, Any] = {"user": "ann", "companion": "serenity"}  # Any: keywords of structs


def check_in(number: int, at: int, **said: Any) -> MoodCheckedIn:  # Any: keywords of a struct
    given: dict[str, Any] = {"mood": None, "sleep": None, "anxiety": None, **said}
    return MoodCheckedIn(**ANN, at=at, check_in=f"chk_{number:03}", conversation=None, **given)


def talk(number: int, at: int) -> list[AnyChange]:
    """A talk of twelve minutes that ended."""
    name = f"t{number}"
    return [
        said(name, 1, **ANN, at=at, new=begins()),
        replace(answered(name, 2, **ANN), at=at),
        said(name, 3, "more", **ANN, at=at + 12 * 60_000),
        ConversationClosed(**ANN, at=at + 13 * 60_000, conversation=name, reason="asked", jobs=()),
    ]


def noon() -> int:
    """Noon of today, here: what lasts minutes around it is on one day, whenever this runs."""
    return round(datetime.now().astimezone().replace(hour=12, minute=0).timestamp() * 1_000)


def month(now: int) -> list[AnyChange]:
    """Ten days: mood rises, anxiety stays; talks on six of them, the last three days ago; one boot in 1970."""
    changes: list[AnyChange] = []
    for day in range(10):
        at = now - (12 - day) * DAY
        changes.append(check_in(day, at, mood=3 + day // 2, anxiety=5, stressors=("the move",)))
        if day >= 4:
            changes += talk(day, at + 60_000)
    changes.insert(12, check_in(99, 5_000, mood=4))
    return changes


async def test_the_model_is_told_where_things_go_and_on_how_much_that_rests(tmp_path: Path) -> None:
    write(tmp_path, month(noon()))
    async with (
        model_server() as model,
        serving(settings(tmp_path, model=f"openai:m@{model.url}/v1")) as url,
        connected(url) as talker,
    ):
        await talker.hello(user="ann", companion="serenity")
        await talker.talk("hello")
        first = system(model)
        await talker.talk("and another thing")
        assert system(model) == first, "it is frozen for a conversation"
    assert "Mood is rising (11 check-ins on 10 days, over 10 days)" in first
    assert "Anxiety is steady (10 check-ins on 10 days, over 10 days)" in first
    assert "Sleep is" not in first
    assert "Last talked 3 days ago" in first
    assert "Talks so far: 6, usually about 12 minutes" in first
    assert "What weighs on them: the move" in first
    assert "1970" not in first


def system(model: ModelServer) -> str:
    return str(model.talked[-1].json()["messages"][0]["content"])


async def test_the_person_sees_check_ins_with_what_they_show(tmp_path: Path) -> None:
    write(tmp_path, month(noon()))
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann", companion="serenity")
        found = await result(talker, MoodTrends(id="1"))
        assert (found["trends"]["mood"]["direction"], found["trends"]["mood"]["days"]) == ("rising", 10)
        assert found["habits"] == {"talks": 6, "minutes": 12} | found["habits"]
        assert [each["mood"] for each in found["check_ins"]][:2] == [3, 3]
        assert [each["check_in"] for each in found["check_ins"] if not each.get("sure", True)] == ["chk_099"]
        assert len((await result(talker, MoodTrends(id="2", limit=3)))["check_ins"]) == 3
        await talker.ask(MoodCheckIn(id=talker.new_id(), mood=9))
        latest = (await result(talker, MoodTrends(id="1")))["check_ins"][-1]
        assert latest["mood"] == 9, "a read runs again, also under the same id"


async def test_of_one_check_in_nothing_is_said_of_a_trend(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann", companion="serenity")
        assert await result(talker, MoodTrends(id="1")) == {
            "check_ins": [],
            "trends": {},
            "habits": {"talks": 0},
        }
        await talker.ask(MoodCheckIn(id=talker.new_id(), mood=9))
        found = await result(talker, MoodTrends(id="2"))
        assert (len(found["check_ins"]), found["trends"]) == (1, {})


@pytest.mark.parametrize("companion", ["clara", "coach", "extremis", "maestro"])
async def test_who_keeps_no_check_ins_shows_none(tmp_path: Path, companion: str) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann", companion=companion)
        assert await refused(talker) == "policy.refused"


async def refused(talker: Talker) -> str:
    with pytest.raises(Refusal) as found:
        await talker.ask(MoodTrends(id=talker.new_id()))
    return found.value.error.code
