"""What staff order on the command line, as data: the same order to a running server and to a store at rest.

An order is carried out in one transaction. Tokens are made where it is carried out and shown once, in its answer.
"""

import sqlite3
from typing import TypeAlias

import msgspec

from companions.consenting import Basis
from server.ids import new_id
from storage.grants import BothRoles, Grant, GrantedRole, digest_of, end, give, new_token


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


AnyOrder: TypeAlias = GiveGrant | EndGrant


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


def carry_out(db: sqlite3.Connection, order: AnyOrder, at: int) -> Answer:
    """Do ``order``, inside the caller's transaction. Raises ``NotDone``."""
    match order:
        case GiveGrant():
            return _give(db, order, at)
        case EndGrant(grant=grant):
            user = end(db, grant, at=at)
            if user is None:
                raise NotDone("There is no such grant.")
            return Answer(lines=("It has ended.",), ended=(grant,), about=user)


def _give(db: sqlite3.Connection, order: GiveGrant, at: int) -> Answer:
    name = one_line(order.name)
    if not order.user:
        raise NotDone("Whose person is it for? Name a user.")
    if order.basis is not None and order.role != "caregiver":
        raise NotDone("Only a caregiver consents for a person.")
    token = new_token()
    grant = Grant(
        id=new_id("grt"),
        name=name,
        role=order.role,
        user=order.user,
        companion=order.companion,
        basis=order.basis,
    )
    try:
        give(db, grant, digest=digest_of(token), at=at)
    except BothRoles:
        said = f"{name} has the other role for {order.user}; abuse is told to neither family nor carer."
        raise NotDone(said) from None
    return Answer(lines=(grant.id, token), about=grant.user)


def one_line(name: str) -> str:
    """A name as it is kept; raises ``NotDone``."""
    name = name.strip()
    if not 0 < len(name) <= 60 or not name.isprintable():
        raise NotDone("A name is one line of up to 60 characters.")
    return name
