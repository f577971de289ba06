"""Pairing codes: short, for one device, for ten minutes, and never stored.

A code has 39 random bits. A wrong one counts against its address and against everybody: by guessing through all ten
minutes one in a thousand million attacks would find one.
"""

import hmac
import secrets
import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass

ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"  # no I, L, O, U, 0 or 1: it is read out and typed in
LENGTH = 8
SECONDS = 600.0
MOST_CODES = 20
MISSES_A_MINUTE = 5  # of one address
ALL_MISSES_A_MINUTE = 30


@dataclass(frozen=True, kw_only=True)
class Offer:
    """What a device becomes: its name, whose it is, and whether it is theirs alone."""

    name: str = ""
    user: str | None = None
    own: bool = False


@dataclass(frozen=True)
class _Code:
    text: str
    until: float
    offer: Offer


class TooManyGuesses(Exception):
    """Wrong codes came too fast; none is looked at for a while."""


class Pairing:
    """The codes that were given and not used."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._codes: list[_Code] = []
        self._misses: deque[tuple[float, str]] = deque()

    def give(self, offer: Offer) -> str:
        """A new code, as it is shown: ``K7QM-2XRD``."""
        text = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        self._codes = [*self._living(), _Code(text, self._clock() + SECONDS, offer)][-MOST_CODES:]
        return f"{text[:4]}-{text[4:]}"

    def offered(self, shown: str, address: str) -> Offer | None:
        """What a code stands for, without using it up; raises ``TooManyGuesses``."""
        self._forget_misses()
        mine = sum(1 for _, each in self._misses if each == address)
        if mine >= MISSES_A_MINUTE or len(self._misses) >= ALL_MISSES_A_MINUTE:
            raise TooManyGuesses
        found = self._found(shown)
        if found is None:
            self._misses.append((self._clock(), address))
        return None if found is None else found.offer

    @contextmanager
    def used(self, shown: str) -> Generator[Offer | None]:
        """What a code stands for, once: it is used up, unless what it is used for fails."""
        found = self._found(shown)
        self._codes = [each for each in self._living() if each is not found]
        try:
            yield None if found is None else found.offer
        except Exception:
            if found is not None:
                self._codes.append(found)
            raise

    def _found(self, shown: str) -> _Code | None:
        """Every code is compared to its end, so that the time it takes says nothing."""
        wanted, found = plain(shown).encode(), None
        for each in self._living():
            if hmac.compare_digest(each.text.encode(), wanted):
                found = each
        return found

    def _living(self) -> list[_Code]:
        now = self._clock()
        return [each for each in self._codes if now < each.until]

    def _forget_misses(self) -> None:
        while self._misses and self._misses[0][0] <= self._clock() - 60:
            self._misses.popleft()


def plain(shown: str) -> str:
    """A code without what people add when they type it in."""
    return shown.upper().replace("-", "").replace(" ", "")


def is_code(shown: str) -> bool:
    """Whether it looks like a code, and not like a token, which is much longer."""
    text = plain(shown)
    return len(text) == LENGTH and all(each in ALPHABET for each in text)
