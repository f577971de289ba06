"""What safeguarding keeps stays with it until the contact lets it be known, and again when that is taken back."""

from functools import partial
from pathlib import Path

from msgspec.structs import replace

from loadtest.client import Talker
from protocol.alert_frames import CareAcknowledge, CareChanged, CareRelease
from protocol.care_frames import CareEmotions, CareHistory, CareSummaries
from protocol.conversation_frames import ConversationClose
from protocol.memory_frames import MemoryErase
from protocol.session_frames import AlertRaised
from server.settings import Data
from tests.server.caring import caring, token
from tests.server.jobs_stage import Stage, playing, until
from tests.server.serving import serving, settings
from tests.server.test_alerts import said
from tests.server.test_care import code_of
from tests.server.test_consents import result
from tests.server.test_jobs import rows
from tests.server.test_leaks import unpaced
from tests.server.test_timeline import CANARY, SAID, allow, talked

ABUSE = SAID[3]


async def words(carer: Talker, talk: str) -> list[str]:
    page = await result(carer, CareHistory(id=carer.new_id(), conversation=talk))
    return [each["text"] for each in page["messages"] if each["role"] == "user"]


def more_summaries(stage: Stage, before: int) -> bool:
    return len(rows(stage, "SELECT 1 FROM summaries")) > before


async def test_what_is_released_is_seen_and_taken_back_it_is_not(tmp_path: Path) -> None:
    maria = token(tmp_path, companion="clara")
    okafor = token(tmp_path, "Ms Okafor", companion="clara", role="safeguarding")
    async with (
        playing(tmp_path, own=unpaced(tmp_path / "own")) as stage,
        caring(stage.url, maria) as carer,
        caring(stage.url, okafor) as safe,
    ):
        talk = await talked(stage)
        await allow(carer, "trends", "transcripts", "summaries")
        abuse = await safe.next(AlertRaised)
        assert abuse.category == "abuse"
        assert await words(carer, talk) == list(SAID[:3])
        release = CareRelease(id="r1", alert=abuse.alert, allow=True)
        assert await code_of(carer, release) in ("auth.forbidden", "memory.unknown")
        await safe.ask(release)
        await carer.next(CareChanged)
        assert await words(carer, talk) == list(SAID[:4]), "and what was said of self-harm stays"
        assert len((await result(carer, CareEmotions(id="e")))["emotions"]) == 4
        await safe.ask(CareRelease(id="r2", alert=abuse.alert, allow=False))
        assert await words(carer, talk) == list(SAID[:3])
        assert len((await result(carer, CareEmotions(id="f")))["emotions"]) == 3
        assert rows(stage, "SELECT name, ended_at IS NULL FROM releases") == [("Ms Okafor", 0)]


async def test_a_summary_made_after_a_release_counts_it_and_one_made_before_does_not(tmp_path: Path) -> None:
    okafor = token(tmp_path, "Ms Okafor", companion="clara", role="safeguarding")
    maria = token(tmp_path, companion="clara")
    async with (
        playing(tmp_path, own=unpaced(tmp_path / "own")) as stage,
        caring(stage.url, okafor) as safe,
        caring(stage.url, maria) as carer,
    ):
        await allow(carer, "summaries")
        for released in (False, True):
            before = len(rows(stage, "SELECT 1 FROM summaries"))
            async with stage.greeted(companion="clara") as ann:
                await ann.talk("Good morning.")
                await ann.talk(ABUSE)
                abuse = await safe.next(AlertRaised)
                if released:
                    await safe.ask(CareRelease(id="r", alert=abuse.alert, allow=True))
                await ann.ask(ConversationClose(id=ann.new_id()))
            await until(partial(more_summaries, stage, before))
            await safe.ask(CareAcknowledge(id=safe.new_id(), alert=abuse.alert))
        after, first = (each["text"] for each in (await result(carer, CareSummaries(id="s")))["summaries"])
        assert "2 messages" in first
        assert "4 messages" in after
        assert CANARY not in first


async def test_who_erases_does_not_erase_an_alert_that_safeguarding_has_not_seen_to(tmp_path: Path) -> None:
    okafor = token(tmp_path, "Ms Okafor", companion="clara", role="safeguarding")
    maria = token(tmp_path, companion="clara")
    calm = Data(folder=str(tmp_path), durability="process", erase_cool_down_seconds=0.0)
    async with serving(replace(settings(tmp_path, companion="clara"), data=calm)) as url:
        await said(url, ABUSE)
        async with caring(url, maria) as carer:
            asked = await result(carer, MemoryErase(id="1"))
            done = await result(carer, MemoryErase(id="2", code=asked["code"]))
            assert done["receipt"]["verified"] is True
        async with caring(url, okafor) as safe:
            alert = await safe.next(AlertRaised)
            assert alert.category == "abuse"
            release = CareRelease(id="r", alert=alert.alert, allow=True)
            assert await code_of(safe, release) == "memory.unknown", "what it was about is gone"
            await safe.ask(CareAcknowledge(id="a", alert=alert.alert))
