"""Who comes in, and as whom (decision D28).

A token says it: of a grant, of a device, of a person's program, of an admin; or a pairing code, of a device that is
none yet. Without one, in open mode, somebody on this machine is a person and says which; a page of another site never.
"""

import sqlite3

import msgspec
from msgspec import UNSET

from protocol.access import AccessRole
from protocol.errors import ErrorCode
from protocol.session_frames import Hello
from server.origins import Caller
from server.pairing import Pairing, TooManyGuesses, is_code
from storage.connection import Store
from storage.grants import Grant, grant_of
from storage.patience import StoreSilent
from storage.persons import all_people, is_known
from storage.refusals import StoreRefused
from storage.tokens import Token, is_open, token_of

DEFAULT_USER = "home"
OPEN = "open"  # what lets somebody in who shows nothing
PAIRING = "pairing"  # what lets in who shows a code
PERSON = "user:"


class Entrant(msgspec.Struct, frozen=True, kw_only=True):
    """Who came in. ``by`` names what let them in: when one of it ends, so does the connection."""

    role: AccessRole
    user: str
    by: tuple[str, ...]
    shown: str | None = None  # the token, or the code
    grant: Grant | None = None
    features: tuple[str, ...] = ()
    name: str | None = None  # of the person, for who looks after them


class NotAdmitted(Exception):
    """Nobody comes in by this hello. ``final``: the connection ends with it; else hello may come again."""

    def __init__(self, code: ErrorCode, *, final: bool = True) -> None:
        super().__init__(code)
        self.code: ErrorCode = code
        self.final = final


class Entrance:
    """Looks at each hello. ``open_mode`` is whether anybody on this machine may come in without a token."""

    def __init__(self, store: Store, pairing: Pairing, *, kiosk: bool) -> None:
        self._store = store
        self._pairing = pairing
        self._kiosk = kiosk
        self.open_mode = not kiosk
        self._archived: frozenset[str] = frozenset()
        self._with_pin: frozenset[str] = frozenset()
        self._names: dict[str, str] = {}
        self._pins_set: dict[str, int] = {}

    def pin_was_set(self, user: str) -> None:
        """Staff gave a person another PIN, or took it: who showed the one of before has shown nothing."""
        self._pins_set[user] = self.pins_set(user) + 1

    def pins_set(self, user: str) -> int:
        """How often that was since the start."""
        return self._pins_set.get(user, 0)

    async def look(self) -> None:
        """Read again who may come in; without a store there is nothing to be protected from."""
        try:
            self.open_mode, people = await self._store.read(lambda db: (is_open(db), all_people(db)))
        except StoreRefused:
            return
        self.open_mode = self.open_mode and not self._kiosk
        self._archived = frozenset(each.user for each in people if each.status == "archived")
        self._with_pin = frozenset(each.user for each in people if each.has_pin)
        self._names = {each.user: each.name for each in people if each.name}

    async def admitted(self, hello: Hello, caller: Caller) -> Entrant:
        """Who greets; raises ``NotAdmitted``."""
        shown = caller.bearer if hello.token is UNSET else hello.token
        if shown is None:
            return self._in_the_open(hello, caller)
        if is_code(shown):
            return self._to_be_paired(hello, shown, caller)
        try:
            found = await self._store.read(lambda db: grant_of(db, shown) or token_of(db, shown))
            if isinstance(found, Grant):
                return _holder(found, hello, shown, self._names.get(found.user))
            if found is None:
                raise NotAdmitted("auth.refused")
            return await self._with_token(found, hello, shown)
        except StoreSilent as silent:  # it cannot be told yet whose the token is
            raise NotAdmitted(silent.code) from None
        except StoreRefused as refused:  # nor for as long as this lasts
            if self.open_mode and caller.near:
                return self._in_the_open(hello, caller)
            raise NotAdmitted(refused.code) from None

    async def still(self, entrant: Entrant) -> bool:
        """Whether what let somebody in stands, also if it ended while it was looked up."""
        if entrant.role in ("device", "person") and entrant.user in self._archived:
            return False
        if entrant.shown is None:
            return self.open_mode
        shown = entrant.shown
        if entrant.role == "pairing":
            return True  # the code is looked at once more when it is used

        def ask(db: sqlite3.Connection) -> bool:
            return (grant_of(db, shown) or token_of(db, shown)) is not None

        try:
            return await self._store.read(ask)
        except StoreRefused:
            return True

    async def is_admin(self, shown: str) -> bool:
        """Whether a token is an admin's."""
        try:
            found = await self._store.read(lambda db: token_of(db, shown))
        except StoreRefused:
            return False
        return found is not None and found.role == "admin"

    def _in_the_open(self, hello: Hello, caller: Caller) -> Entrant:
        if not (self.open_mode and caller.near and caller.own):
            raise NotAdmitted("auth.refused")
        user = DEFAULT_USER if hello.user is UNSET else hello.user
        return self._talker("person", user, (OPEN,), None, features=("open_mode",))

    def _to_be_paired(self, hello: Hello, code: str, caller: Caller) -> Entrant:
        try:
            offer = self._pairing.offered(code, caller.address)
        except TooManyGuesses:
            raise NotAdmitted("auth.refused") from None
        if offer is None or hello.user is not UNSET:
            raise NotAdmitted("auth.refused")
        return Entrant(role="pairing", user=offer.user or DEFAULT_USER, by=(PAIRING,), shown=code)

    async def _with_token(self, token: Token, hello: Hello, shown: str) -> Entrant:
        if token.role == "admin":
            if hello.user is not UNSET:
                raise NotAdmitted("auth.refused")
            return Entrant(role="admin", user=DEFAULT_USER, by=(token.id,), shown=shown)
        if token.user is not None:
            if hello.user not in (UNSET, token.user):
                raise NotAdmitted("auth.refused")
            return self._talker(token.role, token.user, (token.id,), shown)
        user = DEFAULT_USER if hello.user is UNSET else hello.user
        if user != DEFAULT_USER and not await self._store.read(lambda db: is_known(db, user)):
            raise NotAdmitted("auth.forbidden", final=False)  # a device makes nobody up
        return self._talker(token.role, user, (token.id,), shown)

    def _talker(
        self,
        role: AccessRole,
        user: str,
        by: tuple[str, ...],
        shown: str | None,
        features: tuple[str, ...] = (),
    ) -> Entrant:
        if user in self._archived:
            raise NotAdmitted("auth.forbidden", final=False)
        pin = ("pin",) if role == "device" and user in self._with_pin else ()
        return Entrant(
            role=role, user=user, by=(*by, person_here(user)), shown=shown, features=(*features, *pin)
        )


def person_here(user: str) -> str:
    """The name under which a person's connections are known."""
    return f"{PERSON}{user}"


def _holder(grant: Grant, hello: Hello, shown: str, name: str | None) -> Entrant:
    if hello.user not in (UNSET, grant.user):
        raise NotAdmitted("auth.refused")
    return Entrant(role=grant.role, user=grant.user, by=(grant.id,), shown=shown, grant=grant, name=name)
