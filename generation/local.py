"""A GGUF file run by llama.cpp inside this process.

llama.cpp brings its own server; it is started on a free loopback port with a key made for the occasion and
without its pages, and spoken to like any other. So a model in the process is stopped, bounded and timed by
the same code as one far away. One core is left to the rest of this server.
"""

import importlib
import os
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import msgspec

MAGIC = b"GGUF"


class LocalSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``slots`` answers at once, each with a window of ``context_tokens``; ``threads`` None: all cores but
    one.
    """

    slots: int = 2
    context_tokens: int = 8192
    threads: int | None = None


class LocalModelError(Exception):
    """The file can not be run here. The message says why and what to do."""


class LocalServer(msgspec.Struct, frozen=True):
    """Where it listens, up to and with ``/v1``, and the key it asks for."""

    url: str
    key: str

    def __repr__(self) -> str:
        return f"LocalServer({self.url!r})"


@asynccontextmanager
async def serving(file: Path, settings: LocalSettings) -> AsyncGenerator[LocalServer]:
    """llama.cpp with this file loaded, until the context is left. Raises ``LocalModelError``."""
    key = secrets.token_urlsafe(32)
    held = [await anyio.to_thread.run_sync(_start, file, settings, key)]
    try:
        yield LocalServer(f"{held[0].listening_address}/v1", key)
    finally:
        with anyio.CancelScope(shield=True):  # it ends by itself: requests under way are broken off
            await anyio.to_thread.run_sync(held.clear)


def _start(file: Path, settings: LocalSettings, key: str) -> Any:  # Any: xllamacpp has no types
    check_file(file)
    try:
        llama = importlib.import_module("xllamacpp")
    except ImportError as error:
        raise LocalModelError(
            f"{file}: a model in this process needs llama.cpp; install it with: pip install 'fireside[local]'"
        ) from error
    params = llama.CommonParams()
    params.model.path = os.fspath(file)
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    params.ui = False
    params.verbosity = 0  # its log would repeat what people say
    params.n_parallel = settings.slots
    params.n_ctx = settings.context_tokens * settings.slots
    threads = settings.threads or max(1, (os.cpu_count() or 2) - 1)
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    try:
        return llama.Server(params)
    except RuntimeError as error:
        raise LocalModelError(
            f"{file}: llama.cpp can not load it; is it a whole file of a chat model?"
        ) from error


def check_file(file: Path) -> None:
    """Raise ``LocalModelError`` for what cannot be read or is no GGUF file."""
    try:
        with file.open("rb") as opened:
            magic = opened.read(len(MAGIC))
    except OSError as error:
        raise LocalModelError(f"{file}: can not be read ({error.strerror})") from error
    if magic != MAGIC:
        raise LocalModelError(f"{file}: is not a GGUF file")
