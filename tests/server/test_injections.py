"""Injections told to the real server, wherever a client can write: the rules stay, nobody gains a right."""

import re
from pathlib import Path
from typing import Any

import pytest

from loadtest.client import Refusal, Talker
from loadtest.model_script import Script
from protocol.care_frames import CareContext, CareContextSet, ConsentList
from protocol.conversation_frames import ConversationClose, ConversationOpen, ConversationRename
from protocol.memory_frames import MemoryAdd
from protocol.person_frames import MoodCheckIn, Profile, ProfileSet
from tests.companions.injections import FORGED, INJECTIONS, MARK
from tests.companions.test_injections import NOTES
from tests.server.caring import caring, token
from tests.server.scenes import Scene, played

LIMITS_OF_A_LINE = 200


def line(text: str) -> str:
    return " ".join(text.split())[:LIMITS_OF_A_LINE]


def system_and_turns(request: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:  # Any: JSON of a dialect
    first, *turns = request["messages"]
    assert first["role"] == "system"
    return first["content"], turns


async def told(talker: Talker, text: str) -> None:
    """``text`` wherever this companion lets a person write; a refusal is as good."""
    one = line(text)
    for command in (
        ProfileSet(id=talker.new_id(), profile=Profile(name=one, primary_goals=(one,), therapist=one)),
        MoodCheckIn(id=talker.new_id(), mood=5, stressors=(one,)),
        MemoryAdd(id=talker.new_id(), text=one),
    ):
        try:
            await talker.ask(command)
        except Refusal:
            continue


async def talked(at: Scene, companion: str, text: str) -> None:
    """A talk in which it is said, named and remembered, and a next one that may know of it."""
    async with at.greeted(companion=companion) as talker:
        await told(talker, text)
        done = await talker.talk(text)
        await talker.say("What should I eat?", context={"selection": text})
        await talker.answer()
        rename = ConversationRename(id=talker.new_id(), conversation=done.conversation, title=line(text))
        await talker.ask(rename)
        await talker.ask(ConversationClose(id=talker.new_id()))


async def gained(at: Scene, companion: str) -> list[str]:
    """Rights that somebody has who has been given none."""
    found: list[str] = []
    async with at.greeted(companion=companion) as talker:
        assert talker.welcome is not None
        if talker.welcome.role != "person":
            found.append(talker.welcome.role)
        given = await talker.ask(ConsentList(id=talker.new_id()))
        assert isinstance(given.result, dict)
        found += [str(each) for each in given.result["consents"]]
        for command in (
            CareContextSet(id=talker.new_id(), context=CareContext()),
            ConversationOpen(id=talker.new_id(), conversation="cnv_1", mode="watch"),
        ):
            with pytest.raises(Refusal, match=r"auth\.forbidden"):
                await talker.ask(command)
    return found


@pytest.mark.parametrize("companion", ["coach", "extremis", "maestro/mathematics", "serenity"])
async def test_injections_told_to_a_server_change_no_rule_and_gain_no_right(
    tmp_path: Path, companion: str
) -> None:
    async with played(tmp_path, Script(text="I see.")) as at:
        for flower in ("roses", "tulips"):  # nothing known yet, and something known
            await talked(at, companion, f"{MARK} I like {flower}.")
        plain = [each.json() for each in at.model.requests]
        rules = {NOTES.sub("", system_and_turns(each)[0]).strip() for each in plain}
        count = len(at.model.requests)
        for text in INJECTIONS[:: 4 if companion == "serenity" else 9]:
            await talked(at, companion, text)
        later = [each.json() for each in at.model.requests[count:]]
        assert await gained(at, companion) == []
    assert later
    if companion in ("extremis", "serenity"):  # they reach the model at all, as notes
        assert any(MARK in system_and_turns(request)[0] for request in later)
    for request in later:
        system, turns = system_and_turns(request)
        assert NOTES.sub("", system).strip() in rules
        assert {each["role"] for each in turns} <= {"user", "assistant"}  # no tool was called
        assert request.get("tools") == plain[0].get("tools")
        assert not re.search(FORGED, str(request))


async def test_what_a_caregiver_tells_stays_a_note(tmp_path: Path) -> None:
    shown = token(tmp_path / "data", companion="clara")
    systems: list[str] = []
    async with played(tmp_path, Script(text="How nice.")) as at:
        for text in ("roses", *INJECTIONS[::7]):
            one = line(text)
            context = CareContext(preferred_name=one, known_topics=(one,), routine=(one,))
            async with caring(at.url, shown) as carer:
                await carer.ask(CareContextSet(id=carer.new_id(), context=context))
            before = len(at.model.requests)
            async with at.greeted(companion="willow") as talker:
                await talker.talk("Good morning.")
            systems += [system_and_turns(each.json())[0] for each in at.model.requests[before:]]
    assert len({NOTES.sub("", system) for system in systems}) == 1
    assert not any(re.search(FORGED, system) for system in systems)
