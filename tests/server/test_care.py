"""Those who care for a person: who they are, what they may, and what a companion knows from them."""

from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from loadtest.client import Refusal, Talker, connected
from protocol.care_frames import CareContext, CareContextGet, CareContextSet, ConsentList, ConsentSet
from protocol.catalogue import COMMANDS
from protocol.codec import decode_command
from protocol.conversation_frames import ConversationOpen
from protocol.errors import ErrorFrame
from protocol.frames import Command
from protocol.memory_frames import MemoryErase
from protocol.session_frames import Client, Hello, Ping
from server.app import STORE_FILE
from server.cli_grants import end_, give_, list_
from server.settings import Data
from storage.connection import read_only
from storage.grants import grant_of
from tests.protocol.golden import golden_frames
from tests.server.caring import caring, token
from tests.server.jobs_stage import playing
from tests.server.serving import serving, settings
from tests.server.test_consents import result

GIVEN = CareContext(
    preferred_name="Nana",
    known_topics=("the rose garden",),
    avoid_topics=("the war",),
    routine=("tea at four",),
)
FOR_CAREGIVERS = (
    ConsentSet,
    ConsentList,
    MemoryErase,  # where the person is shown no past
    ConversationOpen,  # to look on, with consent
    *(kind for name, kind in COMMANDS.items() if name.startswith("care.")),
)


def golden(name: str) -> Command:
    """A command as clients send it, with an id of its own."""
    return decode_command(golden_frames()[name].decode(), "json")


def stored_bytes(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in folder.glob(f"{STORE_FILE}*"))


async def code_of(talker: Talker, command: Command) -> str:
    with pytest.raises(Refusal) as refused:
        await talker.ask(command)
    return refused.value.code


async def test_what_a_caregiver_tells_is_known_to_clara_at_once_and_ever_after(tmp_path: Path) -> None:
    maria = token(tmp_path, companion="clara")
    async with (
        playing(tmp_path) as stage,
        stage.greeted(companion="clara") as ann,
        caring(stage.url, maria) as carer,
    ):
        await ann.talk("Good morning.")
        assert "rose garden" not in stage.last_prompt()
        await carer.ask(CareContextSet(id="1", context=GIVEN))
        known = await result(carer, CareContextGet(id="2"))
        assert known["by"] == "Maria"
        assert msgspec.convert(known["context"], CareContext) == GIVEN
        await ann.talk("What a nice day.")
        prompt = stage.last_prompt()
        assert all(word in prompt for word in ("Nana", "rose garden", "the war", "tea at four"))
    async with playing(tmp_path) as stage, stage.greeted(companion="clara") as ann:
        await ann.talk("Good morning.")
        assert "rose garden" in stage.last_prompt()
    async with playing(tmp_path) as stage, stage.greeted(companion="clara", user="ben") as ben:
        await ben.talk("Good morning.")
        assert "rose garden" not in stage.last_prompt()


@pytest.mark.parametrize("name", [name for name in COMMANDS if name.startswith("care.")])
async def test_a_person_in_open_mode_is_no_caregiver(tmp_path: Path, name: str) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as ann:
        await ann.hello(user="ann", companion="clara")
        assert await code_of(ann, golden(name)) == "auth.forbidden"


async def test_a_caregiver_does_nothing_that_is_the_persons(tmp_path: Path) -> None:
    maria = token(tmp_path)
    async with serving(settings(tmp_path)) as url, caring(url, maria) as carer:
        others = [name for name, kind in COMMANDS.items() if kind not in (Hello, Ping, *FOR_CAREGIVERS)]
        for name in others:
            assert await code_of(carer, golden(name)) == "auth.forbidden", name
        assert len(others) > 20


async def test_for_clara_a_caregiver_forgets_everything_and_says_so_twice(tmp_path: Path) -> None:
    maria = token(tmp_path)
    calm = replace(
        settings(tmp_path),
        data=Data(folder=str(tmp_path), durability="process", erase_cool_down_seconds=0.0),
    )
    async with serving(calm) as url, connected(url) as ann, caring(url, maria) as carer:
        await ann.hello(user="ann", companion="clara")
        await ann.talk("My heron stands by the pond.")
        assert await code_of(ann, MemoryErase(id=ann.new_id())) == "policy.refused"
        asked = await result(carer, MemoryErase(id="1"))
        assert asked["state"] == "confirm"
        done = await result(carer, MemoryErase(id="2", code=asked["code"]))
        assert done["state"] == "done"
        assert done["receipt"]["verified"] is True
        assert done["receipt"]["removed"]["messages"] == 2
        assert b"heron" not in stored_bytes(tmp_path)
        await ann.talk("Good morning.")
    async with serving(calm) as url, caring(url, maria, companion="serenity") as carer:
        assert await code_of(carer, MemoryErase(id="1")) == "auth.forbidden"


async def test_the_safeguarding_contact_sees_and_decides_nothing_of_a_caregivers(tmp_path: Path) -> None:
    safe = token(tmp_path, "Ms Okafor", role="safeguarding")
    async with serving(settings(tmp_path)) as url, caring(url, safe) as contact:
        for command in (CareContextGet(id="1"), ConsentList(id="2"), golden("consent.set")):
            assert await code_of(contact, command) == "auth.forbidden"


async def test_a_token_opens_its_person_and_companion_alone(tmp_path: Path) -> None:
    maria = token(tmp_path, companion="clara")
    client = Client(name="t", version="1")
    async with serving(settings(tmp_path)) as url, connected(url) as carer:
        await carer.send(Hello(id="1", client=client, companion="serenity", token=maria))
        assert (await carer.next(ErrorFrame)).code == "auth.forbidden"
        welcome = await carer.hello(companion="clara", token=maria)
        assert (welcome.user, welcome.role, welcome.conversation) == ("ann", "caregiver", None)
        assert welcome.features == ("care",)
        async with connected(url) as other:
            await other.send(Hello(id="1", client=client, companion="clara", user="ben", token=maria))
            assert (await other.next(ErrorFrame)).code == "auth.refused"


def test_staff_give_list_and_end_grants(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    token(tmp_path, "Otto")  # makes the store
    give_(name="Maria", role="caregiver", user="ann", companion="clara", basis="parent", data=tmp_path)
    name, shown = capsys.readouterr().out.split()
    with read_only(tmp_path / STORE_FILE) as db:
        found = grant_of(db, shown)
        kept = str(db.execute("SELECT * FROM grants").fetchall())
    assert found is not None
    assert (found.id, found.user, found.basis) == (name, "ann", "parent")
    assert shown not in kept
    list_(data=tmp_path)
    listed = capsys.readouterr().out
    assert name in listed
    assert shown not in listed
    with pytest.raises(SystemExit):
        give_(name="maria", role="safeguarding", user="ann", data=tmp_path)
    end_(name, data=tmp_path)
    with read_only(tmp_path / STORE_FILE) as db:
        assert grant_of(db, shown) is None


async def test_a_caregiver_consents_on_the_basis_of_their_grant_and_the_person_is_told(
    tmp_path: Path,
) -> None:
    maria = token(tmp_path)
    async with serving(settings(tmp_path)) as url, caring(url, maria) as carer, connected(url) as ann:
        allowed = ConsentSet(id="1", scopes=("trends",), allow=True, basis="legal_representative")
        await carer.ask(allowed)
        assert (
            await code_of(carer, msgspec.structs.replace(allowed, id="2", basis="parent")) == "policy.refused"
        )
        assert await code_of(carer, msgspec.structs.replace(allowed, scopes=("summaries",))) == "id.reused"
        await ann.hello(user="ann", companion="clara")
        (line,) = (await result(ann, ConsentList(id="3")))["say"]
        assert "can be seen by Maria. Maria, who acts for you in law, allowed it, until" in line
