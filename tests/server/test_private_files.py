"""Whatever the server writes is its owner's alone, also where the umask would let everybody read it."""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import anyio

import server.authority as authority
from loadtest.client import connected
from protocol.conversation_frames import ConversationDelete
from server.cli_memory import write_export
from server.job_keeper import ask_for_retry
from server.keys import make_key
from server.order_line import STORE_FILE
from server.restoring import Watch, made_whole
from server.retention import say_date
from server.scrubber import CLEAN_FILE
from storage.erased import LEDGER_FILE
from tests.server.serving import serving, settings


@contextmanager
def open_to_all() -> Generator[None]:
    """An umask that takes nothing away."""
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)


def others_may(folder: Path) -> dict[str, str]:
    """What somebody else may do with what is in ``folder``; sockets and folders too."""
    modes = {each: each.lstat().st_mode & 0o7777 for each in (folder, *folder.rglob("*"))}
    return {str(each.relative_to(folder)): oct(mode) for each, mode in modes.items() if mode & 0o077}


async def test_every_file_and_folder_is_its_owners_alone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with open_to_all():
        async with serving(settings(data)) as url, connected(url) as ann:
            await ann.hello(user="ann", companion="serenity")
            done = await ann.talk("My name is Ann.")
            await ann.ask(ConversationDelete(id="gone", conversation=done.conversation))
            authority.make_authority(data, (), authority.now())
            authority.make_certificate(data, ("localhost",), authority.now())
            assert others_may(data) == {}
        assert (data / LEDGER_FILE).exists()
        assert (data / CLEAN_FILE).exists()
        await anyio.to_thread.run_sync(
            lambda: write_export(
                settings(data), data / "ann.json", user="ann", companion="serenity", form="json"
            )
        )
        ask_for_retry(data, ["job_1"])
        say_date(data, "2026-01-31")
        make_key(data / "key")
        Watch(data / STORE_FILE).saw("row 1 missing from index")
        made_whole(data / STORE_FILE)  # sets it aside: it was written down as damaged
        assert list((data / "set-aside").glob("*/report.json"))
        assert others_may(data) == {}
