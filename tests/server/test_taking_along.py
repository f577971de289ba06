"""A person takes their memory along: a file that comes in again to the same state, and a page to read."""

import json
import re
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from companions.fact_changes import FactsForgotten
from loadtest.client import Talker, connected
from protocol.conversation_frames import (
    ConversationArchive,
    ConversationClose,
    ConversationDelete,
    ConversationList,
)
from protocol.memory_frames import MemoryAdd, MemoryExport
from protocol.person_frames import MoodCheckIn, Profile, ProfileSet
from server.app import STORE_FILE
from server.cli_app import app
from server.exporting import bring_file_in, export
from server.plain_words import said_plainly
from server.tickets import TICKET_SECONDS, Download, Tickets
from storage.apply import apply_all
from storage.bringing_in import BadFile
from storage.connection import InlineStore, inline, transacted
from storage.erasing import owned_tables
from storage.portable import LEFT_OUT, PARTS, exported, exported_tables
from tests.server.serving import serving, settings
from tests.server.test_forgetting import asked, said
from tests.server.test_pages_and_door import asked as fetched
from tests.storage.facts_making import found, kept, residence
from tests.storage.making import ANNA, answered, closed, emotion
from tests.storage.making import said as said_change

HOSTILE = "<script>alert('x')</script> & more"


async def told(talker: Talker) -> str:
    await talker.ask(ProfileSet(id="p", profile=Profile(name="Ann", primary_goals=("sleep",))))
    await talker.ask(MoodCheckIn(id="m", mood=3, stressors=("work",)))
    await said(talker, f"I live in Lisbon and work as a nurse. {HOSTILE}")
    await talker.ask(ConversationClose(id=talker.new_id()))
    _, conversation = await said(talker, "Good morning.")
    return conversation


def port_of(url: str) -> int:
    return int(url.rsplit(":", 1)[1].removesuffix("/ws"))


async def downloaded(talker: Talker, url: str, form: Any) -> tuple[Any, str]:  # Any: a response, as asked for
    ticket = await asked(talker, MemoryExport(id=talker.new_id(), format=form))
    return await fetched(port_of(url), ticket["path"]), ticket["path"]


def memory_in(folder: Path, user: str = "ann", companion: str = "serenity") -> dict[str, Any]:
    with inline(folder / STORE_FILE) as store:
        return told_as_json(store, user, companion)


def told_as_json(store: InlineStore, user: str, companion: str) -> dict[str, Any]:
    memory = exported(store.db, user=user, companion=companion, at="then")
    as_json: dict[str, Any] = json.loads(json.dumps({"off": memory.off, "tables": memory.tables}))
    return as_json


async def test_a_download_is_the_persons_once_and_while_their_session_lives(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann")
        await told(talker)
        response, path = await downloaded(talker, url, "json")
        assert response.status == 200
        assert response.headers["content-disposition"].startswith('attachment; filename="fireside-serenity-')
        memory = json.loads(response.body)
        assert (memory["format"], memory["version"], memory["user"]) == ("fireside.memory", 1, "ann")
        assert len(memory["tables"]["messages"]) == 4
        assert (await fetched(port_of(url), path)).status == 410
        assert (await fetched(port_of(url), "/download/made-up")).status == 410


async def test_a_ticket_lapses_after_a_minute_and_with_its_session() -> None:
    now = [0.0]
    tickets = Tickets(lambda: now[0])

    async def made() -> Download:
        return Download(name="n", kind="k", content=b"c")

    assert await tickets.take(tickets.give("s", made), {"s"}.__contains__) == Download("n", "k", b"c")
    assert await tickets.take(tickets.give("s", made), {"other"}.__contains__) is None
    path = tickets.give("s", made)
    now[0] = TICKET_SECONDS
    assert await tickets.take(path, {"s"}.__contains__) is None


async def test_a_page_to_read_stands_by_itself_and_runs_nothing(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann")
        await told(talker)
        response, _ = await downloaded(talker, url, "html")
        page = response.body.decode()
        assert "What Serenity remembers" in page
        assert "&lt;script&gt;alert" in page
        assert "<script" not in page
        assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page
        for outside in ("http://", "https://", "url(", "@import", "src="):
            assert outside not in page


async def test_a_page_to_read_says_what_a_fact_is_about_and_of_whom(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, connected(url) as talker:
        await talker.hello(user="ann")
        for text in ("I am allergic to peanuts", "My sister Maria is allergic to walnuts"):
            await talker.ask(MemoryAdd(id=talker.new_id(), text=text))
        response, _ = await downloaded(talker, url, "html")
        lines = re.findall("<li>(.*?) <span", response.body.decode())
        assert [line.split(":")[0] for line in lines] == ["allergy", "Maria"]
        assert "allergy" in lines[1]


async def test_what_is_exported_comes_in_to_the_same_state_and_twice_is_once(tmp_path: Path) -> None:
    async with serving(settings(tmp_path / "one")) as url, connected(url) as talker:
        await talker.hello(user="ann")
        conversation = await told(talker)
        await talker.ask(ConversationArchive(id=talker.new_id(), conversation=conversation))
        await talker.ask(ConversationClose(id=talker.new_id()))
        response, _ = await downloaded(talker, url, "json")
    file = tmp_path / "ann.json"
    file.write_bytes(response.body)
    before = json.loads(response.body)
    two = tmp_path / "two"
    run("import", str(file), "--data", str(two))
    after = memory_in(two)
    assert after["tables"] == before["tables"]
    run("import", str(file), "--data", str(two))
    assert memory_in(two) == after
    async with serving(settings(two)) as url, connected(url) as talker:
        await talker.hello(user="ann")
        assert len((await asked(talker, ConversationList(id=talker.new_id())))["conversations"]) == 1
        await said(talker, "And here I am.")


def run(*arguments: str, code: int = 0) -> None:
    """The command line, on a thread of its own: it has a loop of its own."""

    def command() -> int:
        try:
            with said_plainly():
                app(arguments)
        except SystemExit as left:
            return int(left.code or 0)
        return 0

    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(command).result() == code


async def test_facts_come_in_with_their_sources_and_what_they_ended(tmp_path: Path) -> None:
    with inline(tmp_path / "one" / STORE_FILE) as store:
        await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
        await found(store, "b", ("I moved to Berlin", residence("Berlin")))
        companion = (await kept(store))[0].category and "serenity"
        owner = store.db.execute("SELECT user_id, companion FROM facts LIMIT 1").fetchone()
        made = await export(store, user=owner[0], companion=owner[1], name="S", form="json", at=5)
        before = told_as_json(store, *owner)
    assert companion
    with inline(tmp_path / "two" / STORE_FILE) as store:
        done = await bring_file_in(store, made.content, user=None, companion=None, at=9)
        assert done.added["facts"] == 2
        assert told_as_json(store, *owner) == before
        lisbon, berlin = await kept(store)
        assert (lisbon.superseded_by, berlin.sources) == (berlin.id, ("msg_b_1",))
        assert (await bring_file_in(store, made.content, user=None, companion=None, at=10)).added == {}


async def test_a_fact_that_was_forgotten_here_does_not_come_back_with_an_older_file(tmp_path: Path) -> None:
    with inline(tmp_path / STORE_FILE) as store:
        await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
        user, companion = store.db.execute("SELECT user_id, companion FROM facts LIMIT 1").fetchone()
        made = await export(store, user=user, companion=companion, name="S", form="json", at=5)
        (fact,) = await kept(store)
        forgotten = FactsForgotten(user=user, companion=companion, at=6, facts=(fact.id,))
        transacted(store.db, lambda db: apply_all(db, (forgotten,)))
        assert await kept(store) == ()
        await bring_file_in(store, made.content, user=None, companion=None, at=9)
        assert await kept(store) == ()


async def test_what_holds_here_stays_when_a_file_says_otherwise(tmp_path: Path) -> None:
    with inline(tmp_path / "one" / STORE_FILE) as store:
        await found(store, "a", ("I live in Lisbon", residence("Lisbon")))
        owner = store.db.execute("SELECT user_id, companion FROM facts LIMIT 1").fetchone()
        made = await export(store, user=owner[0], companion=owner[1], name="S", form="json", at=5)
    with inline(tmp_path / "two" / STORE_FILE) as store:
        await found(store, "z", ("I live in Oslo", residence("Oslo")), name="other")
        await bring_file_in(store, made.content, user=None, companion=None, at=9)
        active = [fact.value for fact in await kept(store) if fact.status == "active"]
        assert active == ["Oslo"]


def a_memory(folder: Path) -> dict[str, Any]:
    with inline(folder / "source" / STORE_FILE) as store:
        changes = (
            said_change("a", 1, "hello"),
            answered("a", 2, emotion=emotion("msg_a_1")),
            said_change("a", 3, "again"),
            closed("a"),
        )
        transacted(store.db, lambda db: apply_all(db, changes))
        memory = exported(store.db, user=ANNA, companion="clara", at="2026-01-01T00:00:00.000Z")
    loaded: dict[str, Any] = json.loads(
        json.dumps({name: getattr(memory, name) for name in memory.__struct_fields__})
    )
    return loaded


FAULTS: dict[str, tuple[Callable[[dict[str, Any]], object], str, str]] = {
    "newer": (lambda m: m.update(version=2), "$.version", "reads up to 1"),
    "no version": (lambda m: m.pop("version"), "$.version", "version None"),
    "another file": (lambda m: m.update(format="photos"), "$.format", "not an export"),
    "unknown field": (lambda m: m.update(colour=1), "$", "unknown field"),
    "unknown table": (lambda m: m["tables"].update(jobs=[]), "$.tables.jobs", "no such table"),
    "unknown column": (
        lambda m: row(m).update(x=1),
        "$.tables.messages[0].x",
        "no such field",
    ),
    "wrong type": (lambda m: row(m).update(text=5), "$.tables.messages[0].text", "expected text"),
    "missing": (lambda m: row(m).pop("role"), "$.tables.messages[0].role", "missing"),
    "not allowed": (lambda m: row(m).update(role="boss"), "$.tables.messages[0]", "CHECK"),
    "null": (lambda m: row(m).update(at=None), "$.tables.messages[0].at", "whole number"),
    "a gap": (lambda m: row(m, 2).update(position=9), "$.tables.conversations[0].last_position", "up to 9"),
    "a count": (
        lambda m: row(m, table="conversations").update(message_count=9),
        "$.tables.conversations[0].message_count",
        "has 3 messages",
    ),
    "nobody's": (lambda m: row(m).update(conversation="zz"), "$.tables.messages[0]", "FOREIGN KEY"),
    "bad context": (lambda m: row(m).update(context=[1]), "$.tables.messages[0].context", "object"),
    "twice": (lambda m: row(m, 2).update(position=1), "$.tables.messages[2]", "UNIQUE"),
    "huge rank": (lambda m: row(m).update(stored=2**62), "$.tables", "out of range"),
    "bad list": (
        lambda m: row(m, table="emotions").update(flags="{}"),
        "$.tables.emotions[0].flags",
        "array",
    ),
}


def row(memory: dict[str, Any], at: int = 0, table: str = "messages") -> dict[str, Any]:
    found_row: dict[str, Any] = memory["tables"][table][at]
    return found_row


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_file_with_a_fault_says_where_and_why_and_changes_nothing(tmp_path: Path, fault: str) -> None:
    change, where, why = FAULTS[fault]
    memory = a_memory(tmp_path)
    change(memory)
    with inline(tmp_path / "here" / STORE_FILE) as store:
        before = list(store.db.iterdump())
        with pytest.raises(BadFile) as bad:
            await bring_file_in(store, json.dumps(memory).encode(), user=None, companion=None, at=9)
        assert bad.value.where == where
        assert why in bad.value.why
        assert list(store.db.iterdump()) == before


async def test_a_file_cut_anywhere_changes_nothing(tmp_path: Path) -> None:
    content = json.dumps(a_memory(tmp_path)).encode()
    with inline(tmp_path / "here" / STORE_FILE) as store:
        before = list(store.db.iterdump())
        for end in range(0, len(content) - 1, 97):
            with pytest.raises(BadFile) as bad:
                await bring_file_in(store, content[:end], user=None, companion=None, at=9)
            assert "only a part" in bad.value.why
        assert list(store.db.iterdump()) == before


async def test_nobody_brings_in_what_is_anothers(tmp_path: Path) -> None:
    content = json.dumps(a_memory(tmp_path)).encode()
    with inline(tmp_path / "here" / STORE_FILE) as store:
        await bring_file_in(store, content, user=None, companion=None, at=9)
        with pytest.raises(BadFile) as bad:
            await bring_file_in(store, content, user="mallory", companion=None, at=9)
        assert bad.value.where == "$.tables.conversations[0]"
        assert "somebody else" in bad.value.why


async def test_what_was_erased_here_does_not_come_in_again(tmp_path: Path) -> None:
    async with serving(settings(tmp_path / "data")) as url, connected(url) as talker:
        await talker.hello(user="ann")
        conversation = await told(talker)
        response, _ = await downloaded(talker, url, "json")
        await talker.ask(ConversationDelete(id=talker.new_id(), conversation=conversation))
    file = tmp_path / "ann.json"
    file.write_bytes(response.body)
    run("import", str(file), "--data", str(tmp_path / "data"))
    with closing(sqlite3.connect(tmp_path / "data" / STORE_FILE)) as db:
        assert db.execute("SELECT COUNT(*) FROM conversations").fetchone() == (1,)


def test_every_table_with_an_owner_is_exported_or_named_as_left_out(tmp_path: Path) -> None:
    with inline(tmp_path / STORE_FILE) as store:
        assert set(exported_tables(store.db)) - set(PARTS) | set(LEFT_OUT) == set(owned_tables(store.db))


async def test_the_command_line_says_who_holds_the_folder_and_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.json"
    file.write_text('{"format": "fireside.memory", "version": 7}', encoding="utf-8")
    async with serving(settings(tmp_path / "data")):
        run("import", str(file), "--data", str(tmp_path / "data"), code=3)
    assert "is in use by process" in capsys.readouterr().err
    run("import", str(file), "--data", str(tmp_path / "data"), code=2)
    assert "$.version: the file is of version 7" in capsys.readouterr().err


def test_what_was_put_away_before_a_date_is_purged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("import", str(archived_file(tmp_path)), "--data", str(tmp_path / "data"))
    run("purge", "--before", "1970-01-01", "--data", str(tmp_path / "data"))
    assert "0 conversations" in capsys.readouterr().out
    run("purge", "--before", "2026-01-31", "--data", str(tmp_path / "data"))
    assert "1 conversations" in capsys.readouterr().out
    assert memory_in(tmp_path / "data", ANNA, "clara")["tables"]["messages"] == []
    run("purge", "--before", "soon", "--data", str(tmp_path / "data"), code=2)


def archived_file(folder: Path) -> Path:
    memory = a_memory(folder)
    row(memory, table="conversations").update(archived=1, archived_at=5)
    file = folder / "archived.json"
    file.write_text(json.dumps(memory), encoding="utf-8")
    return file


def test_the_command_line_writes_both_kinds_of_file(tmp_path: Path) -> None:
    run("import", str(archived_file(tmp_path)), "--data", str(tmp_path / "data"))
    for form in ("json", "html"):
        file = tmp_path / f"out.{form}"
        owner = ("--user", ANNA, "--companion", "clara", "--data", str(tmp_path / "data"))
        run("export", str(file), "--format", form, *owner)
        assert "hello" in file.read_text("utf-8")
        assert file.stat().st_mode & 0o777 == 0o600
