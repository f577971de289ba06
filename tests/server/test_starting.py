"""Who starts a server again waits for what is loaded: a plain ``serve`` loads what a server needs and nothing else."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import msgspec
import pytest

from server.cli import CONFIG, plainly_served
from server.cli_app import app, settings_of
from server.settings import Loaded, load

NOT_NEEDED = {
    "aiohttp": "asks model servers",
    "click": "reads the command line of a client for HTTP",
    "cryptography": "makes certificates and seals",
    "cyclopts": "reads the commands of an operator",
    "httpx": "asks model servers",
    "onnxruntime": "runs an encoder",
    "rich": "draws tracebacks that are never shown",
    "segno": "draws the code of a pairing",
}
SERVED = """
import json, sys
from server import cli
cli.main()
print(json.dumps([name for name, module in sys.modules.items() if module is not None]))
"""


async def test_with_the_companions_own_words_a_server_loads_no_library_it_does_not_use(
    tmp_path: Path,
) -> None:
    arguments = ["serve", "--port", "0", "--data", str(tmp_path), "--model", "builtin"]
    process = await anyio.open_process(
        [sys.executable, "-c", SERVED, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    async with process:
        assert process.stdout is not None
        assert process.stderr is not None
        said = b""
        while b"is ready" not in said:
            said += await process.stderr.receive()
        process.send_signal(signal.SIGTERM)
        loaded = json.loads(b"".join([part async for part in process.stdout]))
    assert "server.app" in loaded
    assert not {name.partition(".")[0] for name in loaded} & NOT_NEEDED.keys()


def read_by_cyclopts(arguments: list[str]) -> Loaded:
    """The settings that the command's own reader makes of ``arguments``."""
    _, bound, _ = app.parse_args(arguments, print_error=False, exit_on_error=False)
    return settings_of(**{"config": None, **bound.arguments})


@pytest.mark.parametrize(
    "arguments",
    [
        "serve",
        "serve --port 0",
        "serve --host ::1 --port 9000 --data /var/lib//fireside/ --model ollama:m@http://127.0.0.1:1",
        "serve --config {config} --embedder onnx --data a/../b",
        "serve --model builtin --config {config} --port 0080",
    ],
)
def test_a_plain_serve_is_read_as_the_commands_reader_reads_it(tmp_path: Path, arguments: str) -> None:
    config = tmp_path / "own.toml"
    config.write_text('[model]\nname = "builtin"\n', encoding="utf-8")
    words = arguments.format(config=config).split()
    given = plainly_served(words)
    assert given is not None
    named = given.pop(CONFIG, None)
    ours = load(None if named is None else Path(str(named)), {}, given)
    assert msgspec.to_builtins(ours.settings) == msgspec.to_builtins(read_by_cyclopts(words).settings)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--help"],
        ["serve", "--help"],
        ["serve", "here"],
        ["serve", "--port"],
        ["serve", "--port", "http"],
        ["serve", "--port=8765"],
        ["serve", "--port", "-1"],
        ["serve", "--port", "1", "--port", "2"],
        ["serve", "--data", ""],
        ["serve", "--mode", "builtin"],
        ["serve", "--data", "--help"],
        ["talk", "--user", "ann"],
    ],
)
def test_what_wants_reading_or_explaining_is_left_to_the_commands_reader(arguments: list[str]) -> None:
    assert plainly_served(arguments) is None
