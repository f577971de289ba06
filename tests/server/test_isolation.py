"""Every question to the store names its user: whatever one person asks, nothing of another comes back or changes.

Two people with a canary in every kind of memory. One of them sends every command that a person may send, with the
other's ids, in an order by chance; a command that is new and has no case here fails the test. With
``FIRESIDE_TEST_SEED=N`` an order is played again.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from loadtest.client import Refusal, Talker, connected
from loadtest.model_script import Script
from protocol.access import ACCESS, WATCH
from protocol.audit_frames import AuditQuery
from protocol.care_frames import ConsentList, ConsentSet
from protocol.codec import encode
from protocol.conversation_frames import (
    ConversationArchive,
    ConversationClose,
    ConversationCreate,
    ConversationDelete,
    ConversationHistory,
    ConversationList,
    ConversationOpen,
    ConversationRename,
    ConversationRestore,
    ConversationSummarize,
)
from protocol.device_frames import DeviceLock, DeviceUnlock
from protocol.frames import Command
from protocol.memory_frames import (
    MemoryAdd,
    MemoryEdit,
    MemoryErase,
    MemoryExport,
    MemoryForget,
    MemoryList,
    MemoryPin,
    MemorySearch,
    MemorySettings,
    MemoryUndo,
    MemoryWhy,
)
from protocol.person_frames import (
    Health,
    HealthShare,
    MoodCheckIn,
    Profile,
    ProfileAnswer,
    ProfileGet,
    ProfileSet,
)
from protocol.session_frames import Resume
from protocol.talk_frames import (
    GreetingGet,
    MessageSend,
    ResponseCancel,
    ResponseFeedback,
    ResponseRegenerate,
)
from protocol.trend_frames import MoodTrends
from server.app import STORE_FILE
from tests.server.canaries import Ledger
from tests.server.pasts import write_past
from tests.server.scenes import Scene, played
from tests.server.test_leaks import seed
from tests.server.test_pages_and_door import asked

USERS = ("ann", "ben")
COMPANIONS = ("clara", "extremis", "serenity")


@dataclass(frozen=True)
class Others:
    """What another person's memory is called."""

    talk: str
    message: str
    response: str
    fact: str
    summary: str
    word: str  # that was said there


Make = Callable[[Others], Sequence[Command]]
CASES: dict[str, Make] = {
    "message.send": lambda o: [MessageSend(id="1", text=f"What do you know of {o.word} and {o.talk}?")],
    "response.cancel": lambda o: [ResponseCancel(id="2", response=o.response)],
    "response.regenerate": lambda o: [ResponseRegenerate(id="3", message=o.message)],
    "response.feedback": lambda o: [ResponseFeedback(id="4", response=o.response, value=1)],
    "greeting.get": lambda _: [GreetingGet(id="5")],
    "conversation.create": lambda _: [ConversationCreate(id="6")],
    "conversation.close": lambda _: [ConversationClose(id="7")],
    "conversation.list": lambda o: [
        ConversationList(id="8"),
        ConversationList(id="8a", archived=True),
        ConversationList(id="8b", query=o.word),
        *(ConversationList(id=f"8{each}", companion=each) for each in COMPANIONS),
    ],
    "conversation.history": lambda o: [
        ConversationHistory(id="9", conversation=o.talk),
        ConversationHistory(id="9a", conversation=o.talk, before=3),
    ],
    "conversation.open": lambda o: [ConversationOpen(id="10", conversation=o.talk)],
    WATCH: lambda o: [ConversationOpen(id="11", conversation=o.talk, mode="watch")],
    "conversation.rename": lambda o: [ConversationRename(id="12", conversation=o.talk, title="Mine")],
    "conversation.archive": lambda o: [ConversationArchive(id="13", conversation=o.talk)],
    "conversation.restore": lambda o: [ConversationRestore(id="14", conversation=o.talk)],
    "conversation.delete": lambda o: [ConversationDelete(id="15", conversation=o.talk)],
    "conversation.summarize": lambda o: [ConversationSummarize(id="16", conversation=o.talk)],
    "memory.list": lambda _: [MemoryList(id="17")],
    "memory.search": lambda o: [MemorySearch(id="18", query=o.word), MemorySearch(id="18a", query="walnuts")],
    "memory.add": lambda _: [MemoryAdd(id="19", text="I like the sea")],
    "memory.edit": lambda o: [
        MemoryEdit(id="20", item=o.fact, text="Mine"),
        MemoryEdit(id="20a", item=o.summary, text="Mine"),
    ],
    "memory.pin": lambda o: [MemoryPin(id="21", item=o.fact)],
    "memory.forget": lambda o: [
        *(
            MemoryForget(id=f"22{item}{preview}"[:120], item=item, preview=preview)
            for item in (o.fact, o.summary, o.message)
            for preview in (True, False)
        ),
        MemoryForget(id="22", category="preference", preview=True),
        MemoryForget(id="22a", category="preference"),
    ],
    "memory.undo": lambda _: [MemoryUndo(id="23")],
    "memory.why": lambda o: [MemoryWhy(id="24", response=o.response)],
    "memory.export": lambda _: [MemoryExport(id="25"), MemoryExport(id="25a", format="html")],
    "memory.erase": lambda _: [MemoryErase(id="26")],
    "memory.settings": lambda _: [MemorySettings(id="27")],
    "profile.get": lambda _: [ProfileGet(id="28")],
    "profile.set": lambda _: [ProfileSet(id="29", profile=Profile(name="Ben"))],
    "profile.answer": lambda _: [ProfileAnswer(id="30", field="name", value="Ben")],
    "mood.check_in": lambda _: [MoodCheckIn(id="31", mood=5)],
    "mood.trends": lambda _: [MoodTrends(id="32")],
    "health.share": lambda _: [HealthShare(id="33", health=Health(steps_today=5))],
    "consent.set": lambda _: [ConsentSet(id="34", scopes=("trends",), allow=True)],
    "consent.set (no)": lambda _: [ConsentSet(id="35", scopes=("trends",), allow=False)],
    "consent.list": lambda _: [ConsentList(id="36")],
    "audit.query": lambda _: [AuditQuery(id="37")],
    "device.unlock": lambda _: [DeviceUnlock(id="38", pin="123456")],
    "device.lock": lambda _: [DeviceLock(id="39")],
}
READS = (
    "conversation.history",
    "memory.list",
    "memory.search",
    "memory.export",
    "profile.get",
    "mood.trends",
)
LAST = ("device.unlock", "device.lock")


def test_every_command_of_a_person_has_a_case() -> None:
    of_a_person = {kind for kind, roles in ACCESS.items() if "person" in roles}
    assert set(CASES) == of_a_person - {"hello", "ping"} | {WATCH}


async def told(at: Scene, talker: Talker, command: Command) -> str:
    """Everything that came after a command, the answer and a file that it leads to included."""
    talker.events.clear()
    try:
        ack = await talker.ask(command)
    except Refusal as refusal:
        return refusal.error.message + "".join(encode(each, "json").decode() for each in talker.events)
    if isinstance(command, MessageSend | ResponseRegenerate):
        await talker.answer()
    text = "".join(encode(each, "json").decode() for each in talker.events)
    result: Any = ack.result  # Any: results as plain JSON
    if isinstance(command, MemoryExport):
        path = next(value for value in result.values() if isinstance(value, str) and value.startswith("/"))
        text += (await asked(int(at.url.rsplit(":", 1)[1].removesuffix("/ws")), path)).body.decode()
    return text


async def state(at: Scene, user: str, companion: str, ids: Others) -> dict[str, str]:
    """What somebody finds of their own, by the kind of the question."""
    found: dict[str, str] = {}
    async with connected(at.url) as talker:
        await talker.hello(companion=companion, user=user)
        for kind in READS:
            found[kind] = "".join([await told(at, talker, each) for each in CASES[kind](ids)])
    return found


async def lived(at: Scene, ledger: Ledger, user: str, companion: str) -> tuple[Others, Resume]:
    """A talk of today; what all that is called."""
    name = f"cnv_{user}_{companion}"
    word = next(
        each.word
        for each in ledger.planted.values()
        if (each.user, each.companion, each.place) == (user, companion, "said")
    )
    async with connected(at.url) as talker:
        await talker.hello(companion=companion, user=user)
        done = await talker.talk(f"Good morning, it is about {word}.")
        ids = Others(name, f"msg_{name}_1", done.response, f"fct_{name}", f"sum_{name}", word)
        return ids, talker.resume_point()


def owners(ledger: Ledger, text: str, word: str) -> set[str]:
    """Whose canaries ``text`` holds, but for ``word``, which whoever asked had said themselves."""
    return {each.user for each in ledger.found(text) if each.word != word}


@pytest.mark.parametrize("companion", COMPANIONS)
async def test_whatever_one_person_asks_nothing_of_another_comes_back_or_changes(
    tmp_path: Path, companion: str
) -> None:
    random = Random(seed())
    ledger = Ledger(random)
    write_past(tmp_path / "data" / STORE_FILE, ledger, USERS, COMPANIONS)
    async with played(tmp_path, Script(text="I see.")) as at:
        ids, session = await lived(at, ledger, "ann", companion)
        before = await state(at, "ann", companion, ids)
        asked_before = len(at.model.requests)
        kinds = [kind for kind in CASES if kind not in LAST]
        random.shuffle(kinds)
        seen = ""
        async with connected(at.url) as talker:
            welcome = await talker.hello(companion=companion, user="ben", resume=session)
            assert not welcome.resumed
            for kind in (*kinds, *LAST):
                for command in CASES[kind](ids):
                    came = await told(at, talker, command)
                    assert "ann" not in owners(ledger, came, ids.word), (kind, came)
                    seen += came
        assert "ben" in owners(ledger, seen, ids.word) or companion == "clara"  # who asks is answered
        sent = "".join(each.body.decode() for each in at.model.requests[asked_before:])
        assert "ann" not in owners(ledger, sent, ids.word)
        after = await state(at, "ann", companion, ids)
    for kind in ("conversation.history", "memory.list", "profile.get", "mood.trends"):
        assert essence(after[kind]) == essence(before[kind]), kind
    if companion == "serenity":  # the look finds what is there: asked by its owner each of these shows it
        for kind, text in before.items():
            assert owners(ledger, text, "") == {"ann"}, kind


def essence(text: str) -> list[Any]:  # Any: JSON of any shape
    """The results in a run of frames, without the frames' own numbers."""
    decoder, at, found = json.JSONDecoder(), text.find("{"), list[Any]()
    while at >= 0:
        frame, end = decoder.raw_decode(text, at)
        found.append(frame.get("result") or frame.get("code"))
        at = text.find("{", end)
    return found
