"""The record of who looked: everything that others see of a person passes through ``RecordedStore``.

A look is recorded in the transaction in which it happens. Where nothing can be recorded (a full disk), nothing is seen.
"""

import sqlite3
from collections.abc import Callable
from typing import TypeVar

import anyio
from msgspec.structs import replace

from protocol.access import RECORDED, AccessRole, kind_of
from protocol.audit_frames import AuditEntry, AuditPage, AuditQuery
from protocol.catalogue import AnyCommand
from protocol.times import rfc3339
from server.care_pages import place_of
from storage.audit import Act, Recorded, acts_about, all_acts, record
from storage.connection import Store
from storage.patience import PATIENCE_S, StoreSilent

T = TypeVar("T")

WHO = {
    "caregiver": "{name}, who cares for you,",
    "safeguarding": "{name}, the safeguarding contact,",
    "person": "You",
    "staff": "Staff of this place",
    "admin": "{name}, who looks after the devices,",
}
DEEDS = {
    "saw_feelings": "looked at how you have been feeling.",
    "saw_questions": "looked at which questions came again and again.",
    "saw_trends": "looked at how the last weeks and months were.",
    "saw_summaries": "read what your talks came to.",
    "saw_words": "read a talk word for word.",
    "saw_notes": "read the notes on your lessons.",
    "saw_alerts": "looked at when somebody was asked to look after you.",
    "saw_context": "looked at what caregivers tell your companion.",
    "saw_consents": "looked at what is shared with whom.",
    "watched": "was there while you talked.",
    "told_context": "changed what caregivers tell your companion.",
    "read_note": "marked a note on a lesson as read.",
    "acknowledged": "said that they look after you in something that came up.",
    "released": "decided who may know of something that came up.",
    "consented": "allowed something of your talks to be seen.",
    "said_no": "ended that something of your talks is seen.",
    "erased": "had everything forgotten, or asked for it.",
    "granted": "gave somebody the right to look after you.",
    "grant_ended": "ended somebody's right to look after you.",
    "exported": "took a copy of what is remembered.",
    "brought_in": "brought a copy of what is remembered in.",
    "device": "changed which devices, programs or people may come in.",
    "status": "changed your name, your PIN, or whether you are here.",
}


class RecordedStore:
    """A store that is asked on behalf of somebody else than the person: what is asked leaves a row."""

    def __init__(
        self, store: Store, *, person: str, companion: str, role: AccessRole, by: str, name: str
    ) -> None:
        self._store = store
        self._like = Act(person=person, companion=companion, role=role, by=by, name=name, did="")
        self._did: str | None = None
        self._at = 0

    def on_behalf(self, command: AnyCommand, at: int) -> None:
        """What is asked from here on is for ``command``; what it does is recorded, also if nothing is asked for it."""
        self._did, self._at = RECORDED[kind_of(command)], at

    async def settle(self) -> None:
        """Record a command for which nothing was asked."""
        if self._did is not None:
            await self.read(lambda _db: None)

    async def read(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Ask, and record that it was asked."""
        return await self.transact(fn)

    async def transact(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``fn``, and record it once for each command; what raises is not done, and not recorded."""
        did, at = self._did, self._at

        def both(db: sqlite3.Connection) -> T:
            result = fn(db)
            if did is not None:
                record(db, replace(self._like, did=did), at)
            return result

        try:
            with anyio.fail_after(PATIENCE_S):
                result = await self._store.transact(both)
        except TimeoutError:  # it may be recorded yet: that somebody asked, who was told nothing
            raise StoreSilent from None
        self._did = None
        return result

    async def tend(self, fn: Callable[[sqlite3.Connection], T]) -> T:
        """Nothing is asked this way."""
        return await self._store.tend(fn)


def audit_page(db: sqlite3.Connection, command: AuditQuery, person: str | None) -> AuditPage:
    """Who looked: about ``person``, or about everybody."""
    before = place_of(command.cursor)
    if person is None:
        found = all_acts(db, before=before, limit=command.limit)
    else:
        found = acts_about(db, person=person, before=before, limit=command.limit)
    more = len(found) == command.limit
    entries = tuple(_entry(each, named=person is None) for each in found)
    return AuditPage(entries=entries, next=str(found[-1].number) if more else None)


def _entry(found: Recorded, *, named: bool) -> AuditEntry:
    act = found.act
    return AuditEntry(
        at=rfc3339(found.at),
        by=act.name,
        role=act.role,
        did=act.did,
        say=told(act),
        companion=act.companion,
        user=(act.person or None) if named else None,
    )


def told(act: Act) -> str:
    """A sentence for the person."""
    if act.did == "forgotten":
        return "Everything was forgotten."
    who = WHO.get(act.role, "Somebody").format(name=act.name or "Somebody")
    return f"{who} {DEEDS.get(act.did, 'did something with what is kept of you.')}"
