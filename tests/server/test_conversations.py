"""Conversations as a person sees them: created, listed, found, named, put away, brought back, removed."""

import base64
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from loadtest.client import Refusal, Talker, connected
from loadtest.model_script import Script
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
)
from protocol.frames import Command
from protocol.session_frames import ConversationSnapshot
from protocol.talk_frames import ResponseDelta
from server.settings import Limits
from tests.server.scenes import SLOW, closed_upstream, played

YES = Script(text="Yes.")
LIMITS = Limits(drain_seconds=0.5, commands_per_second=1_000.0)


async def result(talker: Talker, command: Command) -> dict[str, Any]:  # Any: results as plain JSON
    ack = await talker.ask(command)
    assert isinstance(ack.result, dict)
    return ack.result


async def listed(talker: Talker, **asked: Any) -> list[dict[str, Any]]:  # Any: the command's own fields
    page = await result(talker, ConversationList(id=talker.new_id(), **asked))
    entries: list[dict[str, Any]] = page["conversations"]  # Any: as above
    return entries


async def made(talker: Talker, title: str) -> str:
    """A conversation of that title with one exchange."""
    await talker.ask(ConversationCreate(id=talker.new_id(), title=title))
    return (await talker.talk(f"About {title}.")).conversation


async def test_an_empty_conversation_is_not_stored(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene:
        async with scene.greeted() as talker:
            promised = await result(talker, ConversationCreate(id=talker.new_id(), title="Nothing yet"))
            assert await listed(talker) == []
            assert (await talker.talk("Now there is.")).conversation == promised["conversation"]
            assert [each["title"] for each in await listed(talker)] == ["Nothing yet"]
            await talker.ask(ConversationCreate(id=talker.new_id(), title="Left empty"))
            await talker.ask(ConversationClose(id=talker.new_id()))
        async with scene.greeted() as talker:
            assert [each["title"] for each in await listed(talker)] == ["Nothing yet"]


async def test_a_conversation_with_another_companion_is_not_begun_here(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted(companion="maestro") as talker:
        with pytest.raises(Refusal) as refused:
            await talker.ask(ConversationCreate(id=talker.new_id(), companion="coach"))
        assert refused.value.code == "policy.refused"
        for mine in ("maestro", "maestro/mathematics"):
            await talker.ask(ConversationCreate(id=talker.new_id(), companion=mine))
        assert (await talker.talk("Hello.")).status == "completed"


async def test_what_one_companion_does_not_show_is_not_read_or_removed_beside_another(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene:
        async with scene.greeted(companion="clara") as talker:
            talk = (await talker.talk("The blue door sticks.")).conversation
            await talker.ask(ConversationClose(id=talker.new_id()))
        async with scene.greeted(companion="serenity") as talker:
            for command in (
                ConversationList(id="1", companion="clara"),
                ConversationHistory(id="2", conversation=talk),
                ConversationDelete(id="3", conversation=talk),
            ):
                with pytest.raises(Refusal) as refused:
                    await talker.ask(command)
                assert refused.value.code == "policy.refused"
            mine = (await talker.talk("Good morning.")).conversation
        async with scene.greeted(companion="coach") as talker:  # what another shows is seen from here too
            assert [each["conversation"] for each in await listed(talker, companion="serenity")] == [mine]
            assert (await result(talker, ConversationHistory(id="4", conversation=mine)))["messages"]


async def test_a_title_comes_from_the_first_message_and_can_be_given(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        done = await talker.talk("How do I grow tomatoes on a small balcony that faces north and is windy?")
        (entry,) = await listed(talker)
        assert len(entry["title"]) <= 51
        assert entry["title"].startswith("How do I grow tomatoes")
        assert entry["preview"].startswith("How do I grow tomatoes")
        assert entry["message_count"] == 2
        assert entry["open"] is True
        rename = ConversationRename(id=talker.new_id(), conversation=done.conversation, title="Tomatoes")
        await talker.ask(rename)
        await talker.talk("And peppers?")
        assert [each["title"] for each in await listed(talker)] == ["Tomatoes"]


async def test_lists_come_in_pages_newest_first_and_are_searched_by_title(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        for n in range(5):
            await made(talker, f"Talk {n}")
        first = await result(talker, ConversationList(id=talker.new_id(), limit=2))
        second = await result(talker, ConversationList(id=talker.new_id(), limit=2, cursor=first["next"]))
        third = await result(talker, ConversationList(id=talker.new_id(), limit=2, cursor=second["next"]))
        titles = [each["title"] for page in (first, second, third) for each in page["conversations"]]
        assert titles == [f"Talk {n}" for n in (4, 3, 2, 1, 0)]
        assert third["next"] is None
        assert [each["title"] for each in await listed(talker, query="TALK 3")] == ["Talk 3"]
        assert await listed(talker, query="nothing like it") == []
        beyond = (
            base64.urlsafe_b64encode(b"a" + b"9" * 19).decode().rstrip("=")
        )  # more than the store can count
        for cursor in ("made up", beyond):
            with pytest.raises(Refusal) as refused:
                await talker.ask(ConversationList(id=talker.new_id(), cursor=cursor))
            assert refused.value.code == "frame.invalid"


async def test_what_is_put_away_can_be_brought_back(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as talker:
        name = await made(talker, "Old")
        await made(talker, "New")
        await talker.ask(ConversationArchive(id=talker.new_id(), conversation=name))
        assert [each["title"] for each in await listed(talker)] == ["New"]
        assert [each["title"] for each in await listed(talker, archived=True)] == ["Old"]
        await talker.ask(ConversationRestore(id=talker.new_id(), conversation=name))
        assert {each["title"] for each in await listed(talker)} == {"Old", "New"}


async def test_what_is_deleted_is_gone_and_its_answer_is_stopped(tmp_path: Path) -> None:
    async with played(tmp_path, SLOW) as scene, scene.greeted() as talker:
        ack = await talker.say("My rose garden has a gate.")
        await talker.next(ResponseDelta)
        assert isinstance(ack.conversation, str)
        await talker.ask(ConversationDelete(id=talker.new_id(), conversation=ack.conversation))
        assert await closed_upstream(scene.model)
        assert await listed(talker) == []
        with pytest.raises(Refusal) as refused:
            await talker.ask(ConversationHistory(id=talker.new_id(), conversation=ack.conversation))
        assert refused.value.code == "conversation.unknown"
        scene.model.play(YES)
        assert (await talker.talk("Something new.")).conversation != ack.conversation


async def test_a_conversation_deleted_in_one_window_is_not_talked_in_in_another(tmp_path: Path) -> None:
    async with played(tmp_path, YES) as scene, scene.greeted() as one, scene.greeted() as two:
        conversation = (await one.talk("My rose garden has a gate.")).conversation
        await two.ask(ConversationDelete(id=two.new_id(), conversation=conversation))
        assert await listed(two) == []
        async with connected(scene.url) as back:
            welcome = await back.hello(companion="serenity", user="ann", resume=one.resume_point())
            assert welcome.conversation is None
            assert (await back.talk("A new beginning.")).conversation != conversation


async def test_the_conversation_turned_to_last_is_the_one_after_a_restart(tmp_path: Path) -> None:
    async with played(tmp_path, YES, limits=LIMITS) as scene:
        async with scene.greeted() as first:
            garden = (await first.talk("About the garden.")).conversation
        async with scene.greeted() as talker:
            kitchen = (await talker.talk("About the kitchen.")).conversation
            assert kitchen != garden
            opened = await result(talker, ConversationOpen(id=talker.new_id(), conversation=garden))
            assert opened == {"conversation": garden}
            snapshot = await talker.next(ConversationSnapshot)
            assert [each.text for each in snapshot.messages] == ["About the garden.", "Yes."]
            point = talker.resume_point()
    async with played(tmp_path, YES, limits=LIMITS) as scene:
        async with connected(scene.url) as talker:
            assert (await talker.hello(companion="serenity", user="ann", resume=point)).conversation == garden
        async with connected(scene.url) as talker:
            welcome = await talker.hello(companion="serenity", user="ann", conversation="last")
            assert welcome.conversation == garden
            assert (await talker.talk("More of the garden.")).conversation == garden


async def test_a_session_that_names_nobody_has_a_memory_of_its_own(tmp_path: Path) -> None:
    """The one person of a device need not be named; they see nothing of those who are, nor the other way round."""
    async with played(tmp_path, Script(text="Yes.")) as scene:
        async with connected(scene.url) as nobody, connected(scene.url) as ann:
            await nobody.hello(companion="extremis")
            await ann.hello(companion="extremis", user="ann")
            said = await nobody.talk("My lamp is green.")
            other = await ann.talk("My kettle is blue.")
        async with connected(scene.url) as nobody, connected(scene.url) as ann:
            welcome = await nobody.hello(companion="extremis", conversation="last")
            await ann.hello(companion="extremis", user="ann", conversation="last")
            snapshot = await nobody.next(ConversationSnapshot)
            assert (welcome.conversation, snapshot.messages[0].text) == (
                said.conversation,
                "My lamp is green.",
            )
            assert (await ann.next(ConversationSnapshot)).messages[0].text == "My kettle is blue."
            with pytest.raises(Refusal) as refusal:
                await nobody.ask(ConversationOpen(id=nobody.new_id(), conversation=other.conversation))
            assert refusal.value.code == "conversation.unknown"


async def test_turning_to_another_conversation_keeps_what_was_shown_in_the_first(tmp_path: Path) -> None:
    async with played(tmp_path, YES, SLOW) as scene, scene.greeted() as talker:
        await talker.talk("About the garden.")
        garden = (await listed(talker))[0]["conversation"]
        async with scene.greeted() as other:
            ack = await other.say("About the kitchen.")
            await other.next(ResponseDelta)
            assert isinstance(ack.conversation, str)
            await other.ask(ConversationOpen(id=other.new_id(), conversation=garden))
            assert await closed_upstream(scene.model, 2)
            page = await result(other, ConversationHistory(id=other.new_id(), conversation=ack.conversation))
            assert [each["status"] for each in page["messages"]] == ["completed", "interrupted"]
            scene.model.play(YES)
            assert (await other.talk("Back to the roses.")).conversation == garden


async def test_order_goes_by_position_whatever_the_clock_says(tmp_path: Path) -> None:
    async with played(tmp_path, YES, limits=LIMITS) as scene, scene.greeted() as talker:
        conversation = (await talker.talk("first")).conversation
        point = talker.resume_point()
    with closing(
        sqlite3.connect(scene.data / "fireside.db")
    ) as db:  # as if the clock had run ten years ahead
        db.execute("UPDATE messages SET at = at + 315360000000")
        db.execute("UPDATE conversations SET updated_at = updated_at + 315360000000")
        db.commit()
    async with played(tmp_path, YES, limits=LIMITS) as scene, connected(scene.url) as talker:
        await talker.hello(companion="serenity", user="ann", resume=point)
        await talker.talk("second")
        page = await result(talker, ConversationHistory(id=talker.new_id(), conversation=conversation))
        assert [each["text"] for each in page["messages"]] == ["first", "Yes.", "second", "Yes."]
        assert page["messages"][0]["at"] > page["messages"][2]["at"]
        other = await made(talker, "Newer")
        assert [each["conversation"] for each in await listed(talker)] == [other, conversation]
        assert '"first"' in scene.model.requests[0].body.decode()  # and the model is given it as it was said
