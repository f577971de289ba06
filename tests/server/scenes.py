"""Scenes of the whole server: a scripted model behind it, and a guarded companion in no hurry."""

import re
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
from msgspec.structs import replace

import companions
from loadtest.client import Talker, connected
from loadtest.model_script import Script
from loadtest.model_server import ModelServer, model_server
from server.settings import Limits, Model, Settings
from tests.server.serving import serving, settings

GUARDED = "willow"  # a guarded companion like Clara, without her slow pace
SLOW = Script(tokens=2_000, tokens_per_second=50.0)
"""An answer that goes on for longer than any test."""

PATIENT = Model(first_token_seconds=60.0, gap_seconds=60.0, total_seconds=120.0)
"""For an answer that is held back: however long what comes meanwhile takes, the model is waited for."""

LIBRARY = Path(companions.__file__).parent / "library"


def guarded_folder(folder: Path, *, patience: int | None = None) -> Path:
    """A folder with ``willow``: Clara's whole folder, her pace taken out, ``patience`` (seconds) put in."""
    own = folder / "own"
    shutil.copytree(LIBRARY / "clara", own / GUARDED)
    toml = own / GUARDED / "companion.toml"
    text = re.sub(r"\[pacing\]\n(?:.+\n)+", "", toml.read_text(encoding="utf-8"))
    text = text.replace('name = "Clara"', 'name = "Willow"')
    if patience is not None:
        text = re.sub(r"patience_seconds = \d+", f"patience_seconds = {patience}", text)
    toml.write_text(text, encoding="utf-8")
    return own


@dataclass(frozen=True)
class Scene:
    """A server that runs, and the model server that answers for it."""

    url: str
    model: ModelServer
    chosen: Settings
    data: Path

    @asynccontextmanager
    async def greeted(self, *, companion: str = "serenity", user: str = "ann") -> AsyncGenerator[Talker]:
        """A client that has said hello."""
        async with connected(self.url) as talker:
            await talker.hello(companion=companion, user=user)
            yield talker


@asynccontextmanager
async def played(
    folder: Path,
    *scripts: Script,
    model: Model | None = None,
    limits: Limits | None = None,
    patience: int | None = None,
    name: str = "m",
) -> AsyncGenerator[Scene]:
    """A server with its data in ``folder`` whose model, called ``name``, plays ``scripts``."""
    own = folder / "own"
    if not own.exists():
        guarded_folder(folder, patience=patience)
    async with model_server(*scripts) as upstream:
        chosen = settings(folder / "data", model=f"openai:{name}@{upstream.url}/v1", own=own, limits=limits)
        if model is not None:
            chosen = replace(chosen, model=replace(model, name=chosen.model.name))
        async with serving(chosen) as url:
            yield Scene(url, upstream, chosen, folder / "data")


async def closed_upstream(upstream: ModelServer, count: int = 1) -> bool:
    """Whether the model's request number ``count`` was closed from our side before its answer was complete."""
    with anyio.fail_after(60):
        request = await upstream.asked(count)
        await request.ended.wait()
    return request.closed_early
