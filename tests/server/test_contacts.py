"""Who is told of an alert, as an operator names them."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from companions.state import Who
from loadtest.client import connected
from protocol.talk_frames import SafetyShown
from server.casting import companions
from server.contacts import contacts_of
from server.settings import BadSetting, Contact, Contacts, load
from tests.server.serving import serving, settings

EVA = Contact(name="your daughter Eva", companion="clara", user="ann")
OKAFOR = Contact(name="Ms Okafor of the care team", companion="clara")
SCHOOL = Contact(name="Mr Lind, the school's counsellor", companion="maestro")


def who(companion: str, user: str) -> Who:
    return Who(session="s", space="s", user=user, companion=companion)


async def test_a_contact_is_there_for_the_persons_and_companions_it_is_named_for() -> None:
    there = contacts_of(Contacts(caregiver=(EVA,), safeguarding=(OKAFOR, SCHOOL)), companions(""))
    ann, ben = await there(who("clara", "ann")), await there(who("clara", "ben"))
    assert (ann.caregiver, ann.safeguarding) == ((EVA.name,), (OKAFOR.name,))
    assert (ben.caregiver, ben.safeguarding) == ((), (OKAFOR.name,))
    assert (await there(who("maestro/history", "ben"))).safeguarding == (SCHOOL.name,)
    assert (await there(who("serenity", "ann"))).safeguarding == ()


@pytest.mark.parametrize(
    ("caregiver", "safeguarding", "reason"),
    [
        (Contact(name="Eva", companion="clarissa"), None, "no such companion"),
        (Contact(name="Eva\nthe nurse"), None, "one line"),
        (Contact(name=" "), None, "one line"),
        (Contact(name="Eva"), Contact(name="eva", companion="clara"), "neither family nor caregiver"),
        (
            Contact(name="Eva", companion="maestro/history"),
            Contact(name="Eva", companion="maestro"),
            "neither",
        ),
        (Contact(name="Eva", companion="clara"), Contact(name="Eva", user="ann"), "neither"),
    ],
)
def test_a_contact_that_cannot_be_one_is_refused(
    caregiver: Contact, safeguarding: Contact | None, reason: str
) -> None:
    named = Contacts(caregiver=(caregiver,), safeguarding=(safeguarding,) if safeguarding else ())
    with pytest.raises(BadSetting, match=reason):
        contacts_of(named, companions(""))


async def test_the_same_name_for_two_persons_is_two_people() -> None:
    one, other = Contact(name="Eva", user="ann"), Contact(name="Eva", user="ben")
    there = contacts_of(Contacts(caregiver=(one,), safeguarding=(other,)), companions(""))
    assert (await there(who("clara", "ann"))).safeguarding == ()
    assert (await there(who("clara", "ben"))).safeguarding == ("Eva",)


def test_contacts_are_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "fireside.toml"
    file.write_text('[[contacts.caregiver]]\nname = "Eva"\nuser = "ann"\n', encoding="utf-8")
    assert load(file, {}).settings.contacts == Contacts(caregiver=(Contact(name="Eva", user="ann"),))
    file.write_text('[[contacts.caregiver]]\nname = "Eva"\nphone = "1"\n', encoding="utf-8")
    with pytest.raises(BadSetting, match=r"contacts\.caregiver.*phone"):
        load(file, {})


@pytest.mark.parametrize("named", [True, False])
async def test_the_person_is_told_who_is_told(tmp_path: Path, *, named: bool) -> None:
    there = Contacts(caregiver=(EVA,), safeguarding=(OKAFOR,)) if named else Contacts()
    chosen = replace(settings(tmp_path, companion="clara"), contacts=there)
    async with serving(chosen) as url, connected(url) as talker:
        await talker.hello(user="ann")
        await talker.say("My carer hits me every evening.")
        said = [event.say for event in talker.events if isinstance(event, SafetyShown)]
    assert len(said) == 1
    assert (OKAFOR.name in said[0]) is named
    assert EVA.name not in said[0]
