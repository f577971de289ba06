"""From the settings to the model that answers, and the promise that a local companion's talk stays local (D29)."""

from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Collection,
    Generator,
    Iterable,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager
from typing import TypeAlias

import anyio
from anyio.from_thread import start_blocking_portal
from msgspec.structs import replace

from actors.ports import no_vector
from companions.companion import Companion
from companions.ports import Embedder
from generation.choose import ModelSettings
from generation.deadlines import Deadlines
from generation.embedding import embedder
from generation.naming import EmbedderModel, Model, OnnxModel, is_on_this_machine, parse_embedder, written
from generation.onnx import file_of
from generation.timely import Timely, VectorOutcome, head_and_tail
from memory.vectors import Meaning
from server.finding import MeaningOf, nothing_meant
from server.settings import BadSetting, Settings
from storage.fulltext import Embed

VectorOf: TypeAlias = Callable[[str], Awaitable[tuple[float, ...] | None]]

AT_ONCE = 32  # texts a question to an embedder for a command


def model_settings(settings: Settings) -> ModelSettings:
    """What the generation room needs of the settings."""
    model = settings.model
    return ModelSettings(
        model=model.name or None,
        api_key=model.api_key,
        most_at_once=model.most_at_once,
        deadlines=Deadlines(
            first_token=model.first_token_seconds, gap=model.gap_seconds, total=model.total_seconds
        ),
    )


def embedder_of(settings: Settings) -> EmbedderModel | None:
    """The embedder that is configured; raises ``BadModelNameError``."""
    return parse_embedder(settings.embedder.name) if settings.embedder.name else None


def check_local(
    model: Model | OnnxModel,
    companions: Iterable[Companion],
    allowed: Collection[str],
    key: str = "model.name",
) -> None:
    """Refuse a model or an embedder beyond this machine for companions whose talk may not leave it.

    ``key`` is the setting that names it. Raises ``BadSetting``.
    """
    if is_on_this_machine(model):
        return
    local = {each.id for each in companions if each.policy.model.local_only and each.id not in allowed}
    if local:
        names = ", ".join(sorted(local))
        raise BadSetting(
            key,
            written(model),
            f"{names} may only use a model on this machine; name the companion in companions.allow_remote to allow it",
            "settings",
        )


def without_health(found: Mapping[str, Companion], model: Model) -> dict[str, Companion]:
    """The companions as they may talk with ``model``: health context goes to none beyond this machine (D29)."""
    if is_on_this_machine(model):
        return dict(found)
    return {name: _unhealthy(companion) for name, companion in found.items()}


def _unhealthy(companion: Companion) -> Companion:
    memory = replace(companion.policy.memory, health="never")
    return replace(companion, policy=replace(companion.policy, memory=memory))


def tells_feelings(model: EmbedderModel | None) -> bool:
    """Whether the embedder is, by its name, all-MiniLM-L6-v2: what the emotion reader's head was trained on."""
    if isinstance(model, OnnxModel):
        return model.file is None
    name = "" if model is None else model.name.lower()
    return "all-minilm" in name and not any(other in name for other in ("l12", "33m"))


def check_embedder(settings: Settings, companions: Iterable[Companion]) -> EmbedderModel | None:
    """The embedder that is configured, when it may be used.

    Raises ``BadSetting``, ``BadModelNameError`` and ``LocalModelError``.
    """
    model = embedder_of(settings)
    if isinstance(model, OnnxModel):
        file_of(model)
    if model is not None:
        check_local(model, companions, settings.companions.allow_remote, "embedder.name")
    return model


@asynccontextmanager
async def embedding(settings: Settings) -> AsyncGenerator[Embedder | None]:
    """The embedder that is configured, ready to be asked; raises ``BadModelNameError`` and ``LocalModelError``."""
    model = embedder_of(settings)
    if model is None:
        yield None
        return
    async with embedder(model, api_key=settings.embedder.api_key) as found:
        yield found


@contextmanager
def embedding_at_once(name: str) -> Generator[Embed]:
    """The embedder of that name, for a command that waits for it; raises as ``embedding`` does."""
    model = parse_embedder(name)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(embedder(model)) as found:

        def embed(texts: Sequence[str]) -> list[Sequence[float]]:
            plain = [head_and_tail(text) for text in texts]
            return [
                vector
                for first in range(0, len(plain), AT_ONCE)
                for vector in portal.call(found.embed, plain[first : first + AT_ONCE])
            ]

        yield embed


@asynccontextmanager
async def vectors(found: Embedder | None, count: Callable[[VectorOutcome], None]) -> AsyncGenerator[VectorOf]:
    """What gives a message its vector in time, or None; without an embedder always None."""
    if found is None:
        yield no_vector
        return
    async with anyio.create_task_group() as tasks:
        timely = Timely(found, count)
        tasks.start_soon(timely.warm, name="embedder.warm")
        yield timely
        tasks.cancel_scope.cancel()


def meanings(found: Embedder | None, vector: VectorOf) -> MeaningOf:
    """What gives a text that is searched for its meaning in time, or None."""
    if found is None:
        return nothing_meant

    async def meaning(text: str) -> Meaning | None:
        made = await vector(text)
        return None if made is None else Meaning(model=found.name, vector=made)

    return meaning
