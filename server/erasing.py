"""Forget everything: asked for once, for a while it can be called back, and only asked for again does it happen.

A request lives in this process alone: a restart calls it back. It lapses by itself, and so does every other one when
the person takes something back (``memory.undo``).
"""

import hmac
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import structlog

from actors.ports import CommandRefused, Done
from companions.changes import NOTHING, PersonErased
from companions.state import Who
from companions.unsaying import Unsaid
from protocol.memory_frames import MemoryErase
from protocol.person_frames import Profile
from protocol.results import BackupLeft, Erasing, Receipt
from protocol.times import rfc3339
from server.scrubber import Scrubber
from storage.backups import backups, set_aside
from storage.connection import Store
from storage.erasing import held_of, words_of
from storage.people import profile
from storage.vectors import vectors_of_person

LAPSES_SECONDS = 600.0
SETTINGS_OF_PROFILE = ("country", "communication_style", "session_length")
"""Of what a person told about themselves, what only sets how they are talked with."""

OUT_OF_REACH = (
    "Files that were exported or copied elsewhere.",
    "Words that were typed on a page and not sent yet: they are in that browser alone.",
    "What the disk itself or snapshots of the file system may keep; encryption of the disk answers that.",
    "What a language model's server keeps of what it was sent, if it keeps anything.",
)

log: structlog.stdlib.BoundLogger = structlog.get_logger("erasing")


@dataclass(frozen=True)
class _Asked:
    code: str
    ready: float  # on the monotonic clock
    ready_at: int  # as the person is told


class Erasures:
    """The requests to forget everything that are open, by person and companion."""

    def __init__(
        self, store: Store, folder: Path, scrubber: Scrubber, *, cool_down: float, now_ms: Callable[[], int]
    ) -> None:
        self._store = store
        self._folder = folder
        self._scrubber = scrubber
        self._cool_down = cool_down
        self._now_ms = now_ms
        self._asked: dict[tuple[str, str], _Asked] = {}

    def called_back(self, who: Who) -> bool:
        """Take a request back; False where there was none."""
        return self._asked.pop((who.user, who.companion), None) is not None

    async def answer(self, who: Who, command: MemoryErase, at: int) -> Done:
        """The code; or, with the code after the cool-down, the end. Raises ``CommandRefused``."""
        owner, now = (who.user, who.companion), time.monotonic()
        if not isinstance(command.code, str):
            self._asked[owner] = self._ask(now)
            return Done(result=_confirm(self._asked[owner]))
        asked = self._asked.get(owner)
        if asked is None or now > asked.ready + LAPSES_SECONDS or not _same(asked.code, command.code):
            raise CommandRefused(
                "state.conflict", "This code was not given, was called back or has lapsed; ask without one."
            )
        if now < asked.ready:
            return Done(result=_confirm(asked))
        del self._asked[owner]
        return await self._erase(who, at)

    def _ask(self, now: float) -> _Asked:
        ready_at = self._now_ms() + round(self._cool_down * 1_000)
        return _Asked(secrets.token_hex(4), now + self._cool_down, ready_at)

    async def _erase(self, who: Who, at: int) -> Done:
        store = self._store
        await self._scrubber.copier.copy(at)
        removed = await store.read(lambda db: held_of(db, user=who.user, companion=who.companion))
        words = await store.read(lambda db: words_of(db, user=who.user, companion=who.companion))
        vectors = await store.read(lambda db: vectors_of_person(db, user=who.user, companion=who.companion))
        kept = await store.read(lambda db: profile(db, user=who.user, companion=who.companion))
        change = PersonErased(user=who.user, companion=who.companion, at=at, profile=_settings_in(kept))
        return Done(
            result=Erasing(state="done"),
            changes=(change,),
            unsaid=Unsaid(),
            after=self._receipt(removed, (*words, *vectors)),
        )

    def _receipt(
        self, removed: dict[str, int], words: tuple[str | bytes, ...]
    ) -> Callable[[], Awaitable[Erasing]]:
        async def made() -> Erasing:
            cleaned = await self._scrubber.now(words)
            left = tuple(
                BackupLeft(name=each.path.name, expires_at=rfc3339(each.expires_at))
                for each in (*backups(self._folder), *set_aside(self._folder))
            )
            verified = cleaned is not None and cleaned.clean
            log.info("person.erased", verified=verified, backups=len(left), **removed)
            receipt = Receipt(removed=removed, backups=left, out_of_reach=OUT_OF_REACH, verified=verified)
            return Erasing(state="done", receipt=receipt)

        return made


def _confirm(asked: _Asked) -> Erasing:
    return Erasing(state="confirm", code=asked.code, ready_at=rfc3339(asked.ready_at))


def _same(code: str, given: str) -> bool:
    return hmac.compare_digest(code.encode(), given.encode())


def _settings_in(kept: msgspec.Raw | None) -> msgspec.Raw:
    """The part of a profile that is a setting; ``NOTHING`` where there is none."""
    if kept is None:
        return NOTHING
    whole = msgspec.json.decode(kept, type=dict[str, object])
    part = {key: whole[key] for key in SETTINGS_OF_PROFILE if whole.get(key) is not None}
    if not part:
        return NOTHING
    return msgspec.Raw(msgspec.json.encode(msgspec.convert(part, Profile)))
