"""``fireside export | import | purge``: a person's memory taken along and brought in, and old talks removed.

They hold the lock of the data folder, so they run while the server does not; a person who talks has the same on
their page, through the running server.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import anyio
from cyclopts import Parameter

from server import retention
from server.app import STORE_FILE
from server.casting import companions
from server.exporting import bring_file_in, export
from server.ids import now_ms
from server.keys import unlocked
from server.scrubber import Scrubber
from server.settings import BadSetting, Settings
from storage.audit import Act, record
from storage.connection import Store, opened
from storage.lock import held
from storage.private_files import private

User = Annotated[str | None, Parameter(help="Whose memory.")]
Companion = Annotated[str | None, Parameter(help="With which companion.")]
Run: TypeAlias = Callable[[Store], Awaitable[None]]


def write_export(
    chosen: Settings, file: Path, *, user: str, companion: str, form: Literal["json", "html"]
) -> None:
    """Write a person's memory into ``file``, which only its owner may read."""
    named = companions(chosen.companions.folder).get(companion)
    if named is None:
        raise BadSetting("--companion", companion, "there is no such companion", "command line")

    async def run(store: Store) -> None:
        act = Act(person=user, companion=named.id, role="staff", did="exported")
        await store.transact(lambda db: record(db, act, now_ms()))
        made = await export(store, user=user, companion=named.id, name=named.name, form=form, at=now_ms())
        await anyio.to_thread.run_sync(private, file, made.content)

    _with_store(chosen, run)
    print(f"{file}: written.")


def read_import(chosen: Settings, file: Path, *, user: str | None, companion: str | None) -> None:
    """Bring a file in; raises ``BadFile`` and then has changed nothing."""
    content = file.read_bytes()
    if companion is not None and companion not in companions(chosen.companions.folder):
        raise BadSetting("--companion", companion, "there is no such companion", "command line")

    async def run(store: Store) -> None:
        done = await bring_file_in(store, content, user=user, companion=companion, at=now_ms())
        await Scrubber(store, chosen.folder).settle()
        told = ", ".join(f"{count} {table.replace('_', ' ')}" for table, count in done.added.items())
        print(f"Brought in: {told or 'nothing new'}. Here before: {done.here} rows.")
        if done.erased:
            print(f"Left out what was erased here before ({done.erased} removals).")

    _with_store(chosen, run)


def purge_archived(chosen: Settings, before: str) -> None:
    """Remove the conversations that were put away before a date (YYYY-MM-DD, UTC), of everybody.

    The date is staff's own, so it is not asked whether the clock can be believed; one that is yet to come is refused.
    """
    try:
        at = round(datetime.strptime(before, "%Y-%m-%d").replace(tzinfo=UTC).timestamp() * 1_000)
    except ValueError:
        raise BadSetting("--before", before, "expected a date such as 2026-01-31", "command line") from None

    if at > now_ms():
        raise BadSetting("--before", before, "that day is yet to come", "command line")

    async def run(store: Store) -> None:
        gone = 0
        while found := await store.transact(lambda db: retention.purge_archived(db, at, now_ms())):
            gone += found
        if gone:
            await Scrubber(store, chosen.folder).now()
        print(f"{gone} conversations removed that were put away before {before}.")

    _with_store(chosen, run)


def _with_store(chosen: Settings, run: Run) -> None:
    async def whole() -> None:
        async with opened(chosen.folder / STORE_FILE, chosen.data.durability) as store:
            await run(store)

    unlocked(chosen)
    with held(chosen.folder):
        anyio.run(whole)
