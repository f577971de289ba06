"""The process is killed, as a power cut would end it; what was acknowledged is there, once, in order."""

import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
from msgspec.structs import replace

from loadtest.client import connected
from loadtest.kills import Plan, run
from loadtest.model_script import Script
from loadtest.model_server import model_server
from loadtest.nursery import Nursery
from loadtest.process import server_process
from protocol.conversation_frames import ConversationClose, ConversationClosed
from protocol.session_frames import ConversationSnapshot
from protocol.talk_frames import ResponseDelta

SEED = 20_260
KILLS = 30


async def test_a_kill_in_mid_answer_keeps_what_was_acknowledged(tmp_path: Path, born: Nursery) -> None:
    async with model_server(Script(tokens=300, tokens_per_second=40.0)) as model:
        arguments = ["--model", f"openai:m@{model.url}/v1"]
        async with born.server_process(tmp_path, arguments) as server, connected(server.url) as talker:
            await talker.hello(companion="serenity", user="ann")
            ack = await talker.say("Tell me something long.")
            point = talker.resume_point()
            for _ in range(5):
                await talker.next(ResponseDelta)
            await server.kill()
        async with born.server_process(tmp_path, arguments) as server, connected(server.url) as talker:
            welcome = await talker.hello(companion="serenity", user="ann", resume=point)
            assert not welcome.resumed
            assert welcome.conversation == ack.conversation
            snapshot = await talker.next(ConversationSnapshot)
            assert snapshot.messages[0].message == ack.message
            assert snapshot.messages[0].text == "Tell me something long."
            again = await talker.say("And now?")
            assert again.conversation == ack.conversation


async def test_the_same_id_after_a_kill_gets_the_first_answer(tmp_path: Path) -> None:
    async with server_process(tmp_path) as server, connected(server.url) as talker:
        await talker.hello(companion="serenity", user="ann")
        first = await talker.say("I was here.", id_="once")
        point = talker.resume_point()
        await server.kill()
    async with server_process(tmp_path) as server, connected(server.url) as talker:
        await talker.hello(companion="serenity", user="ann", resume=point)
        again = await talker.say("I was here.", id_="once")
        assert (again.message, again.conversation) == (first.message, first.conversation)
    with closing(sqlite3.connect(tmp_path / "data" / "fireside.db")) as db:
        (count,) = db.execute("SELECT COUNT(*) FROM messages WHERE text = 'I was here.'").fetchone()
    assert count == 1


async def test_a_kill_right_after_a_close_leaves_one_summary(tmp_path: Path, born: Nursery) -> None:
    closed: list[str] = []
    for number in range(3):
        async with born.server_process(tmp_path) as server, connected(server.url) as talker:
            await talker.hello(companion="serenity", user=f"p{number}")
            await talker.talk("My garden has a gate, and the roses are in bloom.")
            await talker.send(ConversationClose(id="close"))
            closed.append((await talker.next(ConversationClosed)).conversation)
            await server.kill()
    async with born.server_process(tmp_path):
        with anyio.fail_after(60):
            while len(summed_up(tmp_path)) < len(closed):  # noqa: ASYNC110  # another process writes them
                await anyio.sleep(0.05)
    assert sorted(summed_up(tmp_path)) == sorted(closed)


def summed_up(folder: Path) -> list[str]:
    """The conversation of each summary there is."""
    with closing(sqlite3.connect(folder / "data" / "fireside.db")) as db:
        return [row[0] for row in db.execute("SELECT conversation FROM summaries").fetchall()]


async def test_nothing_acknowledged_is_lost_doubled_or_out_of_order(tmp_path: Path, born: Nursery) -> None:
    print(f"seed {SEED}")
    plan = Plan(kills=KILLS, seed=SEED, most_start_seconds=0.2)
    killing = await run(plan, tmp_path, born.server_process)
    assert len(killing.ledger.messages) >= KILLS
    assert killing.ledger.answers
    assert killing.findings().broken == 0
    assert killing.ledger.broken == []
    assert killing.jobs_left == killing.unsummed == 0


async def test_acks_before_the_commit_lose_messages_and_who_waits_for_durable_loses_none(
    tmp_path: Path, born: Nursery
) -> None:
    """The control: writes are flushed later, and people take the ack for a promise. Who does not is as safe."""
    plan = Plan(kills=3, seed=SEED, durability="debounced", wait_for_jobs=False)
    control = await run(replace(plan, trusting=True), tmp_path / "control", born.server_process)
    honest = await run(plan, tmp_path / "honest", born.server_process)
    assert control.findings().lost > 0
    assert honest.ledger.messages
    assert honest.findings().broken == 0
