"""What an operator can mend is said in a sentence with an exit code, as the real command says it."""

import socket
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TypeAlias

import pytest

from loadtest.nursery import Nursery
from storage.lock import held
from tests.commanding import fireside

Serve: TypeAlias = Callable[..., tuple[int, str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder that nobody has used."""
    return tmp_path / "data"


@pytest.fixture
def taken_port() -> Generator[int]:
    """A port somebody else listens on."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def refused(born: Nursery, *arguments: str) -> tuple[int, str]:
    """The exit code of the command, and what it said last to the operator."""
    told = fireside(born, *arguments)
    return told.code, told.err.strip().splitlines()[-1]


@pytest.fixture
def serve(born: Nursery, folder: Path) -> Serve:
    """``fireside serve`` that cannot start."""

    def run(*arguments: str, port: int = 0) -> tuple[int, str]:
        chosen = ("--data", str(folder), "--port", str(port))
        return refused(born, "serve", "--model", "builtin", *chosen, *arguments)

    return run


def test_a_port_in_use_is_named_with_what_to_do(serve: Serve, taken_port: int) -> None:
    assert serve(port=taken_port) == (
        2,
        f"fireside: port {taken_port} of 127.0.0.1 is in use by another program; choose another with --port",
    )


def test_an_address_of_another_machine_is_named(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "fireside.toml"
    file.write_text("[listen]\nplain_network = true\n")
    code, said = serve("--host", "192.0.2.5", "--config", str(file))
    assert (code, said.partition(" (")[0]) == (2, "fireside: 192.0.2.5 is no address of this machine")


def test_a_folder_that_is_held_says_by_whom(serve: Serve, folder: Path) -> None:
    with held(folder):
        code, said = serve()
    assert code == 3
    assert said.startswith(f"fireside: {folder} is in use by process ")
    assert said.endswith("Stop it, or choose another folder with --data.")


def test_a_folder_that_is_a_file_is_refused(serve: Serve, folder: Path) -> None:
    folder.touch()
    code, said = serve()
    assert (code, said.partition(". ")[0]) == (3, f"fireside: the data folder {folder} is a file")


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("wrong", "'wrong' names no kind of model"),
        ("openai:x", "'openai:x' does not say where the server is"),
        ("local:/nowhere/none.gguf", "/nowhere/none.gguf: can not be read"),
        ("openai:x@http://192.0.2.5/v1", "model.name = 'openai:x@http://192.0.2.5/v1'"),
    ],
)
def test_a_model_that_cannot_be_used_is_named(born: Nursery, folder: Path, model: str, words: str) -> None:
    code, said = refused(born, "serve", "--data", str(folder), "--port", "0", "--model", model)
    assert code == 2
    assert words in said


def test_a_misspelt_setting_is_told_the_nearest(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "fireside.toml"
    file.write_text("[listen]\nprot = 3\n")
    code, said = serve("--config", str(file))
    assert (code, said) == (
        2,
        f"fireside: listen.prot = 3 (from {file}): no setting has that name; did you mean listen.port?",
    )


def test_the_doctor_finds_a_model_file_that_is_not_there(born: Nursery, folder: Path) -> None:
    told = fireside(born, "doctor", "--data", str(folder), "--model", "local:/nowhere/none.gguf")
    assert told.code == 1
    assert "NOT  model" in told.out
    assert "/nowhere/none.gguf: can not be read" in told.out


def test_a_folder_that_nobody_can_look_into_is_said_to_be_what_is_wrong(born: Nursery, folder: Path) -> None:
    code, said = refused(
        born, "serve", "--model", "builtin", "--port", "0", "--data", str(folder.with_name("x" * 300))
    )
    assert code == 3
    assert "the data folder" in said
    assert "File name too long" in said


def test_a_setting_with_a_nul_is_refused_by_its_key(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "fireside.toml"
    file.write_text('[data]\nkey_file = "a\\u0000b"\n', encoding="utf-8")
    code, said = serve("--config", str(file))
    assert (code, "data.key_file" in said, "NUL" in said) == (2, True, True)
