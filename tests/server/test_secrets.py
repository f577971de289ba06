"""The key of a model is in no argument, no file, no log and no answer; it goes to the model alone."""

from pathlib import Path

import pytest

from loadtest.client import connected
from loadtest.model_script import Script
from loadtest.model_server import model_server
from loadtest.nursery import Nursery
from loadtest.process import server_process
from protocol.conversation_frames import ConversationClose
from tests.commanding import fireside

KEY = "keysecretmango7431"


def given(folder: Path, way: str) -> dict[str, str]:
    """The environment of an operator who gives the key by a file, or by itself."""
    if way == "environment":
        return {"FIRESIDE_MODEL_API_KEY": KEY}
    file = folder / "key"
    file.write_text(KEY, encoding="utf-8")
    return {"FIRESIDE_MODEL_API_KEY_FILE": str(file)}


def arguments_of(process: int) -> bytes:
    """What everybody on the machine sees of how it was started."""
    return Path(f"/proc/{process}/cmdline").read_bytes()


@pytest.mark.parametrize("way", ["file", "environment"])
async def test_the_key_of_a_model_is_in_no_argument_no_file_and_no_log(tmp_path: Path, way: str) -> None:
    environment = {**given(tmp_path, way), "FIRESIDE_LOG_LEVEL": "debug"}
    run = tmp_path / "run"
    async with model_server(Script(text="I see.")) as upstream:
        arguments = ["--model", f"openai:m@{upstream.url}/v1"]
        async with server_process(run, arguments, environment=environment) as server:
            async with connected(server.url) as talker:
                await talker.hello(companion="serenity", user="ann")
                await talker.talk("Good morning, I like roses.")
                await talker.ask(ConversationClose(id=talker.new_id()))
            shown = arguments_of(server.process.pid)
            assert await server.stop() == 0
        assert KEY in upstream.requests[0].headers["authorization"]  # it was read, and is used
    assert b"server.cli" in shown
    assert KEY.encode() not in shown
    files = [file for file in run.rglob("*") if file.is_file()]
    assert any(b"I like roses" in file.read_bytes() for file in files)  # the look finds what is there
    assert not [file.name for file in files if KEY.encode() in file.read_bytes()]


@pytest.mark.parametrize("way", ["file", "environment"])
def test_config_show_and_the_doctor_mask_the_key(tmp_path: Path, way: str, born: Nursery) -> None:
    environment = {**given(tmp_path, way), "FIRESIDE_DATA_FOLDER": str(tmp_path / "data")}
    for words in (["config", "show"], ["doctor", "--network"]):
        told = fireside(born, *words, environment=environment)
        assert told.code == 0
        assert KEY not in told.out + told.err
        assert words != ["config", "show"] or "********" in told.out
