"""Alerts: at once to those to whom it is safe, later to who comes later, and until somebody says that they look."""

from pathlib import Path

import anyio
import pytest
from msgspec.structs import replace

from loadtest.client import Talker, connected
from protocol.alert_frames import AlertAcknowledged, CareAcknowledge, CareEscalations
from protocol.care_frames import ConsentSet
from protocol.session_frames import AlertRaised, Ping, Pong
from protocol.talk_frames import SafetyShown
from server.settings import Contact, Contacts
from tests.server.caring import caring, token
from tests.server.serving import serving, settings
from tests.server.test_care import code_of
from tests.server.test_consents import result

FALL = "I have terrible chest pain and I cannot breathe."
ABUSE = "My carer hits me every evening."
ALL = CareEscalations(id="all")


async def said(url: str, *texts: str, user: str = "ann", companion: str = "clara") -> list[str]:
    """A person says it, and is told who is told."""
    async with connected(url) as person:
        await person.hello(user=user, companion=companion)
        for text in texts:
            await person.say(text)
        return [event.say for event in person.events if isinstance(event, SafetyShown)]


async def heard(carer: Talker) -> list[tuple[str, int]]:
    """Every alert that has come by now."""
    await carer.send(Ping(id=carer.new_id()))
    await carer.next(Pong)
    return [(each.category, each.level) for each in carer.events if isinstance(each, AlertRaised)]


async def marked(carer: Talker) -> AlertAcknowledged:
    """Who looks after it, as the carer heard first: before or behind the answer to what they sent."""
    while not (heard := [each for each in carer.events if isinstance(each, AlertAcknowledged)]):
        await carer.next(AlertAcknowledged)
    return heard[0]


async def test_an_alert_comes_at_once_to_those_whom_the_policy_names_and_abuse_to_safeguarding_alone(
    tmp_path: Path,
) -> None:
    maria, okafor = token(tmp_path), token(tmp_path, "Ms Okafor", role="safeguarding")
    async with (
        serving(settings(tmp_path, companion="clara")) as url,
        caring(url, maria) as carer,
        caring(url, okafor) as safe,
    ):
        told = await said(url, ABUSE, FALL)
        assert "Ms Okafor" in told[0]
        assert "Maria" not in told[0]
        assert "Maria" in told[1]
        medical = await carer.next(AlertRaised)
        assert (medical.user, medical.category, medical.seq) == ("ann", "medical", 1)
        assert "chest" not in medical.say
        abuse = await safe.next(AlertRaised)
        assert abuse.category == "abuse"
        assert [category for category, _ in await heard(carer)] == ["medical"], "which was raised after it"
        assert [category for category, _ in await heard(safe)] == ["abuse"]
        open_ones = replace(ALL, open=True)
        assert len((await result(carer, open_ones))["escalations"]) == 1
        assert (await result(safe, ALL))["escalations"][0]["category"] == "abuse"
        assert await code_of(carer, CareAcknowledge(id="x", alert=abuse.alert)) == "memory.unknown"


async def test_without_a_safeguarding_contact_abuse_is_told_to_nobody_then_or_later(tmp_path: Path) -> None:
    maria = token(tmp_path)
    async with serving(settings(tmp_path, companion="clara")) as url, caring(url, maria) as carer:
        told = await said(url, ABUSE)
        assert len(told) == 1
        assert "Maria" not in told[0]
        assert await heard(carer) == []
        assert (await result(carer, replace(ALL, open=True)))["escalations"] == []
    okafor = token(tmp_path, "Ms Okafor", role="safeguarding")
    async with serving(settings(tmp_path, companion="clara")) as url, caring(url, okafor) as safe:
        assert await heard(safe) == []


async def test_who_comes_later_is_told_what_is_open_even_after_a_restart(tmp_path: Path) -> None:
    maria = token(tmp_path)
    async with serving(settings(tmp_path, companion="clara")) as url:
        await said(url, FALL)
    for _ in range(2):  # nobody has acknowledged it in between
        async with serving(settings(tmp_path, companion="clara")) as url, caring(url, maria) as carer:
            alert = await carer.next(AlertRaised)
            assert (alert.category, alert.seq) == ("medical", 1)
    async with serving(settings(tmp_path, companion="clara")) as url, caring(url, maria) as carer:
        alert = await carer.next(AlertRaised)
        done = await result(carer, CareAcknowledge(id="1", alert=alert.alert))
        assert done["by"] == "Maria"
        again = await result(carer, CareAcknowledge(id="2", alert=alert.alert))
        assert again == done
    async with serving(settings(tmp_path, companion="clara")) as url, caring(url, maria) as carer:
        assert await heard(carer) == []


async def test_of_two_who_acknowledge_the_first_is_named_to_both_and_to_the_other_role_it_stays_open(
    tmp_path: Path,
) -> None:
    shown = [token(tmp_path, name) for name in ("Maria", "Otto")]
    okafor = token(tmp_path, "Ms Okafor", role="safeguarding")
    async with (
        serving(settings(tmp_path, companion="clara")) as url,
        caring(url, shown[0]) as maria,
        caring(url, shown[1]) as otto,
    ):
        await said(url, "I want to kill myself tonight.")
        (alert, _) = (await maria.next(AlertRaised), await otto.next(AlertRaised))
        async with anyio.create_task_group() as tasks:
            for each in (maria, otto):
                tasks.start_soon(each.ask, CareAcknowledge(id="a", alert=alert.alert))
        learned = await marked(maria), await marked(otto)
        assert learned[0].by == learned[1].by
        allowed = ConsentSet(id="c", scopes=("trends",), allow=True, basis="legal_representative")
        await maria.ask(allowed)
        (entry,) = (await result(maria, ALL))["escalations"]
        assert sorted(mark["by"] for mark in entry["acknowledged"]) == ["Maria", "Otto"]
        async with caring(url, okafor) as safe:
            assert (await safe.next(AlertRaised)).alert == alert.alert
            (theirs,) = (await result(safe, ALL))["escalations"]
            assert "acknowledged" not in theirs


async def test_a_crisis_that_grows_raises_anew(tmp_path: Path) -> None:
    maria = token(tmp_path)
    async with serving(settings(tmp_path, companion="clara")) as url, caring(url, maria) as carer:
        await said(url, FALL)
        first = await carer.next(AlertRaised)
        await carer.ask(CareAcknowledge(id="1", alert=first.alert))
        await said(url, "I want to kill myself tonight, the pills are here.")
        second = await carer.next(AlertRaised)
        assert second.alert != first.alert
        assert second.category == "self_harm"
        open_ones = (await result(carer, replace(ALL, open=True)))["escalations"]
        assert [each["alert"] for each in open_ones] == [second.alert]


async def test_what_was_looked_after_is_shown_to_a_caregiver_by_consent_with_filters_and_pages(
    tmp_path: Path,
) -> None:
    maria = token(tmp_path)
    async with serving(settings(tmp_path, companion="clara")) as url, caring(url, maria) as carer:
        await said(url, FALL, FALL, "I want to kill myself tonight.")
        await said(url, FALL, user="ben")
        assert await code_of(carer, ALL) == "policy.refused"
        await carer.ask(ConsentSet(id="c", scopes=("trends",), allow=True, basis="legal_representative"))
        whole = (await result(carer, ALL))["escalations"]
        assert [each["category"] for each in whole] == ["self_harm", "medical", "medical"]
        first = await result(carer, CareEscalations(id="p1", limit=2))
        rest = await result(carer, CareEscalations(id="p2", limit=2, cursor=first["next"]))
        assert [*first["escalations"], *rest["escalations"]] == whole
        assert rest["next"] is None
        one = await result(carer, CareEscalations(id="f", category="self_harm"))
        assert [each["category"] for each in one["escalations"]] == ["self_harm"]
        late = CareEscalations(id="l", since="2999-01-01T00:00:00.000Z")
        assert (await result(carer, late))["escalations"] == []
        assert await code_of(carer, CareEscalations(id="b", cursor="x")) == "frame.invalid"


@pytest.mark.parametrize("companion", ["clara", "serenity"])
async def test_a_grant_reaches_its_person_and_companion_alone(tmp_path: Path, companion: str) -> None:
    maria = token(tmp_path, companion=companion)
    async with (
        serving(settings(tmp_path)) as url,
        caring(url, maria, companion=companion) as carer,
    ):
        await said(url, FALL, user="ben")
        await said(url, FALL)
        if companion == "clara":
            assert (await carer.next(AlertRaised)).user == "ann"
        assert len(await heard(carer)) == (1 if companion == "clara" else 0)


async def test_who_is_family_is_nobodys_safeguarding_contact(tmp_path: Path) -> None:
    token(tmp_path, "Eva", role="safeguarding")
    chosen = replace(
        settings(tmp_path, companion="clara"), contacts=Contacts(caregiver=(Contact(name="eva"),))
    )
    async with serving(chosen) as url:
        (told,) = await said(url, ABUSE)
        assert "Eva" not in told
