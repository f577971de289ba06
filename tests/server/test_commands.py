"""What a person tells about themselves and asks of an answer, as each companion's policy has it."""

from pathlib import Path
from typing import Any

import anyio
import pytest

from actors.health import health_of
from loadtest.client import Refusal, Talker, connected
from loadtest.model_script import Script
from loadtest.model_server import ModelServer
from protocol.conversation_frames import ConversationClose, ConversationCreate, ConversationHistory
from protocol.frames import Command
from protocol.person_frames import (
    Health,
    HealthShare,
    MoodCheckIn,
    Profile,
    ProfileGet,
    ProfileSet,
    Sleep,
)
from protocol.session_frames import Client, Hello
from protocol.talk_frames import GreetingGet, ResponseFeedback, ResponseRegenerate
from tests.server.scenes import GUARDED, played

MINE = Health(last_night=Sleep(minutes=377, quality="poor"), steps_today=4_321, resting_heart_rate=61)
YES = Script(text="Yes.")


def asked(model: ModelServer, number: int = -1) -> str:
    """What the model was given, as it travelled."""
    return model.requests[number].body.decode()


async def result(talker: Talker, command: Command) -> dict[str, Any]:  # Any: results as plain JSON
    ack = await talker.ask(command)
    assert isinstance(ack.result, dict)
    return ack.result


async def refused(talker: Talker, command: Command) -> str:
    with pytest.raises(Refusal) as error:
        await talker.ask(command)
    return error.value.code


async def test_a_profile_is_kept_given_back_and_known_to_the_model(tmp_path: Path) -> None:
    profile = Profile(preferred_name="Annie", primary_goals=("to sleep well",), communication_style="direct")
    async with played(tmp_path, YES) as scene:
        async with scene.greeted() as talker:
            assert (await result(talker, ProfileGet(id=talker.new_id())))["profile"] == {}
            await talker.ask(ProfileSet(id=talker.new_id(), profile=profile))
            await talker.talk("Good morning to you.")
            assert "Annie" in asked(scene.model)
            assert "to sleep well" in asked(scene.model)
        async with scene.greeted() as later:
            kept = await result(later, ProfileGet(id=later.new_id()))
            assert (kept["profile"]["preferred_name"], kept["profile"]["communication_style"]) == (
                "Annie",
                "direct",
            )
        async with scene.greeted(user="ben") as other:
            assert (await result(other, ProfileGet(id=other.new_id())))["profile"] == {}


async def test_a_check_in_is_known_to_the_model(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        check_in = MoodCheckIn(id=talker.new_id(), mood=3, stressors=("the move to Lisbon",))
        assert (await result(talker, check_in))["check_in"].startswith("chk_")
        await talker.talk("Good morning to you.")
        assert "the move to Lisbon" in asked(scene.model)


async def test_health_is_known_in_that_session_alone_and_can_be_withdrawn(tmp_path: Path) -> None:
    shared = health_of(HealthShare(id="1", health=MINE))
    assert shared is not None
    line = shared.lines[0]
    async with played(tmp_path, YES) as scene:
        async with scene.greeted() as talker:
            await talker.ask(HealthShare(id="share", health=MINE))
            await talker.talk("Good morning to you.")
            assert line in asked(scene.model)
            await talker.ask(
                HealthShare(id="share", health=MINE)
            )  # again under its id: nothing is kept for that
            await talker.ask(HealthShare(id=talker.new_id(), health=None))
            await talker.talk("And now?")
            assert line not in asked(scene.model)
            await talker.ask(HealthShare(id=talker.new_id(), health=MINE))
        async with scene.greeted() as other:
            await other.talk("Good morning to you.")
            assert line not in asked(scene.model)


@pytest.mark.parametrize("companion", [GUARDED, "coach", "extremis"])
async def test_a_companion_without_that_memory_refuses_what_feeds_it(tmp_path: Path, companion: str) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted(companion=companion) as talker:
        welcome = talker.welcome
        assert welcome is not None
        assert {"health", "check_in"}.isdisjoint(welcome.features)
        assert await refused(talker, HealthShare(id=talker.new_id(), health=MINE)) == "policy.refused"
        assert await refused(talker, MoodCheckIn(id=talker.new_id(), mood=3)) == "policy.refused"
        if companion == GUARDED:
            profile = ProfileSet(id=talker.new_id(), profile=Profile(name="Ann"))
            assert await refused(talker, profile) == "policy.refused"
        await talker.talk("Good morning to you.")
        assert "6.3 hours" not in asked(scene.model)


async def test_a_tutors_greeting_knows_the_last_session_and_claras_does_not(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene:
        for companion in ("maestro", GUARDED):
            async with scene.greeted(companion=companion) as talker:
                first = await result(talker, GreetingGet(id=talker.new_id()))
                assert first["topics"] == []
                await talker.talk(
                    "Today I want to understand fractions, how to add fractions and compare fractions."
                )
                await talker.talk("My homework is about fractions too.")
                await talker.ask(ConversationClose(id=talker.new_id()))
        async with scene.greeted(companion="maestro") as talker:
            with anyio.fail_after(60):
                while not (again := await result(talker, GreetingGet(id=talker.new_id())))["topics"]:
                    await talker.talk("Wait a little.")  # the summary is made beside the talk
            assert again["topics"][0] in again["text"]
        async with scene.greeted(companion=GUARDED) as talker:
            again = await result(talker, GreetingGet(id=talker.new_id()))
            assert again["topics"] == []
            assert "fraction" not in again["text"]


async def test_a_session_type_is_taken_at_hello_and_at_create(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene:
        async with scene.greeted(user="ben") as talker:
            await talker.talk("Good morning to you.")
            plain = asked(scene.model)
        async with scene.greeted(user="cleo") as talker:
            await talker.ask(ConversationCreate(id=talker.new_id(), session_type="goal_review"))
            await talker.talk("Good morning to you.")
            review = asked(scene.model)
            code = await refused(talker, ConversationCreate(id=talker.new_id(), session_type="dance"))
            assert code == "policy.refused"
            await talker.talk("Still here?")
        async with connected(scene.url) as talker:
            hello = Hello(
                id="h", client=Client(name="t", version="1"), companion="serenity", session_type="goal_review"
            )
            await talker.send(hello)
            await talker.receive()
            await talker.talk("Good morning to you.")
            assert asked(scene.model) == review != plain
        async with connected(scene.url) as talker:
            await talker.send(
                Hello(
                    id="h", client=Client(name="t", version="1"), companion="serenity", session_type="dance"
                )
            )
            error = await talker.receive()
            assert getattr(error, "code", None) == "policy.refused"


async def test_another_answer_replaces_the_old_one_in_the_style_asked_for(tmp_path: Path) -> None:
    scripts = (Script(text="A long answer."), Script(text="Short."))
    async with played(tmp_path, *scripts) as scene, scene.greeted() as talker:
        done = await talker.talk("Good morning to you.")
        first = asked(scene.model)
        bodies: list[str] = []
        for style in ("again", "shorter", "simpler"):
            await talker.ask(ResponseRegenerate(id=talker.new_id(), message=done.message, style=style))
            new = await talker.answer()
            assert (new.message, new.text, new.status) == (done.message, "Short.", "completed")
            bodies.append(asked(scene.model))
        assert len({first, *bodies}) == 4
        assert all("A long answer." not in body for body in bodies)
        page = await result(talker, ConversationHistory(id=talker.new_id(), conversation=done.conversation))
        assert [each["text"] for each in page["messages"]] == ["Good morning to you.", "Short."]


async def test_an_answer_is_not_made_anew_where_the_policy_says_no(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted(companion=GUARDED) as talker:
        done = await talker.talk("Good morning to you.")
        again = ResponseRegenerate(id=talker.new_id(), message=done.message)
        assert await refused(talker, again) == "policy.refused"


async def test_feedback_is_kept_and_feedback_on_nothing_is_refused(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as talker, scene.greeted(user="ben") as ben:
        done = await talker.talk("Good morning to you.")
        await talker.ask(ResponseFeedback(id=talker.new_id(), response=done.response, value=1))
        await talker.ask(ResponseFeedback(id=talker.new_id(), response=done.response, action="copied"))
        nothing = "rsp_00000000-0000-7000-8000-000000000000"
        assert await refused(talker, ResponseFeedback(id=talker.new_id(), response=nothing, value=1)) != ""
        assert await refused(ben, ResponseFeedback(id=ben.new_id(), response=done.response, value=-1)) != ""
