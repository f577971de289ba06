"""The JavaScript client by itself, in Node, where there is one with a WebSocket."""

import json
import shutil
import subprocess
from functools import partial
from pathlib import Path

import anyio
import pytest

from tests.server.serving import serving, settings

SCRIPT = Path(__file__).with_name("talk_by_node.mjs")
SOCKETS = "--experimental-websocket"


def node() -> str:
    """Node, if it is here and has a WebSocket."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("Node.js is not installed")
    asked = [found, SOCKETS, "-e", "process.exit(typeof WebSocket === 'function' ? 0 : 1)"]
    if subprocess.run(asked, capture_output=True, check=False).returncode:
        pytest.skip("this Node.js has no WebSocket")
    return found


async def test_it_talks_and_its_deltas_are_the_answer(tmp_path: Path) -> None:
    program = node()
    async with serving(settings(tmp_path)) as url:
        done = await anyio.to_thread.run_sync(
            partial(
                subprocess.run,
                [program, SOCKETS, "--no-warnings", str(SCRIPT), url],
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
        )
    assert done.returncode == 0, done.stderr
    first, second = map(json.loads, done.stdout.splitlines())
    assert first == second
    assert (first["status"], first["whole"]) == ("completed", True)
