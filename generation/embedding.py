"""Vectors of texts, from an encoder in this process or from a server.

Servers are asked by Ollama's ``/api/embed``, or by ``/embeddings`` of any that speaks OpenAI's API.

Servers differ in whether they bring vectors to length one, so it is done here. How long a vector is shows in the
first answer; an answer of another length later means that another model sits behind the name, whose vectors can
not be compared with the earlier ones, so it is refused. Source: Ollama's and OpenAI's API documents.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import anyio
import msgspec

from companions.ports import Embedder, ModelError
from generation.dialect import refusal
from generation.naming import EmbedderModel, OllamaModel, OnnxModel, OpenAIModel
from generation.onnx import LocalEmbedder, unit
from generation.patience import retry_after
from generation.upstream import Upstream, upstream

Vector: TypeAlias = tuple[float, ...]

OK = 200
EMBED_SECONDS = 30.0  # a server may have to load its model first; who can not wait sets a shorter deadline
MOST_CONNECTIONS = 16
MOST_DIMENSION = 8_192
MOST_BYTES_EACH = 32 * MOST_DIMENSION  # of JSON for one vector
KEEP = "24h"  # how long Ollama keeps the model: one that has to be loaded comes too late for a message


class Listed(msgspec.Struct, frozen=True):
    """One vector of OpenAI's answer; ``index`` is the place of its text."""

    index: int
    embedding: list[float]


class OpenAIVectors(msgspec.Struct, frozen=True):
    """OpenAI's answer."""

    data: list[Listed]


class OllamaVectors(msgspec.Struct, frozen=True):
    """Ollama's answer, in the order of the texts."""

    embeddings: list[list[float]]


@asynccontextmanager
async def embedder(
    model: EmbedderModel, *, api_key: str = "", seconds: float = EMBED_SECONDS
) -> AsyncGenerator[Embedder]:
    """The embedder, ready to be asked; its connections are closed at the end.

    Raises ``LocalModelError`` where it is to run in this process and can not.
    """
    if isinstance(model, OnnxModel):
        yield await LocalEmbedder.loaded(model)
        return
    async with upstream(model.url, most_connections=MOST_CONNECTIONS) as server:
        yield RemoteEmbedder(model, server, api_key=api_key, seconds=seconds)


class RemoteEmbedder:
    """An embedder behind HTTP. ``dimension`` is 0 until the first answer has come."""

    def __init__(
        self, model: OllamaModel | OpenAIModel, server: Upstream, *, api_key: str, seconds: float
    ) -> None:
        self.name = model.name
        self.dimension = 0
        self._model = model
        self._server = server
        self._headers = {"authorization": f"Bearer {api_key}"} if api_key else {}
        self._seconds = seconds

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of ``texts``, in order, each of length one; raises ``ModelError``."""
        if not texts:
            return []
        try:
            with anyio.fail_after(self._seconds):
                body = await self._asked(texts)
        except TimeoutError:
            raise ModelError("first_token", "the embedder did not answer in time") from None
        vectors = [unit(vector) for vector in self._read(body)]
        self._check(vectors, len(texts))
        return vectors

    async def _asked(self, texts: Sequence[str]) -> bytes:
        question: dict[str, Any] = {
            "model": self.name,
            "input": list(texts),
        }  # Any: JSON of an outside format
        match self._model:
            case OllamaModel():
                path, more = "/api/embed", {"keep_alive": KEEP}
            case OpenAIModel():
                path, more = "/embeddings", {"encoding_format": "float"}
        async with self._server.post(path, self._headers, msgspec.json.encode(question | more)) as response:
            if response.status != OK:
                body = await response.start_of_body()
                raise refusal(response.status, body, retry_after(response.headers))
            return await response.start_of_body(MOST_BYTES_EACH * len(texts))

    def _read(self, body: bytes) -> list[list[float]]:
        try:
            if isinstance(self._model, OllamaModel):
                return msgspec.json.decode(body, type=OllamaVectors).embeddings
            listed = sorted(msgspec.json.decode(body, type=OpenAIVectors).data, key=lambda each: each.index)
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ModelError("broken", "the embedder's answer is not what its protocol promises") from None
        if [each.index for each in listed] != list(range(len(listed))):
            raise ModelError("broken", "the embedder's answer names its texts wrongly")
        return [each.embedding for each in listed]

    def _check(self, vectors: Sequence[Vector], count: int) -> None:
        if len(vectors) != count:
            raise ModelError("broken", "the embedder gave another number of vectors than of texts")
        lengths = {len(vector) for vector in vectors}
        expected = self.dimension or len(vectors[0])
        if lengths != {expected} or expected > MOST_DIMENSION:
            raise ModelError("broken", "the embedder gave vectors of another dimension than before")
        self.dimension = expected
