"""What this installation may talk to, and who may talk to it: said from the settings, without asking anybody.

There is one seam to the network outward, ``generation.http``; it is given an address by ``model.name`` and by
``embedder.name`` alone. Whatever is not named by these is reached by nobody.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from ipaddress import IPv6Address, ip_address
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec

from companions.companion import Companion
from generation.addresses import is_local
from generation.naming import (
    OLLAMA_URL,
    BuiltinModel,
    EmbedderModel,
    LocalModel,
    Model,
    OllamaModel,
    OnnxModel,
    parse_embedder,
    parse_model,
)
from server import certificates
from server.addresses import EVERYWHERE
from server.origins import is_loopback
from server.settings import Loaded, Settings

Reach: TypeAlias = Literal["this machine", "the local network", "the internet"]
UNSET_MODEL = "model.name is empty, so an Ollama is looked for here, at each start"


class Outward(msgspec.Struct, frozen=True, kw_only=True):
    """One address that may be talked to. ``refused`` are companions for whose sake the server would not start."""

    what: str
    address: str | None  # None: nothing is connected to
    where: Reach
    set_by: str
    used_by: tuple[str, ...]
    refused: tuple[str, ...] = ()


class Inward(msgspec.Struct, frozen=True, kw_only=True):
    """What listens."""

    host: str
    port: int
    where: str
    tls: bool


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """The whole of it."""

    outward: tuple[Outward, ...]
    inward: Inward
    lines: tuple[str, ...]  # in plain words, for whoever runs the server


def network(loaded: Loaded, companions: Iterable[Companion]) -> Reported:
    """Every address there is in these settings; nothing is connected to or looked up.

    Raises ``BadModelNameError``.
    """
    settings, found = loaded.settings, tuple(companions)
    outward = (_of_model(loaded, found), _of_embedder(loaded, found))
    inward = _listens(settings)
    lines = (*_out_words(outward), *_in_words(inward), *_companion_words(settings, found))
    return Reported(outward=outward, inward=inward, lines=lines)


def where(url: str) -> Reach:
    """How far ``url`` is away. A name that is not this machine's may lead anywhere: it counts as the internet."""
    if is_local(url):
        return "this machine"
    host = urlsplit(url).hostname or ""
    if host.endswith(".local"):
        return "the local network"
    try:
        address = ip_address(host)
    except ValueError:
        return "the internet"
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return "the local network" if (mapped or address).is_private else "the internet"


def _origin(loaded: Loaded, key: str) -> str:
    return f"{key}, from {loaded.origins.get(key, 'default')}"


def _of_model(loaded: Loaded, companions: Sequence[Companion]) -> Outward:
    name = loaded.settings.model.name
    model: Model = parse_model(name) if name else OllamaModel("", OLLAMA_URL)
    return _outward("language model", model, _origin(loaded, "model.name"), loaded, companions)


def _of_embedder(loaded: Loaded, companions: Sequence[Companion]) -> Outward:
    name = loaded.settings.embedder.name
    model = parse_embedder(name) if name else OnnxModel()
    return _outward("embedder", model, _origin(loaded, "embedder.name"), loaded, companions)


def _outward(
    what: str, model: Model | EmbedderModel, set_by: str, loaded: Loaded, companions: Sequence[Companion]
) -> Outward:
    address = None if isinstance(model, BuiltinModel | LocalModel | OnnxModel) else model.url
    reach: Reach = "this machine" if address is None else where(address)
    kept = _kept_here(companions, loaded.settings.companions.allow_remote) if reach != "this machine" else ()
    names = tuple(each.id for each in companions)
    return Outward(
        what=what,
        address=address,
        where=reach,
        set_by=set_by,
        used_by=names if not kept else (),
        refused=kept,
    )


def _kept_here(companions: Iterable[Companion], allowed: Collection[str]) -> tuple[str, ...]:
    return tuple(each.id for each in companions if each.policy.model.local_only and each.id not in allowed)


def _listens(settings: Settings) -> Inward:
    host = settings.listen.host
    near = host == "localhost" or is_loopback(host)
    reached = "this machine alone" if near else "every network of this machine" * (host in EVERYWHERE)
    certificate = settings.folder / certificates.FOLDER / certificates.SERVER
    return Inward(
        host=host,
        port=settings.listen.port,
        where=reached or "the network of that address",
        tls=certificate.exists(),
    )


def _out_words(outward: Iterable[Outward]) -> Iterator[str]:
    yield "This server talks to:"
    for each in outward:
        if each.address is None:
            yield f"  {each.what}: no address; nothing is connected to ({each.set_by})"
            continue
        yield f"  {each.what}: {each.address} - {each.where} ({each.set_by})"
        if each.set_by.startswith("model.name, from default"):
            yield f"    {UNSET_MODEL}"
        if each.refused:
            names = ", ".join(each.refused)
            yield f"    NOT allowed: {names} stay on this machine, and the server does not start with this;"
            yield "    name them in companions.allow_remote to allow it"
        else:
            yield f"    used by: {', '.join(each.used_by)}"
    yield "  nothing else: no updates, no figures, no pages or fonts from elsewhere, no proxy"


def _in_words(inward: Inward) -> Iterator[str]:
    carried = "with TLS" if inward.tls else "in the clear"
    yield "It listens at:"
    yield f"  {inward.host}, port {inward.port or 'any free one'} - reached from {inward.where}, {carried}"


def _companion_words(settings: Settings, companions: Iterable[Companion]) -> Iterator[str]:
    yield "Companions:"
    for each in companions:
        if not each.policy.model.local_only:
            yield f"  {each.id}: may use a model elsewhere"
        elif each.id in settings.companions.allow_remote:
            yield (
                f"  {each.id}: stays on this machine, but companions.allow_remote lets it use a model elsewhere"
            )
        else:
            yield f"  {each.id}: stays on this machine (local_only)"
