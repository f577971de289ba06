"""What a person has forgotten is gone: from every window, from the prompts, from every byte of the data folder."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from loadtest.client import Refusal, Talker, connected
from loadtest.model_script import Script
from protocol.conversation_frames import (
    ConversationChanged,
    ConversationClose,
    ConversationDelete,
    ConversationHistory,
    ConversationList,
)
from protocol.memory_frames import MemoryAdd, MemoryErase, MemoryForget, MemorySearch
from protocol.person_frames import MoodCheckIn, Profile, ProfileGet, ProfileSet
from protocol.session_frames import ConversationSnapshot
from protocol.talk_frames import ResponseDelta, ResponseDone, ResponseRegenerate
from server.settings import Data, Limits
from storage.scrubbing import found_in
from tests.server.scenes import SLOW, Scene, closed_upstream, played
from tests.server.serving import serving, settings

CANARY = "zanzibarquince"
YES = Script(text="Yes.")


def in_files(folder: Path, word: str = CANARY) -> list[str]:
    """The files of the data folder that hold the word, backups apart."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "backups"]
    return [path.name for path in files if found_in([path], [word.encode()])]


async def asked(talker: Talker, command: Any) -> dict[str, Any]:  # Any: a command; results as plain JSON
    ack = await talker.ask(command)
    assert isinstance(ack.result, dict)
    return ack.result


async def said(talker: Talker, text: str) -> tuple[str, str]:
    """Say something, wait for the answer; the message and its conversation."""
    ack = await talker.say(text)
    await talker.answer()
    assert isinstance(ack.message, str)
    assert isinstance(ack.conversation, str)
    return ack.message, ack.conversation


def prompts(scene: Scene) -> str:
    return " ".join(request.body.decode() for request in scene.model.requests)


async def test_a_forgotten_message_is_in_no_window_no_prompt_and_no_file(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        await said(talker, "Good morning.")
        scene.model.play(Script(text=f"Ah, the {CANARY}."))
        message, conversation = await said(talker, f"The {CANARY} stands behind the house.")
        assert CANARY in prompts(scene)  # the scan finds it where it is
        assert in_files(scene.data)
        forgotten = await asked(talker, MemoryForget(id=talker.new_id(), item=message))
        assert message in forgotten["items"]
        assert in_files(scene.data) == []
        scene.model.play(YES)
        before = len(scene.model.requests)
        await said(talker, "What stands behind the house?")
        page = await asked(talker, ConversationHistory(id=talker.new_id(), conversation=conversation))
        assert [each["position"] for each in page["messages"]] == [1, 2, 5, 6]
        later = " ".join(request.body.decode() for request in scene.model.requests[before:])
        assert "behind the house" in later
        assert CANARY not in later
        found = await asked(talker, MemorySearch(id=talker.new_id(), query=CANARY))
        assert found["messages"] == []


async def test_when_forgetting_is_acknowledged_no_byte_holds_it(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        await said(talker, "Good morning.")
        message, _ = await said(talker, f"The {CANARY} stands behind the house.")
        await said(talker, "And now?")
        assert in_files(scene.data)
        await talker.ask(MemoryForget(id=talker.new_id(), item=message))
        assert in_files(scene.data) == []
        assert (await asked(talker, ConversationList(id=talker.new_id())))["conversations"][0][
            "message_count"
        ] == 4


async def test_a_preview_changes_nothing_and_names_what_would_go(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        message, conversation = await said(talker, f"The {CANARY} stands there.")
        shown = await asked(talker, MemoryForget(id=talker.new_id(), item=message, preview=True))
        assert shown["preview"] is True
        page = await asked(talker, ConversationHistory(id=talker.new_id(), conversation=conversation))
        assert shown["items"] == [each["message"] for each in page["messages"]]


async def test_a_message_is_forgotten_while_it_is_answered_and_while_another_window_talks(
    tmp_path: Path,
) -> None:
    async with played(tmp_path, SLOW) as scene, scene.greeted() as one, scene.greeted() as two:
        ack = await one.say(f"The {CANARY} stands behind the house.")
        await one.next(ResponseDelta)
        assert isinstance(ack.message, str)
        await two.ask(MemoryForget(id=two.new_id(), item=ack.message))
        assert await closed_upstream(scene.model)
        changed = await one.next(ConversationChanged)
        assert ack.message in changed.removed
        assert in_files(scene.data) == []
        scene.model.play(YES)
        before = len(scene.model.requests)
        await said(one, "And now?")
        assert CANARY not in scene.model.requests[before].body.decode()
        point = one.resume_point()
        async with connected(scene.url) as back:  # nothing of before is told again
            await back.hello(companion="serenity", user="ann", resume=replace(point, seq=0))
            snapshot = await back.next(ConversationSnapshot)
            assert [each.text for each in snapshot.messages] == ["And now?", "Yes."]


async def test_what_another_said_or_a_companion_that_shows_no_past_is_not_forgotten_by_the_person(
    tmp_path: Path,
) -> None:
    async with played(tmp_path, YES) as scene:
        async with scene.greeted() as ann, scene.greeted(user="bob") as bob:
            message, _ = await said(ann, "My rose garden has a gate.")
            with pytest.raises(Refusal) as refused:
                await bob.ask(MemoryForget(id=bob.new_id(), item=message))
            assert refused.value.code == "memory.unknown"
        async with scene.greeted(companion="clara") as talker:
            ack = await talker.say("Where am I?")
            for command in (
                MemoryForget(id=talker.new_id(), item=str(ack.message)),
                MemoryErase(id=talker.new_id()),
                ConversationDelete(id=talker.new_id(), conversation=str(ack.conversation)),
            ):
                with pytest.raises(Refusal) as refused:
                    await talker.ask(command)
                assert refused.value.code == "policy.refused"


async def test_a_deleted_conversation_leaves_no_byte(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        _, conversation = await said(talker, f"I live in {CANARY} and work as a nurse.")
        await talker.ask(ConversationClose(id=talker.new_id()))
        assert in_files(scene.data)
        await talker.ask(ConversationDelete(id=talker.new_id(), conversation=conversation))
        assert in_files(scene.data) == []
        before = len(scene.model.requests)
        await said(talker, "Where do I live?")
        assert CANARY not in scene.model.requests[before].body.decode()


def calm(folder: Path, seconds: float) -> Any:  # Any: settings with another cool-down
    chosen = settings(folder)
    return replace(
        chosen, data=Data(folder=str(folder), durability="process", erase_cool_down_seconds=seconds)
    )


async def told_much(talker: Talker) -> None:
    await talker.ask(ProfileSet(id="p", profile=Profile(name=CANARY, country="DE", session_length="brief")))
    await talker.ask(MoodCheckIn(id="m", mood=3, stressors=(f"the {CANARY}",)))
    await said(talker, f"I live in {CANARY} and I am a nurse.")
    await talker.ask(ConversationClose(id=talker.new_id()))
    await said(talker, f"I still think of {CANARY}.")


async def test_everything_is_forgotten_only_with_the_code_and_after_the_cool_down(tmp_path: Path) -> None:
    async with serving(calm(tmp_path, 600.0)) as url, connected(url) as talker:
        await talker.hello(companion="serenity", user="ann")
        await told_much(talker)
        first = await asked(talker, MemoryErase(id=talker.new_id()))
        assert first["state"] == "confirm"
        early = await asked(talker, MemoryErase(id=talker.new_id(), code=first["code"]))
        assert early == first
        second = await asked(talker, MemoryErase(id=talker.new_id()))  # asked anew: the first code is void
        for code in (first["code"], "made up"):
            with pytest.raises(Refusal) as refused:
                await talker.ask(MemoryErase(id=talker.new_id(), code=code))
            assert refused.value.code == "state.conflict"
        assert second["code"] != first["code"]
        assert len((await asked(talker, ConversationList(id=talker.new_id())))["conversations"]) == 2


async def test_everything_is_forgotten_with_a_receipt_and_settings_stay(tmp_path: Path) -> None:
    chosen = calm(tmp_path, 0.0)
    async with serving(chosen) as url, connected(url) as talker, connected(url) as bob:
        await bob.hello(companion="serenity", user="bob")
        await said(bob, "My rose garden has a gate.")
        await talker.hello(companion="serenity", user="ann")
        await told_much(talker)
        assert in_files(tmp_path)
        code = (await asked(talker, MemoryErase(id=talker.new_id())))["code"]
        done = await asked(talker, MemoryErase(id="e", code=code))
        assert done["state"] == "done"
        receipt = done["receipt"]
        assert receipt["verified"] is True
        assert (receipt["removed"]["conversations"], receipt["removed"]["messages"]) == (2, 4)
        assert receipt["removed"]["check_ins"] == 1
        (backup,) = receipt["backups"]
        assert (tmp_path / "backups" / backup["name"]).exists()
        assert in_files(tmp_path) == []
        kept = await asked(talker, ProfileGet(id=talker.new_id()))
        assert kept["profile"] == {"country": "DE", "session_length": "brief"}
        assert (await asked(talker, ConversationList(id=talker.new_id())))["conversations"] == []
        assert (
            await asked(talker, MemoryErase(id="e", code=code)) == done
        )  # the same command, the same receipt
        assert len((await asked(bob, ConversationList(id=bob.new_id())))["conversations"]) == 1
        await said(talker, "Good morning.")
    async with serving(chosen) as url, connected(url) as talker:
        await talker.hello(companion="serenity", user="ann")
        entries = (await asked(talker, ConversationList(id=talker.new_id())))["conversations"]
        assert [each["title"] for each in entries] == ["Good morning."]


async def test_what_a_restored_copy_brings_back_is_erased_again_before_it_serves(tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        message, _ = await said(talker, f"The {CANARY} stands behind the house.")
        await said(talker, "And the gate is green.")
    copy = (data / "fireside.db").read_bytes()
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        await talker.ask(MemoryForget(id=talker.new_id(), item=message))
    (data / "fireside.db").write_bytes(copy)
    assert in_files(data)
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        entry = (await asked(talker, ConversationList(id=talker.new_id())))["conversations"][0]
        page = await asked(
            talker, ConversationHistory(id=talker.new_id(), conversation=entry["conversation"])
        )
        assert [each["text"] for each in page["messages"]] == ["And the gate is green.", "Yes."]
    assert in_files(data) == []
    with closing(sqlite3.connect(data / "fireside.db")) as db:
        assert db.execute("SELECT COUNT(*) FROM messages WHERE removed = 1").fetchone() == (2,)
    assert CANARY not in (data / "erased.jsonl").read_text()
    assert json.loads((data / "erased.jsonl").read_text().splitlines()[0])["messages"][0][0] == message


async def test_a_person_whose_erasure_was_cut_off_between_its_ledger_and_the_store_is_erased_whole(
    tmp_path: Path,
) -> None:
    chosen = calm(tmp_path, 0.0)
    async with serving(chosen) as url, connected(url) as talker:
        await talker.hello(companion="serenity", user="ann")
        await told_much(talker)
        kept = (await asked(talker, MemoryAdd(id="a", text=f"My key is under the {CANARY}")))["fact"]["fact"]
        await talker.ask(MemoryAdd(id="b", text=f"My other key is under the {CANARY}"))
        await talker.ask(MemoryForget(id="c", item=kept))  # what can be taken back is kept aside
    before = (tmp_path / "fireside.db").read_bytes()
    async with serving(chosen) as url, connected(url) as talker:
        await talker.hello(companion="serenity", user="ann")
        code = (await asked(talker, MemoryErase(id="1")))["code"]
        await talker.ask(MemoryErase(id="2", code=code))
    (tmp_path / "fireside.db").write_bytes(before)
    assert in_files(tmp_path)
    async with serving(chosen):
        pass
    assert in_files(tmp_path, CANARY[:-2]) == []  # as the index has it, too


async def test_an_answer_made_anew_leaves_none_of_the_old_one_when_the_server_has_stopped(
    tmp_path: Path,
) -> None:
    async with (
        played(tmp_path, Script(text=f"Think of the {CANARY}."), limits=Limits(drain_seconds=1)) as scene,
        scene.greeted() as talker,
    ):
        message, _ = await said(talker, "What shall I think of?")
        scene.model.play(YES)
        await talker.ask(ResponseRegenerate(id=talker.new_id(), message=message))
        await talker.next(ResponseDone)
        assert in_files(scene.data)
    assert in_files(tmp_path / "data") == []
