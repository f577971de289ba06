"""Orders to a running server: carried out in its store, and in force for open connections at once."""

from collections.abc import Callable

import structlog

from server.ids import now_ms
from server.orders import Answer, AnyOrder, NotDone, carry_out
from server.plain_words import store_words
from server.presence import Presence
from storage.connection import Store
from storage.refusals import StoreRefused

log: structlog.stdlib.BoundLogger = structlog.get_logger("orders")


class Ordering:
    """Carries out what staff order."""

    def __init__(self, store: Store, presence: Presence, changed: Callable[[str], None]) -> None:
        self._store = store
        self._changed = changed  # who helps a person is others now: their companions hear of it
        self._presence = presence

    async def __call__(self, order: AnyOrder) -> Answer:
        """What came of it; refused in words, never by an exception."""
        try:
            answer = await self._store.transact(lambda db: carry_out(db, order, now_ms()))
        except NotDone as refused:
            return Answer(refused=str(refused))
        except StoreRefused as refused:
            log.warning("order.refused", code=refused.code)
            return Answer(refused=store_words(refused, None))
        self._presence.end(answer.ended)
        if answer.about is not None:
            self._changed(answer.about)
        return answer
