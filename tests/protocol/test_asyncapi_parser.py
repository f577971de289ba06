"""The official parser reads the AsyncAPI document; it is had from npm, into a temporary folder."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from protocol.asyncapi import asyncapi
from protocol.schema import all_frames

CHECK = Path(__file__).with_name("check_asyncapi.cjs")

pytestmark = pytest.mark.npm


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("Node.js is not installed")
    folder = tmp_path_factory.mktemp("npm")
    install = [
        npm,
        "install",
        "--silent",
        "--no-audit",
        "--no-fund",
        "--prefix",
        str(folder),
        "@asyncapi/parser@3",
    ]
    try:
        done = subprocess.run(install, capture_output=True, timeout=180, cwd=folder)
    except subprocess.TimeoutExpired:
        pytest.skip("the npm registry does not answer")
    if done.returncode != 0:
        pytest.skip("@asyncapi/parser cannot be had from npm")
    return folder / "node_modules"


def test_the_official_parser_finds_no_fault_in_the_document(modules: Path) -> None:
    check = modules.parent / CHECK.name
    shutil.copy(CHECK, check)
    document = json.dumps(asyncapi())
    done = subprocess.run(["node", str(check)], input=document, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"problems": [], "messages": len(all_frames())}
