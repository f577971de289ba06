"""The whole server over an encrypted store: it talks, is killed, comes back; a wrong key is said plainly."""

from pathlib import Path

import pytest

from loadtest.client import connected
from loadtest.nursery import Nursery
from server.cli_app import app
from server.keys import make_key, unlocked
from server.order_line import STORE_FILE
from server.settings import BadSetting, Data, Settings
from storage.connection import inline
from storage.engine import forget

pytest.importorskip("sqlcipher3", reason="SQLCipher is an extra")

CANARY = "zanzibarquince"


async def test_a_kill_and_no_word_in_any_file_nor_the_key_in_a_log(tmp_path: Path, born: Nursery) -> None:
    key = make_key(tmp_path / "key")
    environment = {"FIRESIDE_DATA_KEY_FILE": str(tmp_path / "key")}
    async with (
        born.server_process(tmp_path / "run", environment=environment) as server,
        connected(server.url) as talker,
    ):
        await talker.hello(companion="serenity", user="ann")
        ack = await talker.say(f"I love {CANARY}.", id_="once")
        assert ack.durable
        await talker.answer()
        point = talker.resume_point()
        await server.kill()
    held = b"".join(each.read_bytes() for each in (tmp_path / "run").rglob("*") if each.is_file())
    assert CANARY.encode() not in held
    assert key not in held
    assert key.hex().encode() not in held
    async with (
        born.server_process(tmp_path / "run", environment=environment) as server,
        connected(server.url) as talker,
    ):
        await talker.hello(companion="serenity", user="ann", resume=point)
        again = await talker.say(f"I love {CANARY}.", id_="once")
        assert (again.message, again.durable) == (ack.message, True)


def test_the_command_makes_a_key_and_a_wrong_or_missing_one_is_said_plainly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "data"

    def run(*arguments: str) -> int | str | None:
        with pytest.raises(SystemExit) as left:
            app(list(arguments))
        return left.value.code

    with inline(data / STORE_FILE):
        pass
    assert (
        run("encrypt", str(data / "key"), "--data", str(data))
        == "The key must lie outside of the data folder."
    )
    assert run("encrypt", str(tmp_path / "key"), "--data", str(data)) in (0, None)
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    told = capsys.readouterr().out
    assert "1 files encrypted" in told
    assert (tmp_path / "key").read_text("ascii") not in told
    with pytest.raises(BadSetting, match="is encrypted: name the file of its key"):
        unlock_with(data, "")
    make_key(tmp_path / "other")
    with pytest.raises(BadSetting, match="is not the key of this store"):
        unlock_with(data, str(tmp_path / "other"))
    unlock_with(data, str(tmp_path / "key"))
    forget(data)


def unlock_with(data: Path, key_file: str) -> None:
    unlocked(Settings(data=Data(folder=str(data), key_file=key_file)))
