"""What ``/healthz`` says: whether it serves, and what staff have to look at. No text, no name."""

from dataclasses import dataclass

from actors.sessions import Sessions
from actors.writer import Writer
from server.copying import DailyCopies
from server.job_keeper import JobKeeper
from server.restoring import Watch
from server.retention import Retention
from storage.restoring import Restored


@dataclass(frozen=True, kw_only=True)
class Health:
    """Those who know how the server is."""

    writing: Writer
    sessions: Sessions
    watch: Watch
    restored: Restored | None
    jobs: JobKeeper
    retention: Retention
    copies: DailyCopies

    def told(self) -> tuple[bool, dict[str, object]]:
        """Well while the store takes what is said, and no damage is seen in it."""
        trouble = self.writing.refusing or ("storage.damaged" if self.watch.damage is not None else None)
        jobs = self.jobs.counts
        told: dict[str, object] = {
            "status": trouble or "ok",
            "sessions": len(self.sessions),
            "waiting": len(self.writing.pending),
            "jobs": {"waiting": jobs.waiting, "running": jobs.running, "parked": jobs.parked},
            "retention": self.retention.rests or "ok",
            "copies": self.copies.failed or "ok",
        }
        if self.restored is not None:
            told["restored"] = {
                "backup": self.restored.backup,
                "set_aside": self.restored.set_aside,
                "messages_lost": self.restored.gaps,
            }
        return trouble is None, told
