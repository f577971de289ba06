"""A policy cannot leak (guarantee 10): whatever happens, the bytes that reach the model hold only what is allowed.

Random histories are played on the real server with a real store. Each prints its seed; with
``FIRESIDE_TEST_SEED=N`` it is played again. What proves that the look would find a leak stands beside it.
"""

import os
import re
import shutil
from pathlib import Path
from random import Random, SystemRandom
from typing import get_args

import msgspec
import pytest
from msgspec.structs import replace

from loadtest.client import connected
from loadtest.model_script import Script
from loadtest.model_server import Request
from tests.server.canaries import Ledger, Place
from tests.server.histories import House, Person, house
from tests.server.pasts import write_care, write_past
from tests.server.scenes import LIBRARY, PATIENT

USERS = ("ann", "ben")
COMPANIONS = ("clara", "coach", "extremis", "maestro/mathematics", "maestro/languages", "serenity")
DEEDS = 18
REMEMBERED = {  # what the first turn with a full past must bring, or the test would look at nothing
    "clara": {"caregiver"},
    "coach": {"said"},
    "extremis": {"fact"},
    "maestro": {"summary", "topic", "key_fact"},
    "serenity": {"profile", "check_in", "summary", "fact"},
}


NAMES = ("clara", "coach", "extremis", "maestro", "serenity")


def seed() -> int:
    """Of this run, said so that it can be given again."""
    number = int(os.environ.get("FIRESIDE_TEST_SEED") or SystemRandom().randrange(1_000_000))
    print(f"seed {number}: FIRESIDE_TEST_SEED={number} plays it again")
    return number


def unpaced(folder: Path) -> Path:
    """A folder with Clara as she ships, but for her slow voice."""
    shutil.copytree(LIBRARY / "clara", folder / "clara")
    toml = folder / "clara" / "companion.toml"
    toml.write_text(re.sub(r"\[pacing\]\n(?:.+\n)+", "", toml.read_text(encoding="utf-8")), encoding="utf-8")
    return folder


def permissive(folder: Path) -> Path:
    """A folder in which Clara has the policy of a companion that remembers across sessions."""
    shutil.copytree(LIBRARY / "serenity", folder / "clara")
    return folder


async def play(at: House, name: str, random: Random, *, care: bool = True) -> list[str]:
    """A history around one companion; what leaked. With ``care``, caregivers had told what they may tell."""
    write_past(at.chosen.folder / "fireside.db", at.ledger, USERS, COMPANIONS)
    if care:
        write_care(at.chosen.folder / "fireside.db", at.ledger, USERS, COMPANIONS)
    people = [Person(at, user, name, random) for user in USERS]
    others = [Person(at, "ann", each, random) for each in COMPANIONS if each.partition("/")[0] != name]
    if name == "maestro":
        others.append(Person(at, "ann", "maestro/languages", random))
        people = [Person(at, user, "maestro/mathematics", random) for user in USERS]
    await at.start()
    for person in people:
        await person.say("What should I eat today, {}?")
    found: list[str] = at.leaks()
    for number in range(DEEDS):
        await random.choice([*people, *people, random.choice(others)]).do_something()
        if number % 7 == 6:
            for person in (*people, *others):
                await person.leave()
            await at.stop()
            await at.start()
            for person in people:
                await person.come(random.choice(["resume", "last", "afresh"]))
        found += at.leaks()
    for person in people:
        await person.say("What should I eat, and what do you know of me, {}?")
        await person.leave()
    for person in others:
        await person.leave()
    return found + at.leaks()


@pytest.mark.parametrize("name", NAMES)
async def test_only_what_the_policy_allows_reaches_the_model_whatever_happens(
    tmp_path: Path, name: str
) -> None:
    number = seed()
    ledger = Ledger(Random(number))
    async with house(tmp_path / "data", ledger, unpaced(tmp_path / "own")) as at:
        assert await play(at, name, Random(number)) == []
        first = at.model.requests[:2]
        assert len(at.model.requests) >= DEEDS // 3
    places = {each.place for request in first for each in ledger.found(request.body.decode())}
    assert places - {"context"} == REMEMBERED[name] | {"said"}


# ---------------------------------------------------------------- the look finds what there is to be found


async def test_a_policy_that_lets_more_through_is_found_out(tmp_path: Path) -> None:
    ledger = Ledger(Random(1))
    async with house(tmp_path / "data", ledger, permissive(tmp_path / "own")) as at:
        leaks = await play(at, "clara", Random(1))
    for place in ("profile", "check_in", "summary"):
        assert any(leak.startswith(f"{place} of ann with clara") for leak in leaks)


def about(ledger: Ledger, word: str) -> list[str]:
    """What is found wrong with a request of Ann to Serenity that holds ``word``."""
    asked = ledger.plant("said", "ann", "serenity", session="ses_1")
    asked.conversation = "cnv_1"
    turns = [{"role": "system", "content": word}, {"role": "user", "content": f"Hello {asked.word}."}]
    return ledger.leaks(Request("POST", "/", {}, msgspec.json.encode({"messages": turns})), 5)


@pytest.mark.parametrize("place", get_args(Place))
def test_what_is_another_persons_or_another_companions_is_found_in_every_place(place: Place) -> None:
    ledger = Ledger(Random(1))
    for user, companion in (("ben", "serenity"), ("ann", "coach"), ("ann", "maestro/history")):
        assert about(ledger, ledger.plant(place, user, companion, session="ses_1").word)


def test_what_is_gone_and_what_was_measured_in_another_session_is_found() -> None:
    ledger = Ledger(Random(1))
    assert about(ledger, ledger.plant("health", "ann", "serenity", session="ses_0").word)
    assert not about(ledger, ledger.plant("health", "ann", "serenity", session="ses_1").word)
    summary = ledger.plant("summary", "ann", "serenity")
    assert not about(ledger, summary.word)
    summary.gone_from = 5
    assert about(ledger, summary.word)


async def test_what_is_measured_in_this_session_may_bear_on_another_answer_to_what_was_said_in_the_last(
    tmp_path: Path,
) -> None:
    ledger = Ledger(Random(1))
    async with house(tmp_path / "data", ledger, unpaced(tmp_path / "own")) as at:
        await at.start()
        ann = Person(at, "ann", "serenity", Random(1))
        await ann.say("Good morning, {}.")
        await ann.come("last")
        await ann.share_health()
        await ann.have_it_said_anew()
        assert {each.place for each in ledger.found(at.model.requests[-1].body.decode())} == {
            "health",
            "said",
        }
        assert at.leaks() == []
        await ann.come("last")
        await ann.have_it_said_anew()
        assert {each.place for each in ledger.found(at.model.requests[-1].body.decode())} == {"said"}
        await ann.leave()


# ---------------------------------------------------------------- no other session (D16)

MARK = "xylophone"
SITTING = (
    "Good morning, there is a {}.",
    "Where am I?",
    "I like roses and my {}.",
    "Where am I?",
    "I am scared and all alone with the {}.",
    "Where is my brother?",
    "Where am I?",
    "Tell me a story of a {}.",
    "What day is it, dear {}?",
    "Where am I?",
)
TROUBLE = {4: Script(status=500), 7: Script(fault="empty")}  # the companion speaks for itself


def one_story_each(own: Path) -> Path:
    """Clara with one story of each kind: which one is told is fixed."""
    for file in (own / "clara").glob("narratives/*.toml"):
        head, first, *_ = file.read_text(encoding="utf-8").split("[[narrative]]")
        file.write_text(f"{head}[[narrative]]{first}", encoding="utf-8")
    return own


async def sit(at: House) -> list[bytes]:
    """A session of Ann with Clara, with a restart in it: every byte that the model was sent."""
    asked: list[bytes] = []

    def play_the_same(request: Request) -> Script:
        if MARK.encode() not in request.body:
            return Script(text="Noted.")  # work after another talk
        asked.append(request.body)
        return TROUBLE.get(
            len(asked), Script(text=f"How good that is. The window is open, and {len(asked)} birds sing.")
        )

    at.model.choose = play_the_same
    point = None
    for texts in (SITTING[:6], SITTING[6:]):
        await at.start()
        async with connected(at.url) as talker:
            await talker.hello(companion="clara", user="ann", resume=point)
            for text in texts:
                await talker.talk(text.format(MARK))
            point = talker.resume_point()
        await at.stop()
    return asked


async def after_a_past(folder: Path, own: Path, random: Random | None) -> list[bytes]:
    """The same session, after nothing or after a past by chance."""
    ledger = Ledger(random or Random(0))
    async with house(folder, ledger, own) as at:
        if random is not None:
            await play(at, "clara", random, care=False)  # what caregivers told may be known: here nothing was
            await at.stop()
        # No answer of the session is cut short: the machine may be busy, and the window would hold other words.
        at.chosen = replace(at.chosen, model=replace(PATIENT, name=at.chosen.model.name))
        return await sit(at)


async def test_after_any_past_the_same_session_sends_the_model_the_same_bytes(tmp_path: Path) -> None:
    own = one_story_each(unpaced(tmp_path / "own"))
    number = seed()
    without = await after_a_past(tmp_path / "nothing", own, None)
    assert len(without) >= len(SITTING)
    assert await after_a_past(tmp_path / "past", own, Random(number)) == without


async def test_a_past_that_is_let_through_changes_the_bytes(tmp_path: Path) -> None:
    own = permissive(tmp_path / "own")
    without = await after_a_past(tmp_path / "nothing", own, None)
    assert await after_a_past(tmp_path / "past", own, Random(1)) != without
