"""Conversations that nobody holds end by silence too: after a start, and when a person went on elsewhere.

Silence is measured on a clock that only goes forward, and begins anew after a start (D6): what was open when the
power went is given its whole time again.
"""

from collections.abc import Mapping

import anyio

from actors.ports import Cast, Services
from actors.runtime import Address
from actors.sessions import Sessions
from actors.writer import Write
from companions.changes import ConversationClosed, JobSpec, Outcome, Refused
from storage.connection import Store
from storage.conversations import OpenConversation, open_conversations

EVERY_SECONDS = 20.0


class Sweeper:
    """Ends what was left open for longer than its companion's silence."""

    def __init__(
        self,
        store: Store,
        writer: Address[Write],
        sessions: Sessions,
        casts: Mapping[str, Cast],
        services: Services,
    ) -> None:
        self._store = store
        self._writer = writer
        self._sessions = sessions
        self._casts = casts
        self._services = services
        self._alone_since: dict[str, float] = {}

    async def __call__(self) -> None:
        """Look again and again, for ever."""
        while True:
            await self.sweep(anyio.current_time())
            await anyio.sleep(EVERY_SECONDS)

    async def sweep(self, now: float) -> None:
        """One look at every conversation that is open in the store."""
        found = await self._store.read(open_conversations)
        alone = {each.id: each for each in found if not self._sessions.held(each.id)}
        self._alone_since = {name: self._alone_since.get(name, now) for name in alone}
        for name, since in self._alone_since.items():
            cast = self._casts.get(alone[name].companion)
            if cast is not None and now - since >= cast.rules.settings.silence:
                await self._close(alone[name], cast)

    async def _close(self, left: OpenConversation, cast: Cast) -> None:
        kinds = cast.rules.settings.jobs_after(parents=left.parent_mode)
        ids = self._services.mint(len(kinds))
        jobs = tuple(
            JobSpec(id=job, kind=kind, first=1, last=left.last_position, rest=kind == "facts")
            for job, kind in zip(ids.jobs, kinds, strict=True)
        )
        change = ConversationClosed(
            user=left.user,
            companion=left.companion,
            at=self._services.now_ms(),
            conversation=left.id,
            reason="silence",
            jobs=jobs,
        )

        def landed(outcome: Outcome) -> None:
            if not isinstance(outcome, Refused):
                self._services.hand_over(left.id)

        await self._writer.send(Write((change,), landed))
