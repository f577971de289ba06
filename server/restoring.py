"""What is done about a store that is damaged, or that could not be used at the start.

A damaged one is set aside and the newest good backup takes its place (decision D7): at a start, so that what is seen
while the server serves is written down beside the store and the server asks to be started anew.
"""

import os
import shutil
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Final

import anyio
import structlog

from server.ids import new_id, now_ms
from storage.connection import connect
from storage.damage import CHECKED_AT_START, checked, damage
from storage.engine import errors
from storage.mark import MARK
from storage.migrating import reach_disk
from storage.private_files import private
from storage.refusals import RefusalCode, StoreRefused, translated
from storage.restoring import Restored, finished, restore

DAMAGED_FILE = "damaged"
MOST_WORDS = 1_000
LOOK_SECONDS = 5.0
ROOM_BYTES = 32 * 1024 * 1024
MAY_PASS: Final[frozenset[RefusalCode]] = frozenset(
    {"storage.busy", "storage.full", "storage.read_only", "storage.failed"}
)
"""Why a store may be unusable at a start and usable a while later."""

_REFUSALS: Final[tuple[type[Exception], ...]] = (StoreRefused, *errors())

log: structlog.stdlib.BoundLogger = structlog.get_logger("store")


def made_whole(path: Path) -> Restored | StoreRefused | None:
    """Restore the store at ``path`` where it is damaged; None where there was nothing to do.

    A damaged store that cannot be restored now is refused, with ``storage.damaged``: it is not served. What a newer
    store, or a disk that cannot be read, means for the start is said by opening it.
    """
    seen: str | None = None
    try:
        finished(path)
        seen = _written_down(path) or damage(path)
        if seen is None:
            return None
        log.error("store.damaged", seen=seen)
        restored = restore(path, seen, now_ms(), lambda: new_id("msg"))
        for said in (DAMAGED_FILE, MARK):
            (path.parent / said).unlink(missing_ok=True)
    except StoreRefused as refused:
        log.error("store.not_restored", code=refused.code, detail=refused.detail)
        return None if seen is None else StoreRefused("storage.damaged", f"not restored: {refused.code}")
    log.warning(
        "store.restored",
        backup=restored.backup,
        set_aside=restored.set_aside,
        rows=sum(restored.rows.values()),
        unreadable=list(restored.unreadable),
        messages_lost=restored.gaps,
    )
    return restored


def _written_down(path: Path) -> str | None:
    """What was seen while an earlier run served."""
    try:
        return (
            (path.parent / DAMAGED_FILE).read_text(encoding="utf-8", errors="replace")
            if path.exists()
            else None
        )
    except OSError:
        return None


class Watch:
    """Looks after the store while the server serves; ``again`` is set when it should be started anew.

    A large store is checked here, a small one was before it was opened. Damage is told to staff and mended by a start,
    but not twice in one run: what comes back at once is not mended by restoring. A store that could not be used is
    looked at until it can.
    """

    def __init__(self, path: Path, *, absent: RefusalCode | None = None, restored: bool = False) -> None:
        self._path = path
        self._absent: RefusalCode | None = absent
        self._restored = restored
        self.again = anyio.Event()
        self.damage: str | None = None

    async def __call__(self) -> None:
        """Check once; or look until the store can be used."""
        if self._absent is not None:
            if self._absent in MAY_PASS:
                await self._came_back()
            return
        if not self._path.exists() or self._path.stat().st_size < CHECKED_AT_START:
            return
        try:
            found = await anyio.to_thread.run_sync(checked, self._path)
        except StoreRefused as refused:
            found = refused.detail
        if found is not None:
            self.saw(found)

    def saw(self, damage: str) -> None:
        """The store contradicts itself: write it down, and ask for a start that mends it."""
        if self.damage is not None:
            return
        self.damage = damage
        log.error("store.damaged", seen=damage)
        if self._restored:
            return
        try:
            mark = self._path.parent / DAMAGED_FILE
            private(mark, damage[:MOST_WORDS].encode())
            reach_disk(mark)
        except OSError as error:
            log.error("store.damage_not_written_down", error=error.strerror)
        self.again.set()

    async def _came_back(self) -> None:
        await anyio.sleep(LOOK_SECONDS)  # whatever is seen, it starts anew no more often than that
        while not await anyio.to_thread.run_sync(self._usable):  # noqa: ASYNC110  # another program's file tells of nothing
            await anyio.sleep(LOOK_SECONDS)
        log.info("store.came_back")
        self.again.set()

    def _usable(self) -> bool:
        """Whether a transaction can be begun now, with room for what a start may have to write."""
        try:
            with translated():
                needed = 2 * self._path.stat().st_size + ROOM_BYTES
                if self._absent == "storage.full" and shutil.disk_usage(self._path.parent).free < needed:
                    return False
                (self._path.parent / "lock").touch(mode=0o600)
                with tempfile.TemporaryFile(dir=self._path.parent):
                    pass  # a log can be made beside it
                if (
                    self._absent == "storage.read_only"
                ):  # who only looks at it keeps SQLite from more, in this process
                    os.close(os.open(self._path, os.O_RDWR))
                    return True
                with closing(connect(self._path, "acked")) as db:
                    db.execute("BEGIN IMMEDIATE")
                    db.execute("ROLLBACK")
        except _REFUSALS:
            return False
        return True
