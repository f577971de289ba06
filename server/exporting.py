"""Taking one's memory along: a JSON file that comes in again to the same state, and a page to read."""

import sqlite3
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Literal

import msgspec

from companions.change import Change
from companions.remembered import Profile
from memory.statements_kinds import Statement
from memory.summing import Summed
from protocol.person_frames import Profile as ToldProfile
from protocol.times import rfc3339
from server.readable import readable
from server.tickets import Download
from storage.bringing_in import BroughtIn, Check, bring_in, read_memory
from storage.connection import Store
from storage.erased import erased_before, ledger_of
from storage.portable import exported

Format = Literal["json", "html"]

CHECKS: Mapping[tuple[str, str], Check] = {
    ("statements", "content"): msgspec.json.Decoder(tuple[Statement, ...]).decode,
    ("summaries", "content"): msgspec.json.Decoder(Summed).decode,
    ("messages", "context"): msgspec.json.Decoder(dict[str, object]).decode,
    ("profiles", "profile"): lambda raw: (
        msgspec.json.decode(raw, type=Profile),
        msgspec.json.decode(raw, type=ToldProfile),
    ),
    ("check_ins", "stressors"): msgspec.json.Decoder(tuple[str, ...]).decode,
    ("check_ins", "wins"): msgspec.json.Decoder(tuple[str, ...]).decode,
    ("emotions", "flags"): msgspec.json.Decoder(tuple[str, ...]).decode,
    ("emotions", "topics"): msgspec.json.Decoder(tuple[str, ...]).decode,
    ("facts", "against"): msgspec.json.Decoder(tuple[str, ...]).decode,
    ("alerts", "recipients"): msgspec.json.Decoder(tuple[str, ...]).decode,
}
"""How columns that hold JSON are read: what this program could not read again does not come in."""


async def export(store: Store, *, user: str, companion: str, name: str, form: Format, at: int) -> Download:
    """A person's whole memory with a companion, as a file; ``name`` is what the companion is called."""
    moment = rfc3339(at)
    memory = await store.read(lambda db: exported(db, user=user, companion=companion, at=moment))
    day = datetime.fromtimestamp(at / 1_000, UTC).strftime("%Y-%m-%d")
    kinds = {"json": "application/json", "html": "text/html; charset=utf-8"}
    content = msgspec.json.format(msgspec.json.encode(memory), indent=1) if form == "json" else b""
    if form == "html":
        content = readable(memory, name).encode()
    stem = companion.replace("/", "-")
    return Download(name=f"fireside-{stem}-{day}.{form}", kind=kinds[form], content=content)


async def bring_file_in(
    store: Store, content: bytes, *, user: str | None, companion: str | None, at: int
) -> BroughtIn:
    """Bring an export in, for the person and the companion named in it or here; raises ``BadFile``."""
    memory = read_memory(content)
    change = Change(user=user or memory.user, companion=companion or memory.companion, at=at)

    def land(db: sqlite3.Connection) -> BroughtIn:
        path = ledger_of(db)
        ledger = erased_before(path) if path is not None else ()
        return bring_in(db, memory, change, CHECKS, ledger)

    return await store.transact(land)
