"""The person is told what others decided about them: once, in the companion's words, live or when they come."""

from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from loadtest.client import Refusal, Talker, connected
from protocol.alert_frames import CareChanged
from protocol.care_frames import CareEmotions, ConsentList, ConsentSet
from protocol.device_frames import DeviceUnlock
from protocol.session_frames import Notice
from protocol.talk_frames import GreetingGet
from protocol.times import rfc3339
from server.attending import LOOK_SECONDS
from server.ids import now_ms
from server.orders import AddPerson, ClaimDevice
from tests.server.caring import caring, token
from tests.server.serving import serving, settings
from tests.server.test_care import code_of
from tests.server.test_consents import result
from tests.server.test_entrance import at_rest, with_pin

CODE = "consent.told"
DATES_MS = (2_500, 10_000, 40_000)
"""How far ahead a date is: the nearest for which a machine is quick enough to see what holds until then."""
LOOKS_MS = round(2 * LOOK_SECONDS * 1_000)
ALLOWED = ConsentSet(id="1", scopes=("trends", "summaries"), allow=True, basis="legal_representative")


async def told(person: Talker, *, after: int = 0) -> list[str]:
    """What the person has been told by now, a reading later."""
    await result(person, ConsentList(id=person.new_id()))
    notices = [each.say or "" for each in person.events if isinstance(each, Notice) and each.code == CODE]
    return notices[after:]


async def test_who_comes_is_told_once_of_grants_and_consents_and_who_is_here_at_once(tmp_path: Path) -> None:
    maria = token(tmp_path)
    async with serving(settings(tmp_path, companion="clara")) as url:
        async with caring(url, maria) as carer:
            await carer.ask(ALLOWED)
        async with connected(url) as ann:
            await ann.hello(user="ann")
            (say,) = await told(ann)
            assert say.startswith(
                "Maria is one of those who look after you here. Maria, who acts for you in law,"
            )
            assert say.endswith("may see short summaries of our talks and how you have been feeling.")
            async with caring(url, maria) as carer:
                await carer.ask(
                    ConsentSet(id="2", scopes=("transcripts",), allow=True, basis="legal_representative")
                )
            assert "what we say to each other" in str(await told(ann, after=1))
        async with connected(url) as ben:
            await ben.hello(user="ben")
            assert await told(ben) == []
    async with serving(settings(tmp_path, companion="clara")) as url, connected(url) as ann:
        await ann.hello(user="ann")
        assert await told(ann) == []


async def test_on_a_device_of_several_people_it_waits_for_who_shows_their_pin(tmp_path: Path) -> None:
    token(tmp_path)
    before = (AddPerson(user="ann"), with_pin("ann", "271828"), ClaimDevice(name="Garden room"))
    _, shown = at_rest(tmp_path, *before)
    async with serving(settings(tmp_path, companion="clara")) as url:
        async with connected(url) as somebody:
            await somebody.hello(user="ann", token=shown)
            await somebody.ask(GreetingGet(id="g"))
            assert not [each for each in somebody.events if isinstance(each, Notice) and each.code == CODE]
            await somebody.ask(DeviceUnlock(id="pin", pin="271828"))
            assert len(await told(somebody)) == 1
        async with connected(url) as somebody:
            await somebody.hello(user="ann", token=shown)
            await somebody.ask(DeviceUnlock(id="pin", pin="271828"))
            assert await told(somebody) == []


async def test_what_was_taken_back_before_it_was_told_is_not_told(tmp_path: Path) -> None:
    maria = token(tmp_path)
    async with serving(settings(tmp_path, companion="clara")) as url:
        async with caring(url, maria) as carer:
            await carer.ask(ALLOWED)
            await carer.ask(
                ConsentSet(id="2", scopes=("trends", "summaries"), allow=False, basis="legal_representative")
            )
        async with connected(url) as ann:
            await ann.hello(user="ann")
            assert len(await told(ann)) == 1, "of the grant alone"


async def test_a_consent_that_runs_out_is_noticed_while_somebody_looks(tmp_path: Path) -> None:
    maria = token(tmp_path)
    async with serving(settings(tmp_path, companion="clara")) as url, caring(url, maria) as carer:
        for ahead_ms in DATES_MS:
            date = now_ms() + ahead_ms
            with suppress(Refusal):  # where it has run out already
                await carer.ask(replace(ALLOWED, id=carer.new_id(), review=rfc3339(date)))
                await carer.next(CareChanged)
                assert (await result(carer, CareEmotions(id=carer.new_id())))["emotions"] == []
            if now_ms() < date - LOOKS_MS:
                break
        else:
            pytest.fail("on this machine two commands take longer than any date is ahead")
        while now_ms() < date:  # what is told before it is of the decisions themselves
            await carer.next(CareChanged)
        assert await code_of(carer, CareEmotions(id="e2")) == "policy.refused"
