"""A fault of ours in one command is answered and logged by its place in the code; whoever it met talks on."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import server.orders as orders
from loadtest.client import Refusal, Talker, connected
from loadtest.nursery import Nursery
from protocol.device_frames import DeviceList
from protocol.frames import Command
from protocol.memory_frames import MemoryList
from server.order_line import STORE_FILE
from storage.engine import connect
from tests.server.test_entrance import order


@contextmanager
def without(file: Path, table: str) -> Generator[None]:
    """While the block runs every question that names ``table`` is a wrong statement, as a fault of ours would be."""
    with closing(connect(file, isolation_level=None)) as db:
        db.execute(f"ALTER TABLE {table} RENAME TO gone")
        try:
            yield
        finally:
            db.execute(f"ALTER TABLE gone RENAME TO {table}")


async def refusal(talker: Talker, command: Command) -> str | None:
    try:
        await talker.ask(command)
    except Refusal as refused:
        return refused.code
    return None


async def test_a_fault_in_a_command_ends_neither_a_talk_nor_a_connection_and_shows_nothing(
    tmp_path: Path, born: Nursery
) -> None:
    file = tmp_path / "data" / STORE_FILE
    async with born.server_process(tmp_path) as server:
        token = (await order(tmp_path / "data", orders.GiveToken(name="Desk", role="admin")))[-1]
        async with connected(server.url) as ann, connected(server.url) as admin:
            await ann.hello(user="ann", companion="serenity")
            await admin.hello(token=token)
            await ann.talk("My zanzibarquince is in bloom.")
            with without(file, "facts"):
                for number in range(5):  # more often than a session is begun anew
                    assert await refusal(ann, MemoryList(id=f"m{number}")) == "server.failed"
            with without(file, "tokens"):
                assert await refusal(admin, DeviceList(id="d")) == "server.failed"
            assert await refusal(ann, MemoryList(id="m")) is None
            assert await refusal(admin, DeviceList(id="d")) is None
            assert (await ann.talk("Good night.")).status == "completed"
        log = server.log.read_text()
    assert log.count("command.failed") == 6
    assert "actor.crashed" not in log
    assert "zanzibarquince" not in log
