"""What a start does about a damaged store: it is set aside and the newest good backup takes its place (D7)."""

from pathlib import Path

import anyio
import structlog

from server.ids import new_id, now_ms
from storage.damage import CHECKED_AT_START, checked, damage
from storage.refusals import StoreRefused
from storage.restoring import Restored, finished, restore

log: structlog.stdlib.BoundLogger = structlog.get_logger("store")


def made_whole(path: Path) -> Restored | None:
    """Restore the store at ``path`` where it is damaged; None where there was nothing to do, or it cannot be done.

    What a disk that refuses, or a newer store, means for the start is said by opening it.
    """
    try:
        finished(path)
        seen = damage(path)
        if seen is None:
            return None
        log.error("store.damaged", seen=seen)
        restored = restore(path, seen, now_ms(), lambda: new_id("msg"))
    except StoreRefused as refused:
        log.error("store.not_restored", code=refused.code, detail=refused.detail)
        return None
    log.warning(
        "store.restored",
        backup=restored.backup,
        set_aside=restored.set_aside,
        rows=sum(restored.rows.values()),
        unreadable=list(restored.unreadable),
        messages_lost=restored.gaps,
    )
    return restored


class Watch:
    """Checks a large store while it serves; what it sees is told to staff, and mended at the next start."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.damage: str | None = None

    async def __call__(self) -> None:
        """Check once, on a thread; a small store was checked before it was opened."""
        if not self._path.exists() or self._path.stat().st_size < CHECKED_AT_START:
            return
        try:
            self.damage = await anyio.to_thread.run_sync(checked, self._path)
        except StoreRefused as refused:
            self.damage = refused.detail
        if self.damage is not None:
            log.error("store.damaged", seen=self.damage)
