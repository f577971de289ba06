"""What caregivers may see of a person's talks: with live consent, scope by scope, and never what safeguarding keeps."""

from pathlib import Path
from typing import Any

import pytest

from companions.consenting import Scope
from loadtest.client import Talker
from protocol.care_frames import CareEmotions, CareHistory, CareRepetition, CareSummaries, ConsentSet
from protocol.conversation_frames import ConversationClose
from protocol.frames import Command
from protocol.trend_frames import CareTrends
from tests.server.caring import caring, token
from tests.server.jobs_stage import Stage, playing, until
from tests.server.test_care import code_of
from tests.server.test_consents import result
from tests.server.test_jobs import rows
from tests.server.test_leaks import unpaced

CANARY = "quokka"
SAID = (
    "What time is it?",
    "I am so happy about my roses today.",
    "What time is it now?",
    "My quokka son hits me when nobody is there.",
    "Sometimes I want to kill myself with the quokka pills.",
)
VIEWS: dict[str, Scope] = {
    "care.emotions": "trends",
    "care.repetition": "trends",
    "care.trends": "trends",
    "care.summaries": "summaries",
    "care.history": "transcripts",
}


def view(name: str, conversation: str) -> Command:
    commands: dict[str, Command] = {
        "care.emotions": CareEmotions(id="v1"),
        "care.repetition": CareRepetition(id="v2"),
        "care.trends": CareTrends(id="v5"),
        "care.summaries": CareSummaries(id="v3"),
        "care.history": CareHistory(id="v4", conversation=conversation),
    }
    return commands[name]


async def talked(stage: Stage, *, user: str = "ann") -> str:
    """A talk of Clara's from beginning to end, and its summary is made."""
    before = len(rows(stage, "SELECT 1 FROM summaries"))
    async with stage.greeted(companion="clara", user=user) as talker:
        for text in SAID:
            await talker.talk(text)
        ack = await talker.ask(ConversationClose(id=talker.new_id()))
        assert isinstance(ack.result, dict)
    await until(lambda: len(rows(stage, "SELECT 1 FROM summaries")) > before)
    return str(ack.result["conversation"])


async def allow(carer: Talker, *scopes: Scope, allow: bool = True) -> None:
    await carer.ask(ConsentSet(id=carer.new_id(), scopes=scopes, allow=allow, basis="legal_representative"))


async def test_each_view_needs_its_own_consent_and_holds_nothing_that_safeguarding_keeps(
    tmp_path: Path,
) -> None:
    maria = token(tmp_path, companion="clara")
    async with playing(tmp_path, own=unpaced(tmp_path / "own")) as stage:
        talk = await talked(stage)
        assert len(rows(stage, "SELECT 1 FROM emotions")) == len(SAID)
        async with caring(stage.url, maria) as carer:
            for name, scope in VIEWS.items():
                assert await code_of(carer, view(name, talk)) == "policy.refused"
                await allow(carer, scope)
                for other in VIEWS:
                    if VIEWS[other] == scope:
                        page = await result(carer, view(other, talk))
                        assert CANARY not in str(page)
                    else:
                        assert await code_of(carer, view(other, talk)) == "policy.refused"
                await allow(carer, scope, allow=False)
                assert await code_of(carer, view(name, talk)) == "policy.refused"


async def test_the_timeline_tells_feelings_questions_summaries_and_words(tmp_path: Path) -> None:
    maria = token(tmp_path, companion="clara")
    async with playing(tmp_path, own=unpaced(tmp_path / "own")) as stage, caring(stage.url, maria) as carer:
        talk = await talked(stage)
        await talked(stage, user="ben")
        await allow(carer, "trends", "summaries", "transcripts")
        feelings = (await result(carer, CareEmotions(id="1")))["emotions"]
        assert len(feelings) == 3, "what was said of abuse and self-harm is not counted"
        assert all(each["emotion"] and 0 <= each["distress"] <= 1 for each in feelings)
        asked = await result(carer, CareRepetition(id="2"))
        assert sum(asked["types"].values()) == 3
        assert (asked["days"], asked["types"]["time"], asked["chronic"]) == (7, 2, [])
        (summary,) = (await result(carer, CareSummaries(id="3")))["summaries"]
        assert summary["conversation"] == talk
        words = (await result(carer, CareHistory(id="4", conversation=talk)))["messages"]
        assert [each["text"] for each in words if each["role"] == "user"] == list(SAID[:3])
        assert len(words) == 6
        (theirs,) = rows(stage, "SELECT id FROM conversations WHERE user_id = 'ben'")
        foreign = CareHistory(id="5", conversation=str(theirs[0]))
        assert await code_of(carer, foreign) == "conversation.unknown"


async def test_pages_follow_one_another_without_a_gap(tmp_path: Path) -> None:
    maria = token(tmp_path, companion="clara")
    async with playing(tmp_path, own=unpaced(tmp_path / "own")) as stage, caring(stage.url, maria) as carer:
        talk = await talked(stage)
        await allow(carer, "trends", "transcripts")
        whole = (await result(carer, CareEmotions(id="1")))["emotions"]
        assert await paged(carer, CareEmotions(id="p", limit=1), "emotions") == whole
        words = (await result(carer, CareHistory(id="2", conversation=talk)))["messages"]
        pages = await paged(carer, CareHistory(id="q", conversation=talk, limit=3), "messages")
        assert sorted(map(str, pages)) == sorted(map(str, words))
        late = CareEmotions(id="3", since="2999-01-01T00:00:00.000Z")
        assert (await result(carer, late))["emotions"] == []
        assert await code_of(carer, CareEmotions(id="4", cursor="x")) == "frame.invalid"


async def paged(carer: Talker, command: Any, key: str) -> list[dict[str, Any]]:  # Any: frames with a cursor
    found: list[dict[str, Any]] = []
    while True:
        page = await result(carer, command)
        found += page[key]
        if page["next"] is None:
            return found
        command = type(command)(
            **{
                name: getattr(command, name)
                for name in command.__struct_fields__
                if name not in ("id", "cursor")
            },
            id=carer.new_id(),
            cursor=page["next"],
        )


@pytest.mark.parametrize("scope", ["transcripts"])
async def test_the_persons_no_stops_words_whatever_others_granted(tmp_path: Path, scope: Scope) -> None:
    maria = token(tmp_path, companion="clara")
    async with playing(tmp_path, own=unpaced(tmp_path / "own")) as stage, caring(stage.url, maria) as carer:
        talk = await talked(stage)
        await allow(carer, scope)
        assert (await result(carer, view("care.history", talk)))["messages"]
        async with stage.greeted(companion="clara") as ann:
            await ann.ask(ConsentSet(id="no", scopes=(scope,), allow=False))
        assert await code_of(carer, view("care.history", talk)) == "policy.refused"
        await allow(carer, scope)
        assert await code_of(carer, view("care.history", talk)) == "policy.refused"
