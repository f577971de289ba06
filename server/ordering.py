"""Orders to a running server: carried out in its store, and in force for open connections at once."""

from collections.abc import Callable

import structlog

from server.deeds import carry_out, one_line
from server.entrance import Entrance
from server.ids import now_ms
from server.orders import Answer, AnyOrder, NotDone, PairDevice, SetPin
from server.pairing import Offer, Pairing
from server.plain_words import store_words
from server.presence import Presence
from storage.connection import Store
from storage.persons import is_known
from storage.refusals import StoreRefused

log: structlog.stdlib.BoundLogger = structlog.get_logger("orders")


class Ordering:
    """Carries out what staff order; ``address`` is where a device finds the pages of this server."""

    def __init__(
        self,
        store: Store,
        presence: Presence,
        entrance: Entrance,
        pairing: Pairing,
        address: Callable[[], str],
        changed: Callable[[str], None],
    ) -> None:
        self._store = store
        self._changed = changed  # who helps a person is others now: their companions hear of it
        self._presence = presence
        self._entrance = entrance
        self._pairing = pairing
        self._address = address

    async def __call__(self, order: AnyOrder) -> Answer:
        """What came of it; refused in words, never by an exception."""
        try:
            if isinstance(order, PairDevice):
                return await self._pair(order)
            answer = await self._store.transact(lambda db: carry_out(db, order, now_ms()))
        except NotDone as refused:
            return Answer(refused=str(refused))
        except StoreRefused as refused:
            log.warning("order.refused", code=refused.code)
            return Answer(refused=store_words(refused, None))
        if isinstance(order, SetPin):
            self._entrance.pin_was_set(order.user.strip())
        await self._entrance.look()
        self._presence.end(answer.ended)
        if answer.about is not None:
            self._changed(answer.about)
        return answer

    async def _pair(self, order: PairDevice) -> Answer:
        if order.own and order.user is None:
            raise NotDone("A device that is somebody's own names whose: --user.")
        user = order.user
        if user is not None and not await self._store.read(lambda db: is_known(db, user)):
            raise NotDone(f"Nobody here is called {user}; add them first: fireside user add {user}")
        name = one_line(order.name) if order.name else ""
        code = self._pairing.give(Offer(name=name, user=user, own=order.own))
        return Answer(lines=(code, f"{self._address()}/pair#{code}"))
