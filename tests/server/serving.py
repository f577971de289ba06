"""A real server over loopback, in the test's own loop, with everything it can be given."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from msgspec.structs import replace

from server.app import server
from server.order_line import STORE_FILE
from server.settings import Companions, Data, Limits, Listen, Model, Settings
from tests.storage.fresh import placed


def settings(
    folder: Path,
    *,
    model: str = "builtin",
    companion: str = "serenity",
    limits: Limits | None = None,
    own: Path | None = None,
) -> Settings:
    """Settings of a test: a free port, its own folder."""
    return Settings(
        listen=Listen(port=0),
        data=Data(folder=str(folder), durability="process"),
        model=Model(name=model, first_token_seconds=3.0, gap_seconds=2.0, total_seconds=20.0, for_jobs=False),
        companions=Companions(default=companion, folder=str(own) if own else ""),
        limits=limits or Limits(drain_seconds=2.0, commands_per_second=1_000.0),
    )


@asynccontextmanager
async def serving(chosen: Settings) -> AsyncGenerator[str]:
    """The address of a server that runs with ``chosen``: ``ws://127.0.0.1:PORT/ws``."""
    if not chosen.data.key_file:
        placed(Path(chosen.data.folder, STORE_FILE))
    async with server(chosen) as running:
        yield f"ws://127.0.0.1:{running.port}/ws"


def with_limits(chosen: Settings, limits: Limits) -> Settings:
    """The same settings with other limits."""
    return replace(chosen, limits=limits)
