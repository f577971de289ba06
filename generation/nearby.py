"""Looks for an Ollama that has a model to talk with."""

from collections.abc import Sequence
from urllib.parse import urlsplit

import anyio
import msgspec

from companions.ports import ModelError
from generation.naming import OllamaModel
from generation.upstream import Upstream, upstream

LOOK_SECONDS = 1.0  # a server on this machine answers in milliseconds or not at all
NOT_FOR_TALKING = ("embed", "bert", "bge-", "minilm", "rerank")
OK = 200
HTTP_PORT = 80
MOST_BYTES = 4 * 1024 * 1024  # a model's licence and template come with it


class Listed(msgspec.Struct, frozen=True):
    """A model as ``/api/tags`` names it, the one changed last first."""

    name: str


class Listing(msgspec.Struct, frozen=True):
    """The answer of ``/api/tags``."""

    models: list[Listed] | None = None


class Shown(msgspec.Struct, frozen=True):
    """The answer of ``/api/show``; older servers do not say what a model can do."""

    capabilities: list[str] | None = None


class Nearby(msgspec.Struct, frozen=True):
    """What was found: a model, or None and the reason."""

    model: OllamaModel | None
    why: str


async def nearby_ollama(url: str) -> Nearby:
    """The first chat model of the Ollama at ``url``, looked for at most a second."""
    with anyio.move_on_after(LOOK_SECONDS):
        try:
            await _knock(url)
            async with upstream(url, most_connections=1) as server:
                return await _look(server, url)
        except (ModelError, OSError, msgspec.DecodeError, UnicodeDecodeError):
            return Nearby(None, f"no Ollama answers at {url}")
    return Nearby(None, f"the Ollama at {url} did not answer in time")


async def _knock(url: str) -> None:
    """Raises ``OSError`` where nobody listens: most often so, and then no HTTP library has to be loaded."""
    parts = urlsplit(url)
    async with await anyio.connect_tcp(parts.hostname or "", parts.port or HTTP_PORT):
        pass


async def _look(server: Upstream, url: str) -> Nearby:
    async with server.get("/api/tags", {}) as response:
        listing = msgspec.json.decode(await response.start_of_body(MOST_BYTES), type=Listing)
    names = [listed.name for listed in listing.models or ()]
    for name in likely(names):
        if await _can_talk(server, name):
            return Nearby(OllamaModel(name, url), f"the Ollama at {url} has {name}")
    return Nearby(None, f"the Ollama at {url} has no chat model; get one with: ollama pull NAME")


def likely(names: Sequence[str]) -> list[str]:
    """The names that are not those of embedding models."""
    return [name for name in names if not any(part in name.lower() for part in NOT_FOR_TALKING)]


async def _can_talk(server: Upstream, name: str) -> bool:
    async with server.post("/api/show", {}, msgspec.json.encode({"model": name})) as response:
        if response.status != OK:
            return False
        body = await response.start_of_body(MOST_BYTES)
    shown = msgspec.json.decode(body, type=Shown)
    return shown.capabilities is None or "completion" in shown.capabilities
