"""The wheel, installed into an empty environment, is whole: the command starts from anywhere, the names are ours."""

import json
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from loadtest.nursery import Nursery
from tests.commanding import fireside

ROOT = Path(__file__).parents[1]
ROOMS = ("actors", "companions", "generation", "loadtest", "memory", "protocol", "server", "storage")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        check=True,
        capture_output=True,
    )
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an empty environment with nothing but the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder)
    programs = folder / "bin"
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "--disable-pip-version-check"]
    patient = ["--retries", "10", "--timeout", "60"]  # the registry is far
    command = [
        *pip,
        "install",
        "--quiet",
        "--no-compile",
        *patient,
        "-c",
        str(ROOT / "constraints.txt"),
        str(wheel),
    ]
    subprocess.run(command, check=True)
    return programs


def test_the_wheel_holds_the_rooms_and_nothing_of_the_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names if not name.split("/")[0].endswith(".dist-info")}
    assert tops == set(ROOMS)
    for data in (
        "companions/library/clara/companion.toml",
        "server/pages/index.html",
        "memory/data/topics.toml",
    ):
        assert data in names
    assert "storage/migrations/0001_core.sql" in names


def test_the_rooms_import_names_belong_to_this_project_alone(installed: Path) -> None:
    asked = "import importlib.metadata as m, json; print(json.dumps(m.packages_distributions()))"
    found = subprocess.run(
        [installed / "python", "-c", asked], check=True, capture_output=True, cwd="/", text=True
    )
    owners: dict[str, list[str]] = json.loads(found.stdout)
    assert {room: sorted(set(owners[room])) for room in ROOMS} == {room: ["fireside"] for room in ROOMS}


def test_the_command_starts_from_another_directory(installed: Path, tmp_path: Path) -> None:
    data = str(tmp_path / "data")
    command = [str(installed / "fireside"), "serve", "--port", "0", "--data", data, "--model", "builtin"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        lines: list[str] = []
        for line in process.stderr:
            lines.append(line)
            if "is ready" in line:
                break
        process.terminate()
        process.stderr.read()
        assert process.wait(timeout=20) == 0
    assert any("is ready: http://127.0.0.1:" in line for line in lines)


def test_every_command_explains_itself(born: Nursery) -> None:
    for words in (
        ["serve"],
        ["talk"],
        ["doctor"],
        ["config", "show"],
        ["protocol", "asyncapi"],
        ["companions", "check"],
        ["analyse"],
    ):
        shown = fireside(born, *words, "--help")
        assert shown.code == 0
        assert f"fireside {words[0]}" in shown.out.split("For example")[1], words
