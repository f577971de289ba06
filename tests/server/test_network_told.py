"""Nothing leaves the device, and this can be checked: by what the doctor tells, and by a record of a real server."""

from pathlib import Path

import anyio
import pytest

from loadtest.client import connected
from loadtest.model_script import Script
from loadtest.model_server import model_server
from loadtest.nursery import Nursery
from loadtest.process import ServerProcess
from protocol.conversation_frames import ConversationClose
from protocol.talk_frames import ResponseDone
from server.casting import companions
from server.network import Reported, network, where
from server.settings import load
from tests.commanding import fireside
from tests.server.test_pages_and_door import asked


def told(**given: object) -> Reported:
    values = {key.replace("__", "."): value for key, value in given.items()}
    return network(load(None, {}, values), companions("").values())


def test_every_address_is_named_with_where_it_is_set() -> None:
    found = told(model__name="openai:m@http://127.0.0.1:9/v1", embedder__name="ollama:e@http://[::1]:7")
    seen = [(each.what, each.address, each.where, each.set_by) for each in found.outward]
    assert seen == [
        ("language model", "http://127.0.0.1:9/v1", "this machine", "model.name, from command line"),
        ("embedder", "http://[::1]:7", "this machine", "embedder.name, from command line"),
    ]
    text = "\n".join(found.lines)
    for word in ("http://127.0.0.1:9/v1", "http://[::1]:7", "clara", "serenity", "in the clear", "8765"):
        assert word in text


def test_where_nothing_is_set_it_says_what_is_looked_for() -> None:
    found = told()
    assert [each.address for each in found.outward] == ["http://127.0.0.1:11434", None]
    assert "an Ollama is looked for" in "\n".join(found.lines)
    assert [each.address for each in told(model__name="builtin").outward] == [None, None]


def test_companions_that_stay_here_are_named_where_a_model_is_elsewhere() -> None:
    far = "openai:m@https://models.example.org/v1"
    assert set(told(model__name=far).outward[0].refused) == {"clara", "serenity"}
    allowed = told(model__name=far, companions__allow_remote=["clara", "serenity"])
    assert allowed.outward[0].refused == ()
    assert "clara: stays on this machine, but companions.allow_remote" in "\n".join(allowed.lines)


@pytest.mark.parametrize(
    ("url", "far"),
    [
        ("http://localhost:1", "this machine"),
        ("http://127.8.0.1:1", "this machine"),
        ("http://192.168.1.4:1", "the local network"),
        ("http://[fe80::1]:1", "the local network"),
        ("http://box.local:1", "the local network"),
        ("http://8.8.8.8", "the internet"),
        ("https://api.anthropic.com", "the internet"),
        ("http://localhost.example.org", "the internet"),
    ],
)
def test_how_far_an_address_is(url: str, far: str) -> None:
    assert where(url) == far


def test_what_listens_is_told(tmp_path: Path) -> None:
    assert told(data__folder=str(tmp_path)).inward.where == "this machine alone"
    wide = told(listen__host="0.0.0.0", data__folder=str(tmp_path)).inward
    assert (wide.where, wide.tls) == ("every network of this machine", False)


@pytest.mark.compiler
def test_the_command_tells_it_without_asking_anybody(tmp_path: Path, shimmed: Nursery) -> None:
    words = ("doctor", "--network", "--data", str(tmp_path / "d"), "--model", "anthropic:claude")
    far = fireside(shimmed, *words, environment=recorded(tmp_path))
    assert far.code == 1
    assert "https://api.anthropic.com - the internet" in far.out
    assert "NOT allowed: clara, serenity" in far.out
    assert connections(tmp_path) == []


# ---------------------------------------------------------------- a record of what a real process connects to


def recorded(folder: Path) -> dict[str, str]:
    """The environment in which a process writes down whom it connects to; names that it asks for too.

    Beneath Python and beneath the event loop, so that neither can go past it.
    """
    return {"RECORD": str(folder / "record")}


def connections(folder: Path) -> list[str]:
    """Everything that was connected to, sent to, or asked for by name."""
    record = folder / "record"
    return record.read_text(encoding="utf-8").splitlines() if record.exists() else []


async def figures(port: int, wanted: bytes) -> bytes:
    """The figures of a server once they hold ``wanted``."""
    with anyio.fail_after(60):
        while True:
            body = (await asked(port, "/metrics")).body
            if wanted in body:
                return body
            await anyio.sleep(0.1)


async def lived(server: ServerProcess) -> list[ResponseDone]:
    """A talk with each kind of companion, a crisis, a close with its jobs, and the figures."""
    done: list[ResponseDone] = []
    for companion in ("clara", "serenity", "extremis"):
        async with connected(server.url) as talker:
            await talker.hello(companion=companion, user="ann")
            done.append(await talker.talk("Good morning. I live in Leeds and I love roses."))
            await talker.ask(ConversationClose(id=talker.new_id()))
    told = await figures(int(server.address.rsplit(":", 1)[1]), b'fireside_jobs_total{kind="summary"')
    assert b"fireside_answers_total" in told
    return done


@pytest.mark.compiler
async def test_without_a_model_no_connection_is_made(tmp_path: Path, shimmed: Nursery) -> None:
    async with shimmed.server_process(
        tmp_path, ["--model", "builtin"], environment=recorded(tmp_path)
    ) as server:
        done = await lived(server)
        assert await server.stop() == 0
    assert [each.status for each in done] == ["completed"] * 3
    assert connections(tmp_path) == []


@pytest.mark.compiler
async def test_with_a_model_its_address_is_the_only_one(tmp_path: Path, shimmed: Nursery) -> None:
    async with model_server(Script(text="A good morning to you.")) as upstream:
        model = f"openai:m@{upstream.url}/v1"
        async with shimmed.server_process(
            tmp_path, ["--model", model], environment=recorded(tmp_path)
        ) as server:
            await lived(server)
            assert await server.stop() == 0
    port = upstream.url.rsplit(":", 1)[1]
    assert set(connections(tmp_path)) == {f"connect 127.0.0.1 {port}"}  # the record sees what is to be seen
