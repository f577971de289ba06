"""A person's PIN: kept by scrypt, and tried seldom once it was wrong too often.

A PIN has few digits, so what protects it is the waiting: after 5 wrong ones in a row each further try must wait, twice
as long each time. The count is in the store and is raised before the PIN is compared; pulling the plug saves no time.
"""

import hashlib
import hmac
import secrets
import sqlite3
import time
from collections.abc import Callable

import anyio
import anyio.to_thread

from actors.ports import CommandRefused
from storage.connection import Store
from storage.patience import PATIENCE_S, StoreSilent
from storage.persons import Pin, count_miss, no_miss, pin_of

FREE_TRIES = 5
WAIT_SECONDS = 30.0
LONGEST_WAIT_SECONDS = 3_600.0
_COST, _BLOCK, _LANES = 2**14, 8, 1  # scrypt: 16 MiB and about 50 ms


def kept(pin: str) -> Pin:
    """A PIN as it is kept."""
    salt = secrets.token_bytes(16)
    return Pin(salt=salt, key=_key(pin, salt), misses=0)


def fits(pin: str, known: Pin) -> bool:
    """Whether it is that PIN."""
    return hmac.compare_digest(_key(pin, known.salt), known.key)


def _key(pin: str, salt: bytes) -> bytes:
    return hashlib.scrypt(pin.encode(), salt=salt, n=_COST, r=_BLOCK, p=_LANES)


class Pins:
    """Who may try, and when."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._began = clock()
        self._tried: dict[str, float] = {}

    async def check(self, user: str, pin: str) -> None:
        """Return when it is the person's PIN; raises ``CommandRefused`` when it is not, or may not be tried yet."""

        def begin(db: sqlite3.Connection) -> Pin | None:
            known = pin_of(db, user)
            if known is not None:
                self._wait(user, known.misses)
                count_miss(db, user)
                self._tried[user] = self._clock()  # here: of many that come at once one is tried
            return known

        try:
            with anyio.fail_after(PATIENCE_S):
                known = await self._store.transact(begin)
        except TimeoutError:  # it may be counted yet: as a try, not as a right one
            raise StoreSilent from None
        if known is None:
            raise CommandRefused("auth.forbidden", "This person has no PIN.")
        if not await anyio.to_thread.run_sync(fits, pin, known):
            raise CommandRefused("auth.forbidden", "This is not the PIN.")
        with anyio.move_on_after(PATIENCE_S):
            await self._store.transact(lambda db: no_miss(db, user))

    def _wait(self, user: str, misses: int) -> None:
        """A device that was switched off and on has waited for nothing yet."""
        if misses < FREE_TRIES:
            return
        wait = min(WAIT_SECONDS * 2.0 ** min(misses - FREE_TRIES, 10), LONGEST_WAIT_SECONDS)
        if self._clock() < self._tried.get(user, self._began) + wait:
            raise CommandRefused("rate.limited", "Too many wrong PINs; try again later.")
