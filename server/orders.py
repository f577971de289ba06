"""What staff order on the command line, as data: the same order to a running server and to a store at rest.

What each does is in ``server.deeds``; how it reaches a server is in ``server.order_line``.
"""

from typing import Literal, TypeAlias

import msgspec

from companions.changes import UserStatus
from companions.consenting import Basis
from storage.grants import GrantedRole


class Order(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="order"):
    """Something staff want done."""


class GiveGrant(Order, frozen=True, kw_only=True, tag="grants.give"):
    """A role for one person; the answer is the grant's id and its token."""

    name: str
    role: GrantedRole
    user: str
    companion: str = ""
    basis: Basis | None = None


class EndGrant(Order, frozen=True, kw_only=True, tag="grants.end"):
    """The end of a grant, of what its holder consented to, and of their open connections."""

    grant: str


class GiveToken(Order, frozen=True, kw_only=True, tag="token.give"):
    """A token for a person's own program, or for an admin; the answer is its id and the token."""

    name: str
    role: Literal["person", "admin"]
    user: str | None = None


class RotateToken(Order, frozen=True, kw_only=True, tag="token.rotate"):
    """Another token in place of one, for the same holder; the old one opens nothing any more."""

    token: str


class RevokeToken(Order, frozen=True, kw_only=True, tag="token.revoke"):
    """The end of a token (a device's too) and of the connections it opened."""

    token: str


class ClaimDevice(Order, frozen=True, kw_only=True, tag="device.claim"):
    """A device that showed a code becomes one; the answer is its id and its token. Ends open mode."""

    name: str
    user: str | None = None
    own: bool = False


class NameDevice(Order, frozen=True, kw_only=True, tag="device.name"):
    """Another name for a device."""

    device: str
    name: str


class PairDevice(Order, frozen=True, kw_only=True, tag="device.pair"):
    """A pairing code, from the server that runs; the answer is the code and the address of its page."""

    name: str = ""
    user: str | None = None
    own: bool = False


class Reopen(Order, frozen=True, kw_only=True, tag="device.reopen"):
    """Every device is revoked, and open mode is back."""


class AddPerson(Order, frozen=True, kw_only=True, tag="user.add"):
    """Somebody who will talk here."""

    user: str
    name: str = ""


class NamePerson(Order, frozen=True, kw_only=True, tag="user.name"):
    """Another name for a person; what hello calls them stays."""

    user: str
    name: str


class SetStatus(Order, frozen=True, kw_only=True, tag="user.status"):
    """Active, inactive, or archived: then nobody comes in as them."""

    user: str
    status: UserStatus


class SetPin(Order, frozen=True, kw_only=True, tag="user.pin"):
    """A PIN, as it is kept, for shared devices; without a key none any more."""

    user: str
    salt: bytes = b""
    key: bytes = b""


AnyOrder: TypeAlias = (
    GiveGrant
    | EndGrant
    | GiveToken
    | RotateToken
    | RevokeToken
    | ClaimDevice
    | NameDevice
    | PairDevice
    | Reopen
    | AddPerson
    | NamePerson
    | SetStatus
    | SetPin
)


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of an order: lines for standard output, or why it was refused.

    ``ended`` names whatever opens nothing any more: connections that were opened by it are closed.
    """

    lines: tuple[str, ...] = ()
    refused: str | None = None
    ended: tuple[str, ...] = ()
    about: str | None = None  # the person whose helpers are others now


class NotDone(Exception):
    """An order that cannot be carried out, in words for staff; nothing was changed."""
