"""``fireside talk`` as a person at the terminal meets it: the real command against a real server."""

import signal
import socket
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path
from typing import TypeAlias

import anyio
import anyio.abc
import pytest

from loadtest.model_script import Script
from loadtest.nursery import Nursery
from loadtest.process import Child
from server.orders import GiveToken
from tests.server.scenes import played
from tests.server.serving import serving, settings
from tests.server.test_entrance import at_rest, kiosk

WAVES = Script(text="wave " * 2_000, tokens_per_second=50.0)
"""An answer that goes on for longer than any test."""


class Terminal:
    """The command, and what it printed so far."""

    def __init__(self, life: Child, line: socket.socket) -> None:
        self.life = life
        self.printed = ""
        self._line = line

    async def type(self, text: str) -> None:
        await anyio.wait_writable(self._line)
        self._line.sendall(f"{text}\n".encode())

    def ends(self) -> None:
        """Nothing more will be typed."""
        self._line.shutdown(socket.SHUT_WR)

    async def reads(self, words: str) -> None:
        """Until ``words`` were printed."""
        with anyio.fail_after(60):
            while words not in self.printed:
                assert await self._more(), self.printed

    async def exit_code(self) -> int:
        with anyio.fail_after(60):
            while await self._more():
                pass
            return await self.life.wait()

    async def _more(self) -> bool:
        await anyio.wait_readable(self._line)
        more = self._line.recv(65_536).decode()
        self.printed += more
        return bool(more)


Opens: TypeAlias = Callable[..., AbstractAsyncContextManager[Terminal]]


@pytest.fixture
def terminal(born: Nursery) -> Opens:
    """``fireside talk`` to the server at an address, in a process that the nursery bears."""

    @asynccontextmanager
    async def talk(url: str, *arguments: str) -> AsyncGenerator[Terminal]:
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                life = born.born(["talk", "--url", url, *arguments], [theirs.fileno()] * 3)
            with closing(life):
                yield Terminal(life, ours)

    return talk


@asynccontextmanager
async def whole(url: str, *arguments: str) -> AsyncGenerator[Terminal]:
    """The same, started as a person starts it."""
    command = [sys.executable, "-m", "server.cli", "talk", "--url", url, *arguments]
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            process = await anyio.open_process(
                command, stdin=theirs.fileno(), stdout=theirs.fileno(), stderr=theirs.fileno()
            )
        async with process:
            yield Terminal(process, ours)


async def test_a_talk_by_a_pipe_ends_with_the_pipe(tmp_path: Path) -> None:
    async with serving(settings(tmp_path)) as url, whole(url, "--companion", "clara") as person:
        await person.type("Good morning")
        person.ends()
        assert await person.exit_code() == 0
        assert person.printed.startswith("You are talking with clara")
        told, answer = person.printed.split("not a human being.")
        assert "I am a computer program" in told
        assert len(answer.replace(">", "").strip()) > 0


async def test_a_companion_there_is_not_is_said_once_and_ends_the_talk(
    tmp_path: Path, terminal: Opens
) -> None:
    async with serving(settings(tmp_path)) as url, terminal(url, "--companion", "nobody") as person:
        assert await person.exit_code() == 2
        assert person.printed == "There is no companion of that name; hello may come again.\n"


async def test_where_a_token_is_asked_for_it_comes_from_a_file(tmp_path: Path, terminal: Opens) -> None:
    _, shown = at_rest(tmp_path, GiveToken(name="Terminal", role="person", user="ann"))
    file = tmp_path / "token"
    file.write_text(f"{shown}\n")
    async with serving(kiosk(settings(tmp_path))) as url:
        async with terminal(url) as person:
            assert await person.exit_code() == 2
            assert "set up again" in person.printed
        async with terminal(url, "--token-file", str(file)) as person:
            await person.reads("You are talking with serenity")
            assert shown not in person.printed
            person.ends()
            assert await person.exit_code() == 0


async def test_no_server_is_said_with_what_to_do(terminal: Opens) -> None:
    async with terminal("ws://127.0.0.1:9/ws") as person:
        assert await person.exit_code() == 1
        assert person.printed.strip().endswith("Start one with: fireside serve")


async def test_what_is_no_address_is_refused(terminal: Opens) -> None:
    async with terminal("nonsense") as person:
        assert await person.exit_code() == 2
        assert person.printed.startswith("nonsense is no address of a server")


async def test_a_server_that_goes_ends_the_talk_while_nothing_is_typed(
    tmp_path: Path, terminal: Opens
) -> None:
    async with anyio.create_task_group() as tasks:
        async with serving(settings(tmp_path)) as url:
            person = await tasks.start(_held_open, terminal(url))
        assert await person.exit_code() == 1
        assert "The server ended the talk." in person.printed
        tasks.cancel_scope.cancel()


async def _held_open(
    opened: AbstractAsyncContextManager[Terminal], *, task_status: anyio.abc.TaskStatus[Terminal]
) -> None:
    async with opened as person:
        await person.reads("Ctrl-D ends.")
        task_status.started(person)
        await anyio.sleep_forever()


async def test_an_interrupt_stops_the_answer_and_the_next_one_ends_the_talk(
    tmp_path: Path, terminal: Opens
) -> None:
    async with played(tmp_path, WAVES, Script(text="Yes.")) as scene, terminal(scene.url) as person:
        await person.reads("> ")
        await person.type("Tell me something long.")
        await person.reads("wave")
        person.life.send_signal(signal.SIGINT)
        await person.reads("\n\n> ")
        await person.type("Are you there?")
        await person.reads("Yes.\n\n> ")
        person.life.send_signal(signal.SIGINT)
        assert await person.exit_code() == 130
