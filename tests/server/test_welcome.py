"""Getting to know a person: one question after another, each of which may be left out, and where it was left."""

from pathlib import Path
from typing import Any

import pytest

from loadtest.client import connected
from loadtest.model_server import model_server
from protocol.person_frames import Profile, ProfileAnswer, ProfileGet, ProfileSet
from tests.companions.library import shipped
from tests.server.serving import serving, settings
from tests.server.test_commands import refused, result

SERENITY = shipped("serenity")[0]
ASKS = SERENITY.policy.welcome.asks
ANSWERS: dict[str, Any] = {  # Any: a line, lines or a number
    "preferred_name": "Annie",
    "name": "Annabel Reed",
    "pronouns": "she/her",
    "age": 42,
    "primary_goals": ("sleep better", "worry less"),
    "communication_style": "direct",
    "session_length": "brief",
    "topics_to_avoid": ("my brother",),
    "coping_strategies": ("walking",),
    "crisis_contact": "Mira",
    "therapist": "Dr. Osei",
    "country": "GB",
}


async def test_every_question_is_asked_in_the_companions_words_and_known_to_the_model(tmp_path: Path) -> None:
    async with (
        model_server() as model,
        serving(settings(tmp_path, model=f"openai:m@{model.url}/v1")) as url,
        connected(url) as talker,
    ):
        await talker.hello(user="ann", companion="serenity")
        now = await result(talker, ProfileGet(id=talker.new_id()))
        assert now["say"] == SERENITY.texts.welcome["begin"]
        asked: list[str] = []
        while now.get("ask"):
            field = now["ask"]["field"]
            assert now["ask"]["say"] == SERENITY.texts.welcome[field]
            asked.append(field)
            answer = ProfileAnswer(id=talker.new_id(), field=field, value=ANSWERS[field])
            now = await result(talker, answer)
        assert asked == list(ASKS)
        assert now["say"] == SERENITY.texts.welcome["done"]
        assert "missing" not in now
        await talker.talk("hello")
    prompt = str(model.talked[-1].json()["messages"][0]["content"])
    told = "Annie", "42", "she/her", "sleep better", "my brother", "walking", "Mira", "Dr. Osei", "brief"
    for word in told:
        assert word in prompt


async def test_what_is_left_out_is_not_asked_again_and_it_goes_on_after_a_restart(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann", companion="serenity")
        left_out = await result(talker, ProfileAnswer(id=talker.new_id(), field="preferred_name"))
        assert left_out["profile"] == {}
        assert left_out["ask"]["field"] == "name"
        assert "say" not in left_out, "the words of the beginning are said once"
        gentle = ProfileAnswer(id=talker.new_id(), field="communication_style", value="gentle")
        assert "communication_style" not in (await result(talker, gentle))["missing"], (
            "a usual value is an answer"
        )
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann", companion="serenity")
        now = await result(talker, ProfileGet(id=talker.new_id()))
        assert now["missing"] == [
            each for each in ASKS if each not in ("preferred_name", "communication_style")
        ]
        assert now["ask"]["field"] == "name"
        await talker.ask(ProfileSet(id=talker.new_id(), profile=Profile(name="Ann", age=42)))
        now = await result(talker, ProfileGet(id=talker.new_id()))
        assert now["ask"]["field"] == "pronouns", "what is known is not asked"
        changed = ProfileAnswer(id=talker.new_id(), field="name", value="Annabel")
        assert (await result(talker, changed))["profile"] == {"name": "Annabel", "age": 42}


async def test_an_answer_of_another_kind_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann", companion="serenity")
        wrong: list[tuple[Any, Any]] = [  # Any: fields with values they may not have
            ("age", "old"),
            ("age", 900),
            ("name", ("a", "b")),
            ("communication_style", "loud"),
            ("country", "Utopia"),
            ("primary_goals", "sleep"),
        ]
        for field, value in wrong:
            answer = ProfileAnswer(id=talker.new_id(), field=field, value=value)
            assert await refused(talker, answer) == "frame.invalid", (field, value)
        now = await result(talker, ProfileGet(id=talker.new_id()))
        assert (now["profile"], now["missing"]) == ({}, list(ASKS))


@pytest.mark.parametrize("companion", ["clara", "coach", "extremis", "maestro"])
async def test_who_may_know_nothing_of_it_asks_nothing(tmp_path: Path, companion: str) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann", companion=companion)
        assert await result(talker, ProfileGet(id=talker.new_id())) == {"profile": {}}
        answer = ProfileAnswer(id=talker.new_id(), field="name", value="Ann")
        assert await refused(talker, answer) == "policy.refused"
