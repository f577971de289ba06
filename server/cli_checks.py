"""What an operator looks at: is this installation well, and what does the wire look like."""

import platform
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import msgspec

from companions.errors import PolicyError
from generation.choose import choose
from generation.local import LocalModelError, check_file
from generation.naming import BadModelNameError, LocalModel, written
from protocol.asyncapi import asyncapi
from protocol.schema import json_schema
from server import authority, data_folder
from server.app import STORE_FILE
from server.casting import at_home, companions, own
from server.cli_keeper import rests_words
from server.contacts import contacts_of
from server.ids import now_ms
from server.keys import unlocked
from server.listener import check_network
from server.models import check_embedder, check_local, model_settings
from server.network import network
from server.origins import is_loopback
from server.plain_words import store_words
from server.settings import BadSetting, Loaded, Settings
from server.tls import tls_of
from storage.backups import backups
from storage.connection import read_only
from storage.engine import errors
from storage.grants import all_grants
from storage.lock import FolderHeld, FolderUnusable, held
from storage.migrating import refuse_newer
from storage.order import purge_rests
from storage.refusals import StoreRefused
from storage.restoring import last_restored
from storage.sizes import sizes
from storage.tokens import all_tokens, is_open

_SILENT: Final[tuple[type[Exception], ...]] = (StoreRefused, *errors())


class Finding(msgspec.Struct, frozen=True):
    """One look: well or not, what was looked at, what was seen."""

    well: bool
    what: str
    seen: str


def own_version() -> str:
    """The version of Fireside that runs here."""
    try:
        return version("fireside")
    except PackageNotFoundError:
        return "not installed, run from its folder"


async def doctor(settings: Settings) -> int:
    """Print what is well and what is not; the number of things that are not."""
    findings = [
        *_machine(),
        *_folder(settings),
        _network(settings),
        _alerts(settings),
        *_companions(settings),
        await _model(settings),
        look_at_embedder(settings),
    ]
    width = max(len(each.what) for each in findings)
    for each in findings:
        print(f"{'ok ' if each.well else 'NOT'}  {each.what:<{width}}  {each.seen}")
    bad = sum(not each.well for each in findings)
    print("Everything is well." if not bad else f"{bad} of {len(findings)} need a look.")
    return min(bad, 100)


def network_told(loaded: Loaded) -> int:
    """Print what is talked to and what listens; the number of addresses that companions may not use.

    Raises ``BadModelNameError`` and ``PolicyError``.
    """
    found = network(loaded, companions(loaded.settings.companions.folder).values())
    print("\n".join(found.lines))
    return sum(bool(each.refused) for each in found.outward)


def _machine() -> Iterator[Finding]:
    yield Finding(True, "fireside", own_version())
    yield Finding(True, "python", platform.python_version())
    fts = "fts5" if _has_fts5() else "no FTS5: search will not work"
    yield Finding(_has_fts5(), "sqlite", f"{sqlite3.sqlite_version}, {fts}")


def _has_fts5() -> bool:
    with sqlite3.connect(":memory:") as db:
        options = [row[0] for row in db.execute("PRAGMA compile_options")]
    db.close()
    return any("FTS5" in option for option in options)


def _folder(settings: Settings) -> Iterator[Finding]:
    folder = settings.folder
    try:
        place = data_folder.look(folder)
    except OSError as error:
        yield Finding(
            False, "data folder", f"{folder}: nobody may look ({error.strerror}); run this as its owner"
        )
        return
    well, seen = data_folder.told(place)
    yield Finding(well, "data folder", seen)
    enough, free = data_folder.room(place)
    yield Finding(enough, "free space", free)
    if not place.may_look:
        return  # what else there is to see is inside of it
    yield _encrypted(settings)
    if place.there and place.is_folder:
        if "lock" in place.names:  # where there is none nobody holds it, and none is left by looking
            yield _looked("in use", lambda: _held(folder))
        yield _looked("store", lambda: _store(folder / STORE_FILE))
        yield from _certificates(folder)
        yield _who_comes_in(settings)
        yield from _kept(folder / STORE_FILE)
        yield from _restored(folder)


def _certificates(folder: Path) -> Iterator[Finding]:
    """Until when devices can trust this server; nothing where no certificate was made."""
    try:
        ends = authority.ends_of(folder)
    except (OSError, ValueError) as error:
        seen = f"cannot be read ({type(error).__name__}); make it anew with `fireside init --tls`"
        yield Finding(False, "certificates", seen)
        return
    if ends is None:
        return
    now, day = authority.now(), "%Y-%m-%d"
    lasts = ends.server > now and ends.authority - authority.SOON > now
    seen = f"the server's until {ends.server:{day}}, renewed by itself; the authority's until {ends.authority:{day}}"
    if ends.server <= now:
        seen += "; the server's has ended: start the server, or run `fireside init --tls`"
    if ends.authority - authority.SOON <= now:
        seen += (
            "; make another authority with `fireside init --tls --anew`, which every device has to trust anew"
        )
    yield Finding(lasts, "certificates", seen)


def _who_comes_in(settings: Settings) -> Finding:
    """Open mode is well on a machine that is one person's; beyond it a device should be paired, or kiosk be set."""
    try:
        with read_only(settings.folder / STORE_FILE) as db:
            opened, tokens = is_open(db), len(all_tokens(db))
    except _SILENT:
        opened, tokens = True, 0
    if settings.listen.kiosk or not opened:
        nobody = "" if tokens else "; fireside pair lets a device in"
        return Finding(tokens > 0, "who comes in", f"who shows a token; there are {tokens}{nobody}")
    seen = "open mode: at this machine anyone may talk as any person, without a token"
    alone = settings.listen.host == "localhost" or is_loopback(settings.listen.host)
    beyond = "" if alone else "; others reach it too: let their devices in with `fireside pair`"
    return Finding(alone, "who comes in", f"{seen} (fireside pair ends it){beyond}")


def _network(settings: Settings) -> Finding:
    """Whether a start would listen there."""
    listen = settings.listen
    try:
        check_network(listen, secure=tls_of(settings.folder) is not None)
    except (BadSetting, FolderUnusable) as wrong:
        return Finding(False, "listens", str(wrong))
    return Finding(True, "listens", f"{listen.host}, port {listen.port or 'any free one'}")


def _alerts(settings: Settings) -> Finding:
    """Who is told when somebody may be in danger: a name in the settings is reached by nothing of ours."""
    named = [*settings.contacts.caregiver, *settings.contacts.safeguarding]
    try:
        contacts_of(settings.contacts, companions(settings.companions.folder))
    except PolicyError:
        pass  # said with the companions
    except BadSetting as wrong:
        return Finding(False, "alerts", str(wrong))
    try:
        with read_only(settings.folder / STORE_FILE) as db:
            held = len(all_grants(db))
    except _SILENT:
        held = 0
    seen = f"shown on /care to who holds a grant ({held})" if held else "nobody holds a grant for /care"
    if named:
        seen += (
            f"; {len(named)} named in contacts.*: whatever watches the log for alert.raised has to reach them,"
            " Fireside calls and writes to nobody"
        )
    return Finding(True, "alerts", seen)


def _encrypted(settings: Settings) -> Finding:
    try:
        unlocked(settings)
    except BadSetting as wrong:
        return Finding(False, "encryption", str(wrong))
    return Finding(
        True, "encryption", "of the store, by its key" if settings.data.key_file else "none of our own"
    )


def _kept(file: Path) -> Iterator[Finding]:
    """Copies, the room taken up, and whether what is old is removed."""
    if not file.exists():
        return
    found, copies = sizes(file), backups(file.parent)
    last = f", the last of {_day(copies[-1].at)}" if copies else ""
    yield Finding(True, "taken up", f"{found.total // 1_048_576} MiB (fireside storage tells of what)")
    yield Finding(True, "copies", f"{len(copies)}{last}")
    try:
        with read_only(file) as db:
            rests = purge_rests(db, now_ms())
    except _SILENT:
        return  # what is wrong with it was said above
    yield Finding(rests is None, "removal by age", rests_words(rests))


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1_000, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _held(folder: Path) -> str:
    with held(folder):
        return "no server holds it now"


def _restored(folder: Path) -> Iterator[Finding]:
    last = last_restored(folder)
    if last is not None:
        copy = f"restored from {last.backup}" if last.backup else "begun anew: there was no good backup"
        lost = f"{last.gaps} messages lost their words"
        where = f"the old files are in {last.set_aside}; remove that folder when you have looked"
        yield Finding(False, "restored", f"damaged on {_day(last.at)}, {copy}; {lost}; {where}")


def _store(file: Path) -> str:
    if not file.exists():
        return "none yet; it is made at the first start"
    refuse_newer(file)
    return f"{file.stat().st_size // 1024} KiB"


def _looked(what: str, look: Callable[[], str]) -> Finding:
    try:
        return Finding(True, what, look())
    except FolderHeld as error:
        return Finding(True, what, f"a server is running ({error})")
    except StoreRefused as error:
        return Finding(False, what, store_words(error, None))
    except (FolderUnusable, OSError) as error:
        return Finding(False, what, str(error))


def _companions(settings: Settings) -> Iterator[Finding]:
    try:
        found = companions(settings.companions.folder)
        default = at_home(settings.companions, found).id
    except (PolicyError, BadSetting) as error:
        yield Finding(False, "companions", str(error))
        return
    yield Finding(True, "companions", f"{', '.join(found)}; by itself: {default}")
    if settings.companions.folder and not own(settings.companions.folder):
        seen = f"none in {settings.companions.folder} (companions.folder): each is a folder with a companion.toml"
        yield Finding(False, "your companions", seen)


async def _model(settings: Settings) -> Finding:
    try:
        chosen = await choose(model_settings(settings))
        check_local(
            chosen.model, companions(settings.companions.folder).values(), settings.companions.allow_remote
        )
        if isinstance(chosen.model, LocalModel):
            check_file(chosen.model.file)
    except (BadModelNameError, LocalModelError, BadSetting, PolicyError) as error:
        return Finding(False, "model", str(error))
    return Finding(True, "model", f"{written(chosen.model)} ({chosen.why})")


def look_at_embedder(settings: Settings) -> Finding:
    """Which embedder is configured, and whether it may be used."""
    try:
        model = check_embedder(settings, companions(settings.companions.folder).values())
    except (BadModelNameError, BadSetting, LocalModelError, PolicyError) as error:
        return Finding(False, "embedder", str(error))
    if model is None:
        return Finding(True, "embedder", "none; messages are read by their words")
    return Finding(True, "embedder", written(model))


def asyncapi_text() -> str:
    """The wire as AsyncAPI 3.0."""
    return _pretty(asyncapi())


def schema_text() -> str:
    """Every frame as JSON Schema."""
    return _pretty(json_schema())


def _pretty(content: object) -> str:
    return msgspec.json.format(msgspec.json.encode(content), indent=2).decode()
